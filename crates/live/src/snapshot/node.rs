//! The nodes that send a run together.

use serde::Serialize;

/// One node, as its last heartbeat described it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct NodeHealth {
    /// `node-3`.
    pub name: String,
    pub host: String,
    pub address: Option<String>,
    pub state: NodeState,
    /// The phase that it is in; empty before the first one.
    pub phase: String,
    /// Requests of its current phase.
    pub sent: u64,
    pub returned: u64,
    pub failed: u64,
    /// Processor time in percent of one processor.
    pub cpu_percent: f64,
    /// Largest error of its times relative to those of the coordinator.
    pub clock_bound_ms: Option<f64>,
    /// Bytes of records that only the node has.
    pub unshipped_bytes: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    #[default]
    Running,
    Ended,
    Lost,
}
