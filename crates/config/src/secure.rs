//! TLS and proxies: what lies between us and the server.

use std::path::PathBuf;

use crate::Secret;

/// What TLS goes by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TlsConfig {
    /// Any certificate of a server will do.
    pub insecure: bool,
    /// Certificates to trust, in place of the system's.
    pub ca_cert: Option<PathBuf>,
    /// Certificate and key to show to a server that asks; they may be in one file.
    pub client: Option<(PathBuf, PathBuf)>,
}

/// The proxies that the environment names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProxyConfig {
    /// For `http://` servers.
    pub http: Option<ProxyServer>,
    /// For `https://` servers.
    pub https: Option<ProxyServer>,
    /// Servers that are reached directly.
    pub bypass: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyServer {
    /// The variable that named it.
    pub variable: String,
    /// Spoken to under TLS.
    pub secure: bool,
    /// Without brackets.
    pub host: String,
    pub port: u16,
    /// User name and password.
    pub user: Option<(String, Secret)>,
}
