//! Which certificates of servers are accepted, and what to do about the others.

use std::io;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{AlertDescription, CertificateError, DigitallySignedStruct, InvalidMessage, SignatureScheme};

const DAY: u64 = 86_400;

/// Accepts what the usual rules accept, and certificates that are themselves trusted: a certificate made by `openssl req -x509`
/// is its own issuer, and the usual rules reject a server that presents one.
#[derive(Debug)]
pub(crate) struct Trusted {
    pub(crate) usual: Arc<WebPkiServerVerifier>,
    pub(crate) certificates: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Trusted {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match self.usual.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // Its dates have been checked by then.
            Err(error) if is_own_issuer(&error) && self.certificates.iter().any(|known| known == end_entity) => {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.usual.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.usual.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.usual.supported_verify_schemes()
    }
}

/// Accepts any certificate.
#[derive(Debug)]
pub(crate) struct AnyCertificate(pub(crate) Arc<CryptoProvider>);

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

/// The error that TLS found, or that the peer reported.
pub(crate) fn tls_error(cause: &io::Error) -> Option<&rustls::Error> {
    cause.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>())
}

/// Whether a failed handshake was about the server's certificate.
pub(crate) fn is_certificate_error(cause: &io::Error) -> bool {
    tls_error(cause).is_some_and(|error| matches!(error, rustls::Error::InvalidCertificate(_)))
}

/// The same failure, with what to do about it.
pub(crate) fn with_advice(cause: io::Error) -> io::Error {
    match tls_error(&cause) {
        Some(error) => io::Error::new(cause.kind(), explained(error)),
        None if cause.kind() == io::ErrorKind::UnexpectedEof => io::Error::new(
            cause.kind(),
            "the server closed the connection instead of answering; does it speak TLS on this port, or is its URL http:// instead?",
        ),
        None => cause,
    }
}

/// What went wrong, and what to do about it.
pub(crate) fn explained(error: &rustls::Error) -> String {
    let advice = match error {
        rustls::Error::InvalidCertificate(reason) => return explained_certificate(reason, error),
        rustls::Error::AlertReceived(
            AlertDescription::CertificateRequired
            | AlertDescription::BadCertificate
            | AlertDescription::UnknownCA
            | AlertDescription::CertificateUnknown
            | AlertDescription::CertificateExpired
            | AlertDescription::AccessDenied,
        ) => "the server requires a client certificate that it trusts (--client-cert, --client-key)",
        rustls::Error::AlertReceived(AlertDescription::HandshakeFailure) => {
            "the server may require a client certificate (--client-cert), or there is no common cipher"
        }
        rustls::Error::AlertReceived(AlertDescription::ProtocolVersion) => {
            "the server supports neither TLS 1.2 nor 1.3"
        }
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            "the server does not speak TLS on this port; is its URL http:// instead?"
        }
        _ => return error.to_string(),
    };
    format!("{error}; {advice}")
}

fn explained_certificate(reason: &CertificateError, error: &rustls::Error) -> String {
    match reason {
        CertificateError::UnknownIssuer => {
            "the authority that issued the server's certificate is not trusted; name its \
             certificate with --ca-cert, or use --insecure"
                .to_owned()
        }
        CertificateError::ExpiredContext { time, not_after } => {
            let days = time.as_secs().saturating_sub(not_after.as_secs()) / DAY;
            format!("the server's certificate expired {days} days ago; have it renewed, or use --insecure")
        }
        CertificateError::NotValidYetContext { time, not_before } => {
            let days = not_before.as_secs().saturating_sub(time.as_secs()).div_ceil(DAY);
            format!(
                "the server's certificate is not valid for another {days} days; is the clock of this machine right?"
            )
        }
        CertificateError::NotValidForNameContext { expected, presented } => format!(
            "the server's certificate is not for {}; it is for {}. Use that in --url, or --insecure",
            expected.to_str(),
            if presented.is_empty() { "no name at all".to_owned() } else { bare_names(presented) }
        ),
        _ if is_own_issuer(error) => {
            "the server's certificate is signed by itself and not trusted; name it with --ca-cert, or use --insecure"
                .to_owned()
        }
        _ => format!("{error}; --insecure accepts any certificate"),
    }
}

/// `DnsName("a")` as `a`.
fn bare_names(presented: &[String]) -> String {
    let bare = |name: &String| name.split('"').nth(1).map_or_else(|| name.clone(), str::to_owned);
    presented.iter().map(bare).collect::<Vec<_>>().join(", ")
}

fn is_own_issuer(error: &rustls::Error) -> bool {
    let rustls::Error::InvalidCertificate(CertificateError::Other(other)) = error else { return false };
    matches!(other.0.downcast_ref::<webpki::Error>(), Some(webpki::Error::CaUsedAsEndEntity))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(days: u64) -> UnixTime {
        UnixTime::since_unix_epoch(std::time::Duration::from_secs(days * DAY))
    }

    #[test]
    fn each_fault_of_a_certificate_says_what_to_do() {
        let said = |reason: CertificateError| explained(&rustls::Error::InvalidCertificate(reason));
        assert!(said(CertificateError::UnknownIssuer).contains("--ca-cert"));
        let expired = said(CertificateError::ExpiredContext { time: days(30), not_after: days(10) });
        assert!(expired.contains("expired 20 days ago") && expired.contains("--insecure"), "{expired}");
        let early = said(CertificateError::NotValidYetContext { time: days(10), not_before: days(12) });
        assert!(early.contains("another 2 days"), "{early}");
        let expected = ServerName::try_from("here.example").unwrap();
        let presented = vec!["DnsName(\"there.example\")".to_owned()];
        let name = said(CertificateError::NotValidForNameContext { expected, presented });
        assert!(name.contains("not for here.example; it is for there.example."), "{name}");
    }

    #[test]
    fn what_a_server_wants_to_know_of_us_is_named() {
        let said = explained(&rustls::Error::AlertReceived(AlertDescription::CertificateRequired));
        assert!(said.contains("CertificateRequired") && said.contains("--client-cert"), "{said}");
        let plain = explained(&rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType));
        assert!(plain.contains("http://"), "{plain}");
    }
}
