//! How connections are made and kept: settings that the command line and the environment choose and the transport follows.

use std::path::PathBuf;
use std::time::Duration;

/// The version of HTTP on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HttpVersion {
    #[default]
    Http1,
    /// Agreed on under TLS, assumed without it.
    Http2,
}

impl HttpVersion {
    /// The name under which TLS negotiates the version (ALPN).
    pub const fn alpn(self) -> &'static [u8] {
        match self {
            Self::Http1 => b"http/1.1",
            Self::Http2 => b"h2",
        }
    }
}

/// Which addresses of a host are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IpVersion {
    V4,
    V6,
    /// IPv4 addresses first, then IPv6.
    #[default]
    Auto,
}

/// Which requests of a run may share a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConnectionReuse {
    /// Any request may use any idle connection.
    #[default]
    Pooled,
    /// Each request opens its own connection.
    Never,
    /// Each session has its own connection, closed after its last turn.
    StickyUserSessions,
}

impl ConnectionReuse {
    /// What that means for one request of a session.
    pub const fn for_request(self, session: &str, is_last: bool) -> ConnectionUse<'_> {
        match self {
            Self::Pooled => ConnectionUse::Pooled,
            Self::Never => ConnectionUse::Never,
            Self::StickyUserSessions => ConnectionUse::Sticky { key: session, is_last },
        }
    }
}

/// Which connection one request takes, and what happens to it afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionUse<'a> {
    /// Any idle connection.
    Pooled,
    /// A new connection, closed afterwards.
    Never,
    /// The connection that belongs to this key. It is kept for the next request of the key, unless this is its last or it failed:
    /// the server behind a connection that answers with errors may be one to get away from.
    Sticky { key: &'a str, is_last: bool },
}

/// What a socket is set to before it is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketOptions {
    /// `SO_RCVBUF` in bytes; `None`: the system sizes it as the connection needs.
    pub receive_buffer: Option<usize>,
    /// `SO_SNDBUF` in bytes; `None`: the system sizes it as the connection needs.
    pub send_buffer: Option<usize>,
    /// `TCP_KEEPIDLE`: quiet time before the kernel asks whether the peer is still there.
    pub keepalive_idle: Duration,
    /// `TCP_KEEPINTVL`: time between two such questions.
    pub keepalive_interval: Duration,
    /// `TCP_KEEPCNT`: questions without an answer that end the connection.
    pub keepalive_count: u32,
    /// `TCP_USER_TIMEOUT`: how long sent data may stay unacknowledged (Linux).
    pub user_timeout: Duration,
}

impl Default for SocketOptions {
    fn default() -> Self {
        Self {
            receive_buffer: None,
            send_buffer: None,
            keepalive_idle: Duration::from_secs(60),
            keepalive_interval: Duration::from_secs(30),
            keepalive_count: 1,
            user_timeout: Duration::from_secs(30),
        }
    }
}

/// How the certificates of servers are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verification {
    #[default]
    Full,
    /// Any certificate is accepted, for test set-ups with self-signed certificates.
    Off,
}

/// What TLS goes by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TlsOptions {
    pub verification: Verification,
    /// PEM file with the certificates to trust, in place of the system's.
    pub roots: Option<PathBuf>,
    /// Shown to servers that ask for a client certificate.
    pub client: Option<ClientCertificate>,
}

/// PEM files of our own certificate, with those above it, and of its key. Both may be in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    pub certificate: PathBuf,
    pub key: PathBuf,
}
