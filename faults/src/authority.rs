//! A certificate authority of the lab's own, and servers that it vouches for, or does not.

use std::sync::Arc;

use anyhow::Context;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, IsCa, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

use crate::step::{Certificate, Protocol};

#[derive(Debug)]
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> anyhow::Result<Self> {
        let mut params = CertificateParams::new(Vec::<String>::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        params.distinguished_name = named("fault lab");
        Ok(Self { issuer: CertifiedIssuer::self_signed(params, KeyPair::generate()?)? })
    }

    /// The certificate to trust.
    pub(crate) fn pem(&self) -> String {
        pem(self.issuer.der())
    }

    /// What a server of this kind needs, if it speaks TLS.
    pub(crate) fn server(&self, protocol: Protocol, asked: &Certificate) -> anyhow::Result<Option<Arc<ServerConfig>>> {
        let alpn: &[u8] = match protocol {
            Protocol::Https => b"http/1.1",
            Protocol::Http2Tls => b"h2",
            _ => return Ok(None),
        };
        let mut params = CertificateParams::new(vec![asked.name.clone()])?;
        params.distinguished_name = named("fault lab server");
        if asked.expired {
            params.not_before = date_time_ymd(2001, 1, 1);
            params.not_after = date_time_ymd(2002, 1, 1);
        }
        let key = KeyPair::generate()?;
        let certificate =
            if asked.trusted { params.signed_by(&key, &self.issuer)? } else { params.self_signed(&key)? };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder =
            ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
        let builder = if asked.asks_for_client {
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from(self.issuer.der().to_vec())).context("the authority is not trusted")?;
            builder.with_client_cert_verifier(
                WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build()?,
            )
        } else {
            builder.with_no_client_auth()
        };
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let mut config = builder.with_single_cert(vec![certificate.der().clone()], key)?;
        config.alpn_protocols = vec![alpn.to_vec()];
        Ok(Some(Arc::new(config)))
    }
}

fn named(name: &str) -> DistinguishedName {
    let mut distinguished = DistinguishedName::new();
    distinguished.push(DnType::CommonName, name);
    distinguished
}

fn pem(der: &[u8]) -> String {
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", BASE64_STANDARD.encode(der))
}
