//! TLS settings shared by all workers: trust roots of the system, or none when the user switched checking off.

use std::io;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use thiserror::Error;

use crate::client::HttpVersion;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verification {
    #[default]
    Full,
    /// Any certificate will do; for test set-ups with self-signed ones.
    Off,
}

#[derive(Debug, Error)]
pub enum TlsError {
    #[error("no trusted root certificates were found{0}; set SSL_CERT_FILE to a PEM file")]
    NoRoots(String),
    #[error("TLS cannot be set up: {0}")]
    Setup(#[from] rustls::Error),
}

/// Made once per run, and only when a target is `https`: reading the system's roots takes milliseconds.
#[derive(Debug, Clone)]
pub struct TlsSettings {
    config: Arc<ClientConfig>,
}

impl TlsSettings {
    pub fn new(verification: Verification, version: HttpVersion) -> Result<Self, TlsError> {
        let provider = Arc::new(ring::default_provider());
        let builder =
            ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
        let mut config = match verification {
            Verification::Full => builder.with_root_certificates(system_roots()?).with_no_client_auth(),
            Verification::Off => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
                .with_no_client_auth(),
        };
        config.alpn_protocols = vec![version.alpn().to_vec()];
        Ok(Self { config: Arc::new(config) })
    }

    pub(crate) fn connector(&self) -> tokio_rustls::TlsConnector {
        tokio_rustls::TlsConnector::from(Arc::clone(&self.config))
    }
}

fn system_roots() -> Result<RootCertStore, TlsError> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let cause = found.errors.first().map(|e| format!(" ({e})")).unwrap_or_default();
        return Err(TlsError::NoRoots(cause));
    }
    Ok(roots)
}

/// Whether a failed handshake was about the server's certificate.
pub(crate) fn is_certificate_error(cause: &io::Error) -> bool {
    cause
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<rustls::Error>())
        .is_some_and(|e| matches!(e, rustls::Error::InvalidCertificate(_)))
}

#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
