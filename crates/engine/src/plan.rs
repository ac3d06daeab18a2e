//! All that the engine needs to know before it starts.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use aiperf_address::{ConnectionReuse, HttpVersion, RequestTarget, Scheme};
use aiperf_clock::{Nanos, StampSource};
use aiperf_config::PhaseConfig;
use aiperf_conversation::{Branch, ContextMode, Lineage};
use aiperf_endpoint::{Endpoint, HeaderPlan};
use aiperf_protocol::Wire;
use aiperf_seed::Seed;
use aiperf_transport::ClientSettings;
use thiserror::Error;

use crate::phase_hook::PhaseHook;
use crate::request::bodies::Bodies;

/// A conversation as the engine sees it: all that a schedule needs, and none of its contents.
#[derive(Debug, Clone)]
pub struct PreparedConversation {
    /// The name under which a fixed schedule sends it.
    pub session_id: Arc<str>,
    pub turns: Vec<PreparedTurn>,
    pub lineage: Lineage,
    pub context_mode: ContextMode,
}

#[derive(Debug, Clone)]
pub struct PreparedTurn {
    /// Its body can be made only when the replies before it are there. All other bodies come from the workload's bodies.
    pub needs_replies: bool,
    /// When it is to be sent, in the time of the data.
    pub timestamp_ms: Option<f64>,
    /// When it was sent within the recording of its session.
    pub recorded: Option<Nanos>,
    /// Conversation and turn of requests of other lines of the session that had been answered by then.
    pub answered_before: Vec<(usize, usize)>,
    /// Pause after the previous turn's response.
    pub delay: Option<Nanos>,
    pub branches: Vec<Branch>,
}

/// The order of conversations in a fixed schedule: index and time in milliseconds, sorted by time.
pub type FixedSchedule = Vec<(usize, f64)>;

/// A run: what is sent, how it is sent, and by how many worker threads.
pub struct Plan {
    pub workload: Workload,
    pub sending: SendSettings,
    pub workers: usize,
    pub hook: Option<Box<dyn PhaseHook>>,
}

/// What is sent, and when: all that the scheduler needs to know.
pub struct Workload {
    /// In the order they run.
    pub phases: Vec<PhaseConfig>,
    pub conversations: Arc<[PreparedConversation]>,
    /// Bodies of the turns that do not depend on replies.
    pub bodies: Arc<dyn Bodies>,
    /// Draws the conversation of the next session; shared by all phases.
    pub next_conversation: Box<dyn FnMut() -> usize + Send>,
    /// Sessions of this node that another one has sent before it: the first ones in the order of drawing.
    pub sessions_done: u64,
    /// For phases that replay a schedule; empty otherwise.
    pub fixed_schedule: FixedSchedule,
    pub seed: Seed,
    pub timing: Timing,
    /// Whether the connections of a phase are opened before it starts.
    pub preconnect: bool,
}

/// Where requests go and how: all that the workers need to know.
#[derive(Debug, Clone)]
pub struct SendSettings {
    /// At least one.
    pub targets: Arc<[RequestTarget]>,
    pub headers: Arc<HeaderPlan>,
    pub endpoint: Arc<dyn Endpoint>,
    pub request_timeout: Option<Nanos>,
    /// How long a request that is to be cancelled may take to be sent.
    pub send_limit: Nanos,
    pub reuse: ConnectionReuse,
    pub client: ClientSettings,
    pub wire: Wire,
    /// Streamed bodies are read while they arrive. Not if anything needs them whole.
    pub reads_while_arriving: bool,
}

/// Settings of the scheduler that have no option.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// How long cut-off requests may take to come back before the phase ends without them.
    pub cut_drain: Duration,
    /// A rate ramp begins at the target rate times this interval divided by the duration of the ramp.
    pub rate_ramp_interval: Duration,
    /// A failed child ends the conversations that it belongs to.
    pub dag_fail_fast: bool,
    /// How long nothing but connection failures may come back; `None`: without end.
    pub unreachable_limit: Option<Duration>,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            cut_drain: Duration::from_secs(10),
            rate_ramp_interval: Duration::from_millis(100),
            dag_fail_fast: false,
            unreachable_limit: Some(Duration::from_secs(10)),
        }
    }
}

impl PreparedConversation {
    /// Turns after the first are sent with the server's own replies before them.
    pub(crate) fn has_live_history(&self) -> bool {
        self.context_mode == ContextMode::DeltasWithoutResponses
    }
}

impl SendSettings {
    /// Whether a worker may batch its reads: if the kernel stamps arrivals, and each
    /// connection carries one response at a time, so that chunks of different responses do not mix.
    pub(crate) fn may_batch_reads(&self) -> bool {
        self.client.stamping.source() == StampSource::Kernel
            && self.client.http_version == HttpVersion::Http1
            && self.targets.iter().all(|target| target.origin.scheme != Scheme::Unix)
    }
}

impl Workload {
    /// Mean number of turns of a session, rounded: the basis of user-centric load.
    pub(crate) fn mean_turns(&self) -> u64 {
        let roots: Vec<usize> = self
            .conversations
            .iter()
            .filter(|conversation| !matches!(conversation.lineage, Lineage::Child))
            .map(|conversation| conversation.turns.len())
            .collect();
        let all: usize = roots.iter().sum();
        (all as f64 / roots.len().max(1) as f64).round() as u64
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("workload", &self.workload)
            .field("sending", &self.sending)
            .field("workers", &self.workers)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workload")
            .field("phases", &self.phases)
            .field("conversations", &self.conversations.len())
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Error)]
pub enum EngineError {
    #[error("cannot start worker thread {worker}: {cause}")]
    Worker { worker: usize, cause: std::io::Error },
    #[error("{0}")]
    Hook(String),
    #[error("all worker threads stopped while requests were still in flight")]
    WorkersGone,
}
