//! All that the engine needs to know before it starts.

use std::fmt;
use std::sync::Arc;

use aiperf_clock::Nanos;
use aiperf_config::PhaseConfig;
use aiperf_endpoint::HeaderPlan;
use aiperf_seed::Seed;
use aiperf_transport::{ClientSettings, Origin, Reuse};
use bytes::Bytes;
use thiserror::Error;

/// One server and the path that requests go to.
#[derive(Debug, Clone)]
pub struct RequestTarget {
    pub origin: Origin,
    pub path_and_query: String,
    /// Value of the `Host` header.
    pub host_header: String,
}

/// A conversation whose bodies are ready to be sent.
#[derive(Debug, Clone)]
pub struct PreparedConversation {
    pub turns: Vec<PreparedTurn>,
}

#[derive(Debug, Clone)]
pub struct PreparedTurn {
    pub body: Bytes,
    /// Pause after the previous turn's response.
    pub delay: Nanos,
}

pub struct Plan {
    /// In the order they run.
    pub phases: Vec<PhaseConfig>,
    pub conversations: Arc<[PreparedConversation]>,
    /// Which conversation the next session is; shared by all phases.
    pub next_conversation: Box<dyn FnMut() -> usize + Send>,
    /// At least one.
    pub targets: Arc<[RequestTarget]>,
    pub headers: Arc<HeaderPlan>,
    pub request_timeout: Option<Nanos>,
    pub reuse: Reuse,
    pub client: ClientSettings,
    pub workers: usize,
    pub seed: Seed,
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("phases", &self.phases)
            .field("conversations", &self.conversations.len())
            .field("targets", &self.targets)
            .field("workers", &self.workers)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Error)]
pub enum EngineError {
    #[error("cannot start worker thread {worker}: {cause}")]
    Worker { worker: usize, cause: std::io::Error },
    #[error("all worker threads stopped while requests were still in flight")]
    WorkersGone,
}
