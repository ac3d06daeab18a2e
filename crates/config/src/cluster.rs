//! A run that several nodes send and one process coordinates.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The nodes of a run, and how the coordinator reaches them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterConfig {
    pub nodes: u64,
    /// URLs of NATS servers, separated by commas.
    pub url: String,
    /// Nodes of this pool take part.
    pub pool: String,
    /// `None`: a random one.
    pub run_id: Option<String>,
    pub on_node_loss: NodeLossPolicy,
    pub on_coordinator_loss: CoordinatorLossPolicy,
    /// A node that is silent for so long is lost.
    pub node_timeout: Duration,
    /// How long to wait until enough nodes have joined.
    pub join_timeout: Duration,
}

/// What happens when a node is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeLossPolicy {
    /// The other nodes stop, and the run has failed.
    #[default]
    Fail,
    /// The other nodes go on with their own shares.
    Continue,
    /// A node that waits in the pool sends what the lost one has not sent.
    Replace,
}

impl NodeLossPolicy {
    pub const NAMES: [&str; 3] = ["fail", "continue", "replace"];

    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "fail" => Some(Self::Fail),
            "continue" => Some(Self::Continue),
            "replace" => Some(Self::Replace),
            _ => None,
        }
    }
}

/// What nodes do when the coordinator is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CoordinatorLossPolicy {
    /// They send their whole share.
    #[default]
    Finish,
    /// They stop sending and wait for the requests under way.
    Drain,
}

impl CoordinatorLossPolicy {
    pub const NAMES: [&str; 2] = ["finish", "drain"];

    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "finish" => Some(Self::Finish),
            "drain" => Some(Self::Drain),
            _ => None,
        }
    }
}
