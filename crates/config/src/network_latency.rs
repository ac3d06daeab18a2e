//! What is known, or to be found out, of the network between client and server.

use std::time::Duration;

/// Where the round trip comes from that latencies are also shown without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkLatency {
    /// The user says how long it is.
    Given(Duration),
    /// Measured while the profiling phase runs.
    Measured(RttProbing),
}

/// How the round trip is measured: connections that do nothing but open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RttProbing {
    /// Pause between two measurements of a server.
    pub interval: Duration,
    /// As many as there should be at least.
    pub min_samples: usize,
    /// How long a connection may take to open.
    pub connect_timeout: Duration,
    /// How long the end of the run may wait for missing measurements.
    pub top_up: Duration,
}

impl Default for RttProbing {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(1),
            min_samples: 5,
            connect_timeout: Duration::from_secs(5),
            top_up: Duration::from_secs(3),
        }
    }
}
