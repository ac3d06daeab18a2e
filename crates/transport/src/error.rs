//! Why an exchange failed before a whole response was read.

use std::io;

use thiserror::Error;

use crate::origin::Origin;
use crate::redirect::RedirectError;

#[derive(Debug, Error)]
pub enum TransportError {
    #[error("cannot resolve host '{host}': {cause}")]
    Resolve { host: String, cause: io::Error },
    #[error("cannot connect to {origin}: {cause}")]
    Connect { origin: Origin, cause: io::Error },
    /// With the status that the proxy answered, if it did.
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
    #[error("the response broke off: {0}")]
    Truncated(String),
    #[error("the response is not valid HTTP: {0}")]
    Protocol(String),
    #[error("a message of {length} bytes came, and {limit} is the limit; raise --grpc-max-message-size")]
    MessageTooLong { length: usize, limit: usize },
    #[error(
        "the response body is longer than {limit} bytes; if the server means to send that much, raise AIPERF_HTTP_BODY_LIMIT_MB"
    )]
    BodyTooLong { limit: usize },
    #[error(transparent)]
    Redirect(#[from] RedirectError),
}
