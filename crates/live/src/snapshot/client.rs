//! The client, the server, the GPUs, the errors and the log.

use serde::Serialize;

/// Whether the client itself is a bottleneck.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ClientHealth {
    /// The most that a request was sent after its due time, in the last ten seconds.
    pub schedule_lag_ms: f64,
    /// The same since the run began.
    pub schedule_lag_max_ms: f64,
    /// CPU time of this process for each second and available processor: 1 is all there is.
    pub cpu_share: f64,
    pub cpu_share_max: f64,
    /// How long received bytes waited to be read, in the last ten seconds: the highest 99th percentile of a quarter second.
    pub read_delay_p99_ms: f64,
    /// `scheduler` or `worker`.
    pub busiest_thread: Option<&'static str>,
    pub busiest_thread_share: f64,
    pub descriptors_open: Option<u64>,
    pub descriptors_limit: Option<u64>,
    pub record_backlog_bytes: u64,
    pub record_backlog_budget: u64,
}

/// Errors that differ in nothing but their time are one entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DistinctError {
    pub status: Option<u16>,
    /// The error type, as files spell it.
    pub kind: String,
    /// The beginning of the message, without secrets.
    pub excerpt: String,
    pub count: u64,
    pub first_seen_ns: i64,
    pub last_seen_ns: i64,
}

/// A value that the server reports about itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ServerHeadline {
    pub tag: &'static str,
    pub title: &'static str,
    pub unit: &'static str,
    pub value: f64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct GpuState {
    pub index: u32,
    pub model: String,
    /// Where the reading comes from, without secrets.
    pub source: String,
    pub uuid: String,
    pub power_watts: Option<f64>,
    pub utilization_percent: Option<f64>,
    pub memory_used_gb: Option<f64>,
    pub temperature_celsius: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogLine {
    pub at_ns: i64,
    /// `ERROR`, `WARNING`, `INFO`, `DEBUG` or `TRACE`.
    pub level: &'static str,
    pub message: String,
}
