//! The schemes that servers can be addressed by.

/// What stands before `://`, or `unix:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    Http,
    Https,
    /// gRPC without TLS.
    Grpc,
    /// gRPC under TLS.
    Grpcs,
    /// HTTP or gRPC over a Unix socket.
    Unix,
}

/// Schemes of other protocols that people try. Without this list `ftp:host` would be a host called `ftp`.
const FOREIGN: [&str; 11] = ["data", "file", "ftp", "ftps", "javascript", "mailto", "sftp", "ssh", "tcp", "ws", "wss"];

impl Scheme {
    /// Schemes that are followed by `://`.
    const WITH_AUTHORITY: [Self; 4] = [Self::Http, Self::Https, Self::Grpc, Self::Grpcs];

    /// Any letter case. `unix` is not found here: what follows it has another form.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::WITH_AUTHORITY.into_iter().find(|scheme| name.eq_ignore_ascii_case(scheme.name()))
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
            Self::Grpc => "grpc",
            Self::Grpcs => "grpcs",
            Self::Unix => "unix",
        }
    }

    pub const fn is_secure(self) -> bool {
        matches!(self, Self::Https | Self::Grpcs)
    }

    pub const fn is_grpc(self) -> bool {
        matches!(self, Self::Grpc | Self::Grpcs)
    }

    /// Zero for a Unix socket.
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Http | Self::Grpc => 80,
            Self::Https | Self::Grpcs => 443,
            Self::Unix => 0,
        }
    }

    /// The scheme of the connection that carries requests: gRPC goes over HTTP.
    pub const fn carrier(self) -> Self {
        match self {
            Self::Grpc => Self::Http,
            Self::Grpcs => Self::Https,
            other => other,
        }
    }
}

/// Whether a word before a bare colon is a scheme that cannot be used that way, and not the name of a host.
pub(crate) fn is_foreign(word: &str) -> bool {
    let is_grpc = Scheme::from_name(word).is_some_and(Scheme::is_grpc);
    is_grpc || FOREIGN.iter().any(|foreign| word.eq_ignore_ascii_case(foreign))
}
