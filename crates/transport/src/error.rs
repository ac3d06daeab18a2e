//! Why an exchange failed before a whole response was read.

use std::io;

use aiperf_address::Origin;
use thiserror::Error;

use crate::redirect::RedirectError;

#[derive(Debug, Error)]
pub enum TransportError {
    #[error("cannot resolve host '{host}': {cause}")]
    Resolve { host: String, cause: io::Error },
    #[error("cannot connect to {origin}: {cause}")]
    Connect { origin: Origin, cause: io::Error },
    /// With the status of the proxy's response, if there was one.
    #[error("the proxy {proxy} {reason}")]
    Proxy { proxy: Origin, status: Option<u16>, reason: String },
    #[error("TLS handshake with {origin} failed: {cause}")]
    Tls { origin: Origin, cause: io::Error, certificate: bool },
    #[error("the request could not be sent: {0}")]
    Send(io::Error),
    #[error("the server closed the connection before it answered")]
    Disconnected,
    #[error("the server broke the connection before it answered: {0}")]
    Severed(io::Error),
    #[error("the server ended the request without an answer: {0}")]
    Reset(String),
    /// The server said so (HTTP/2), or no byte of the request was sent: the server did not work on it.
    #[error("the server did not take the request: {0}")]
    NotTaken(String),
    #[error("the response broke off: {0}")]
    Truncated(String),
    #[error("the response is not valid HTTP: {0}")]
    Protocol(String),
    #[error("not an HTTP response: {0}")]
    NotHttp(String),
    #[error("not an HTTP/2 response: {0}")]
    NotHttp2(&'static str),
    #[error("101 Switching Protocols: the server switches to {0}, which was not requested")]
    SwitchedProtocol(String),
    #[error("received a message of {length} bytes, above the limit of {limit}; raise --grpc-max-message-size")]
    MessageTooLong { length: usize, limit: usize },
    #[error(
        "the response body is longer than {limit} bytes; if the server means to send that much, raise AIPERF_HTTP_BODY_LIMIT_MB"
    )]
    BodyTooLong { limit: usize },
    #[error(transparent)]
    Redirect(#[from] RedirectError),
}

impl TransportError {
    /// Whether no connection to the server could be made for a reason that lies with the server or the network. A shortage on
    /// this machine (descriptors, ports, memory) says nothing about the server.
    pub fn is_unreachable(&self) -> bool {
        match self {
            Self::Resolve { .. } | Self::Proxy { status: None, .. } | Self::Tls { .. } => true,
            Self::Connect { cause, .. } => !is_own_shortage(cause),
            _ => false,
        }
    }
}

fn is_own_shortage(cause: &io::Error) -> bool {
    const EMFILE: i32 = 24;
    const ENFILE: i32 = 23;
    const ENOBUFS: i32 = 105;
    matches!(cause.raw_os_error(), Some(EMFILE | ENFILE | ENOBUFS))
        || matches!(
            cause.kind(),
            io::ErrorKind::AddrNotAvailable | io::ErrorKind::AddrInUse | io::ErrorKind::OutOfMemory
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use aiperf_address::Scheme;

    #[test]
    fn a_shortage_of_this_machine_is_not_an_unreachable_server() {
        let origin = Origin { scheme: Scheme::Http, host: "h".into(), port: 1 };
        let failed = |cause: io::Error| TransportError::Connect { origin: origin.clone(), cause };
        assert!(failed(io::ErrorKind::ConnectionRefused.into()).is_unreachable());
        assert!(failed(io::ErrorKind::HostUnreachable.into()).is_unreachable());
        assert!(!failed(io::Error::from_raw_os_error(24)).is_unreachable(), "descriptors");
        assert!(!failed(io::ErrorKind::AddrNotAvailable.into()).is_unreachable(), "ports");
        assert!(!TransportError::Disconnected.is_unreachable());
    }
}
