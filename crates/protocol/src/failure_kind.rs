//! What kind of failure a request had. The names are those that scripts written for AIPerf look for.

use std::fmt;

/// What kind of failure a request had.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// The host name could not be resolved.
    Resolve,
    /// No connection to the server could be opened.
    Connect,
    /// The proxy refused to connect to the server.
    ProxyRefused,
    /// The proxy could not be reached.
    ProxyUnreachable,
    TooManyRedirects,
    /// A redirect to a URL that is not HTTP.
    RedirectNotHttp,
    /// A redirect to something that is not a URL.
    RedirectInvalid,
    /// The certificate of the server was not accepted.
    Certificate,
    /// The TLS handshake failed.
    Tls,
    /// The request could not be written to the connection.
    Send,
    /// The server closed the connection before it answered.
    Disconnected,
    /// The response broke off.
    ResponseCutShort,
    /// The response is not valid HTTP, or too long.
    InvalidResponse,
    /// Over `--request-timeout-seconds`.
    Timeout,
    /// A request that was to be cancelled could not be sent in time.
    SendTimeout,
    /// The body of the request could not be built.
    Build,
    /// A successful response is not a valid answer of the endpoint.
    InvalidAnswer,
    /// A stream ended without its last event.
    IncompleteStream,
    /// The client ended the request.
    Cancelled,
    /// Any other name: the reason phrase of an HTTP status, a gRPC status, an error type that the server reports.
    Other(String),
}

impl FailureKind {
    /// Every kind with a name of its own.
    const NAMED: [(Self, &'static str); 19] = [
        (Self::Resolve, "ClientConnectorDNSError"),
        (Self::Connect, "ClientConnectorError"),
        (Self::ProxyRefused, "ClientHttpProxyError"),
        (Self::ProxyUnreachable, "ClientProxyConnectionError"),
        (Self::TooManyRedirects, "TooManyRedirects"),
        (Self::RedirectNotHttp, "NonHttpUrlRedirectClientError"),
        (Self::RedirectInvalid, "InvalidUrlRedirectClientError"),
        (Self::Certificate, "ClientConnectorCertificateError"),
        (Self::Tls, "ClientConnectorSSLError"),
        (Self::Send, "ClientOSError"),
        (Self::Disconnected, "ServerDisconnectedError"),
        (Self::ResponseCutShort, "ClientPayloadError"),
        (Self::InvalidResponse, "ClientResponseError"),
        (Self::Timeout, "TimeoutError"),
        (Self::SendTimeout, "RequestSendTimeout"),
        (Self::Build, "RequestBuildError"),
        (Self::InvalidAnswer, "InvalidInferenceResultError"),
        (Self::IncompleteStream, "IncompleteStreamError"),
        (Self::Cancelled, "RequestCancellationError"),
    ];

    /// The name in the files of a run.
    pub fn name(&self) -> &str {
        match self {
            Self::Other(name) => name,
            kind => Self::NAMED.iter().find(|(known, _)| known == kind).map_or("", |(_, name)| name),
        }
    }

    /// Whether the request failed because no connection to the server could be opened.
    pub fn is_about_connecting(&self) -> bool {
        matches!(self, Self::Resolve | Self::Connect | Self::Certificate | Self::Tls | Self::ProxyUnreachable)
    }
}

/// The kind with this name. A name has one kind, whoever reports it.
impl From<String> for FailureKind {
    fn from(name: String) -> Self {
        let known = Self::NAMED.into_iter().find(|(_, known)| *known == name);
        known.map_or(Self::Other(name), |(kind, _)| kind)
    }
}

impl From<&str> for FailureKind {
    fn from(name: &str) -> Self {
        name.to_owned().into()
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_kind_and_a_kind_one_name() {
        for (kind, name) in FailureKind::NAMED {
            assert_eq!((kind.name(), &FailureKind::from(name)), (name, &kind));
        }
        assert_eq!(FailureKind::from("Too Many Requests").name(), "Too Many Requests");
    }

    #[test]
    fn every_failure_of_a_connector_is_about_connecting() {
        for (kind, name) in FailureKind::NAMED {
            let expected = name.starts_with("ClientConnector") || name == "ClientProxyConnectionError";
            assert_eq!(kind.is_about_connecting(), expected, "{name}");
        }
    }
}
