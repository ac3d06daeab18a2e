//! The live HTTP interface of a run.

use std::time::Duration;

use aiperf_address::Secret;

/// Where the interface listens, who may use it, and how long it stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiConfig {
    /// A name or an address.
    pub host: String,
    /// Zero: any free port.
    pub port: u16,
    /// `None`: none on a loopback address, a new one on any other.
    pub token: Option<Secret>,
    pub linger: ApiLinger,
}

/// How long the interface stays after the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiLinger {
    For(Duration),
    /// While the page is open in a browser, and at most this long.
    WhilePagesAreOpen(Duration),
}

impl ApiLinger {
    pub const DEFAULT: Self = Self::WhilePagesAreOpen(Duration::from_secs(30));
}
