//! Calls to the servers that are no requests: emptying their caches, starting and stopping their profilers.

use std::time::Duration;

/// `--reset-kv-cache`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResetKvCache {
    /// Takes the place of the URL's own.
    pub path: String,
    /// For one call.
    pub timeout: Duration,
    /// How long a server that is busy or cannot be reached is asked again.
    pub max_retry: Duration,
}

/// `--server-profiler`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerProfiler {
    pub start_path: String,
    pub stop_path: String,
    /// For one call.
    pub timeout: Duration,
}
