//! TLS settings shared by all workers: which certificates are trusted, and which one we present if a server asks.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use aiperf_address::{ClientCertificate, HttpVersion, TlsOptions, Verification};
use rustls::client::{WantsClientCert, WebPkiServerVerifier};
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, ConfigBuilder, RootCertStore};
use thiserror::Error;
use tokio_rustls::TlsConnector;

use super::certificate::{AnyCertificate, Trusted};

#[derive(Debug, Error)]
pub enum TlsError {
    #[error("no trusted root certificates were found{0}; name a PEM file with --ca-cert or SSL_CERT_FILE")]
    NoRoots(String),
    #[error("{flag} {}: {reason}", path.display())]
    File { flag: &'static str, path: PathBuf, reason: String },
    #[error("TLS cannot be set up: {0}")]
    Setup(#[from] rustls::Error),
}

const CA_CERT: &str = "--ca-cert";
const CLIENT_CERT: &str = "--client-cert";
const CLIENT_KEY: &str = "--client-key";

/// TLS for all connections of a run, shared by its clients.
#[derive(Debug, Clone)]
pub struct TlsSettings {
    shared: Arc<SharedTls>,
}

#[derive(Debug)]
struct SharedTls {
    options: TlsOptions,
    version: HttpVersion,
    made: OnceLock<Result<TlsConfigs, String>>,
}

#[derive(Debug, Clone)]
struct TlsConfigs {
    server: Arc<ClientConfig>,
    /// For proxies: HTTP/1.1 only, without our certificate.
    proxy: Arc<ClientConfig>,
}

impl TlsSettings {
    /// Reads all files, so that errors in them show before the run.
    pub fn new(options: TlsOptions, version: HttpVersion) -> Result<Self, TlsError> {
        let made = OnceLock::from(Ok(TlsConfigs::new(&options, version)?));
        Ok(Self { shared: Arc::new(SharedTls { options, version, made }) })
    }

    /// Reads the files when the first connection needs them, which may be never: reading the system's roots takes
    /// milliseconds, and without `https` servers only a redirect can lead to one.
    pub fn deferred(options: TlsOptions, version: HttpVersion) -> Self {
        Self { shared: Arc::new(SharedTls { options, version, made: OnceLock::new() }) }
    }

    pub(crate) fn to_server(&self) -> io::Result<TlsConnector> {
        self.made().map(|made| TlsConnector::from(Arc::clone(&made.server)))
    }

    pub(crate) fn to_proxy(&self) -> io::Result<TlsConnector> {
        self.made().map(|made| TlsConnector::from(Arc::clone(&made.proxy)))
    }

    fn made(&self) -> io::Result<&TlsConfigs> {
        let SharedTls { options, version, made } = &*self.shared;
        let made = made.get_or_init(|| TlsConfigs::new(options, *version).map_err(|error| error.to_string()));
        made.as_ref().map_err(|reason| io::Error::other(reason.clone()))
    }
}

impl TlsConfigs {
    fn new(options: &TlsOptions, version: HttpVersion) -> Result<Self, TlsError> {
        let roots = match (options.verification, &options.roots) {
            (Verification::Off, _) => None,
            (Verification::Full, None) => Some(system_roots()?),
            (Verification::Full, Some(path)) => Some(roots_of(path)?),
        };
        let mut proxy = builder(roots.as_ref())?.with_no_client_auth();
        proxy.alpn_protocols = vec![HttpVersion::Http1.alpn().to_vec()];
        let mut server = match &options.client {
            None => builder(roots.as_ref())?.with_no_client_auth(),
            Some(client) => {
                let (chain, key) = chain_and_key(client)?;
                let refused = |error: rustls::Error| {
                    file(CLIENT_CERT, &client.certificate, format!("it does not match its key: {error}"))
                };
                builder(roots.as_ref())?.with_client_auth_cert(chain, key).map_err(refused)?
            }
        };
        server.alpn_protocols = vec![version.alpn().to_vec()];
        Ok(Self { server: Arc::new(server), proxy: Arc::new(proxy) })
    }
}

fn builder(roots: Option<&Roots>) -> Result<ConfigBuilder<ClientConfig, WantsClientCert>, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    Ok(match roots {
        Some(Roots { store, certificates }) => {
            let usual = WebPkiServerVerifier::builder_with_provider(Arc::clone(store), provider).build();
            let usual = usual.map_err(|error| TlsError::NoRoots(format!(" ({error})")))?;
            let trusted = Trusted { usual, certificates: certificates.clone() };
            builder.dangerous().with_custom_certificate_verifier(Arc::new(trusted))
        }
        None => builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(provider))),
    })
}

/// Trusted certificates.
struct Roots {
    store: Arc<RootCertStore>,
    certificates: Vec<CertificateDer<'static>>,
}

fn system_roots() -> Result<Roots, TlsError> {
    let found = rustls_native_certs::load_native_certs();
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(found.certs.iter().cloned());
    if store.is_empty() {
        let cause = found.errors.first().map(|e| format!(" ({e})")).unwrap_or_default();
        return Err(TlsError::NoRoots(cause));
    }
    Ok(Roots { store: Arc::new(store), certificates: found.certs })
}

fn roots_of(path: &Path) -> Result<Roots, TlsError> {
    let mut store = RootCertStore::empty();
    let certificates = certificates(CA_CERT, path)?;
    for certificate in certificates.iter().cloned() {
        store
            .add(certificate)
            .map_err(|error| file(CA_CERT, path, format!("it contains an invalid certificate: {error}")))?;
    }
    Ok(Roots { store: Arc::new(store), certificates })
}

fn certificates(flag: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let unreadable = |error: pem::Error| file(flag, path, unreadable(&error));
    let found: Vec<_> =
        CertificateDer::pem_file_iter(path).map_err(unreadable)?.collect::<Result<_, _>>().map_err(unreadable)?;
    if found.is_empty() {
        return Err(file(flag, path, "it contains no PEM certificate".into()));
    }
    Ok(found)
}

fn chain_and_key(
    client: &ClientCertificate,
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), TlsError> {
    let chain = certificates(CLIENT_CERT, &client.certificate)?;
    let in_one = client.key == client.certificate;
    let key = PrivateKeyDer::from_pem_file(&client.key).map_err(|error| {
        let reason = match error {
            pem::Error::NoItemsFound if in_one => {
                "it contains no key; name the key's file with --client-key".to_owned()
            }
            pem::Error::NoItemsFound => "it contains no unencrypted PEM key".to_owned(),
            other => unreadable(&other),
        };
        file(if in_one { CLIENT_CERT } else { CLIENT_KEY }, &client.key, reason)
    })?;
    Ok((chain, key))
}

fn unreadable(error: &pem::Error) -> String {
    match error {
        pem::Error::Io(cause) => format!("it cannot be read: {cause}"),
        other => format!("it is not valid PEM: {other}"),
    }
}

fn file(flag: &'static str, path: &Path, reason: String) -> TlsError {
    TlsError::File { flag, path: path.to_owned(), reason }
}
