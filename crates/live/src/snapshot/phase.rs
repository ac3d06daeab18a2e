//! How far phases and records are.

use aiperf_protocol::PhaseKind;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PhaseProgress {
    pub name: String,
    pub kind: PhaseKind,
    pub index: usize,
    pub state: PhaseStatus,
    pub expected_requests: Option<u64>,
    pub expected_sessions: Option<u64>,
    /// Seconds after which the phase stops sending, if it ends by time.
    pub duration: Option<f64>,
    /// Seconds that responses may still take after that; `None` if there is no limit.
    pub grace: Option<f64>,
    pub sent: u64,
    /// Came back, however they ended.
    pub returned: u64,
    /// Of those whose record is done: answered.
    pub completed: u64,
    /// Of those whose record is done: failed.
    pub failed: u64,
    /// Of those whose record is done: given up by the client.
    pub cancelled: u64,
    pub in_flight: u64,
    pub sessions_sent: u64,
    pub sessions_completed: u64,
    /// Seconds since the phase began, or that it took.
    pub elapsed: f64,
    /// Seconds that the phase will probably still take.
    pub eta: Option<f64>,
    /// How much of the phase is done, 0 to 1.
    pub share: Option<f64>,
    /// Wall-clock times in nanoseconds since the epoch.
    pub start_ns: Option<i64>,
    pub sent_end_ns: Option<i64>,
    pub end_ns: Option<i64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseStatus {
    #[default]
    Waiting,
    Sending,
    /// Everything was sent; responses are still coming in.
    Draining,
    Complete,
}

/// Records of all phases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct RecordsProgress {
    pub processed: u64,
    /// Requests that came back and therefore get a record.
    pub expected: u64,
    /// Over the last seconds.
    pub per_second: f64,
}
