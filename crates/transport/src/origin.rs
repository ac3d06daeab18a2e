//! Where a connection leads: scheme, host and port, or a Unix socket.

use std::borrow::Cow;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    Http,
    Https,
    /// HTTP over a Unix socket.
    Unix,
}

/// The server end of a connection. Connections are reused between requests to equal origins only.
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
    pub(crate) fn authority_host(&self) -> Cow<'_, str> {
        if self.host.contains(':') { Cow::Owned(format!("[{}]", self.host)) } else { Cow::Borrowed(&self.host) }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
            Scheme::Unix => return write!(f, "unix:{}", self.host),
        };
        write!(f, "{scheme}://{}:{}", self.authority_host(), self.port)
    }
}
