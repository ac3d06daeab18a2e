//! Where a connection leads: scheme, host and port, or a Unix socket.

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

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
            Scheme::Unix => return write!(f, "unix:{}", self.host),
        };
        if self.host.contains(':') {
            write!(f, "{scheme}://[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{scheme}://{}:{}", self.host, self.port)
        }
    }
}
