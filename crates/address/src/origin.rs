//! The server end of a connection.

use std::borrow::Cow;
use std::fmt;

use crate::Scheme;

/// Where a connection leads. Connections are reused between requests to equal origins only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    pub scheme: Scheme,
    /// Name or address literal, without brackets; the path of a Unix socket.
    pub host: String,
    /// Zero for a Unix socket.
    pub port: u16,
}

impl Origin {
    /// The host as URLs write it: an IPv6 address in brackets.
    pub fn bracketed_host(&self) -> Cow<'_, str> {
        if self.host.contains(':') { Cow::Owned(format!("[{}]", self.host)) } else { Cow::Borrowed(&self.host) }
    }

    /// `host:port`, as `CONNECT` asks for it.
    pub fn host_and_port(&self) -> String {
        format!("{}:{}", self.bracketed_host(), self.port)
    }

    /// The value of the `Host` header: with the port unless it is the scheme's own. A Unix socket is `localhost`.
    pub fn host_header(&self) -> String {
        match self.scheme {
            Scheme::Unix => "localhost".to_owned(),
            scheme if self.port == scheme.default_port() => self.bracketed_host().into_owned(),
            _ => self.host_and_port(),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.scheme {
            Scheme::Unix => write!(f, "unix:{}", self.host),
            scheme => write!(f, "{}://{}:{}", scheme.name(), self.bracketed_host(), self.port),
        }
    }
}
