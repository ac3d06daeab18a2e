//! A certificate authority of the test's own, and what it signs.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        Self { issuer: CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap() }
    }

    /// The certificate to trust.
    pub(crate) fn pem(&self) -> String {
        pem("CERTIFICATE", self.issuer.der())
    }

    /// A certificate for a name, and its key, as PEM.
    pub(crate) fn sign(&self, name: &str) -> (String, String) {
        let (certificate, key) = self.signed(name);
        (pem("CERTIFICATE", certificate.der()), pem("PRIVATE KEY", &key.serialize_der()))
    }

    fn signed(&self, name: &str) -> (rcgen::Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        (params.signed_by(&key, &self.issuer).unwrap(), key)
    }

    /// A server called `localhost`.
    pub(crate) fn server(&self) -> Arc<ServerConfig> {
        self.server_config(false)
    }

    /// The same, which talks only to those whom this authority vouches for.
    pub(crate) fn exclusive_server(&self) -> Arc<ServerConfig> {
        self.server_config(true)
    }

    fn server_config(&self, exclusive: bool) -> Arc<ServerConfig> {
        let (certificate, key) = self.signed("localhost");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder =
            ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions().unwrap();
        let builder = if exclusive {
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from(self.issuer.der().to_vec())).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
            builder.with_client_cert_verifier(verifier)
        } else {
            builder.with_no_client_auth()
        };
        Arc::new(builder.with_single_cert(vec![certificate.der().clone()], key).unwrap())
    }
}

fn pem(label: &str, der: &[u8]) -> String {
    let text = BASE64_STANDARD.encode(der);
    let lines: Vec<&str> = text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}
