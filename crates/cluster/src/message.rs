//! What the coordinator and the nodes tell each other. All of it is JSON, so that `nats kv get` shows it.

use std::collections::BTreeMap;

use aiperf_config::{CoordinatorLossPolicy, NodeLossPolicy, SentShare};
use serde::{Deserialize, Serialize};

use crate::ClusterError;
use crate::clock_offset::{ClockReading, ClockSegment};

/// A node that waits for a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeCard {
    /// Drawn when the process starts: two processes never share one.
    pub id: String,
    pub host: String,
    /// The address that it reaches NATS from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    pub process: u32,
    pub processors: usize,
    pub version: String,
}

impl NodeCard {
    /// The card of this process.
    pub fn of_this_process(id: String, address: Option<String>, version: &str) -> Self {
        Self {
            id,
            host: aiperf_socket::host_name(),
            address,
            process: std::process::id(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            version: version.to_owned(),
        }
    }
}

/// What a run sends. Numbers are those of the whole run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSpec {
    pub run: String,
    pub version: String,
    pub nodes: u64,
    /// Options of `aiperf profile` by name, with secrets redacted.
    pub options: Vec<(String, Vec<String>)>,
    /// Environment variables that change a run.
    pub variables: BTreeMap<String, String>,
    /// Files that options name.
    pub files: Vec<SharedFile>,
    /// Names of options and variables whose values are secrets: a node asks the coordinator for them.
    pub secrets: Vec<String>,
    /// The command of the coordinator, with secrets redacted.
    pub command: String,
    /// The configuration of the whole run, as its summary has it.
    #[serde(default)]
    pub input_config: serde_json::Value,
    pub on_node_loss: NodeLossPolicy,
    pub on_coordinator_loss: CoordinatorLossPolicy,
}

/// A file that each node gets from the object store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedFile {
    /// The value of the option, as it was given.
    pub named: String,
    /// Path within a folder that is shared as a whole; empty for a single file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub within: String,
    /// SHA-256 of its content, in hexadecimal digits: its name in the object store.
    pub hash: String,
}

/// Where a node is in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodePhase {
    Preparing,
    /// It has all it needs and waits for the start.
    Ready,
    Running,
    /// All of its files are in the stream.
    Finished,
    Failed(String),
}

/// A node in a run, as the bucket of the run has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MemberEntry {
    pub(crate) card: NodeCard,
    pub(crate) phase: NodePhase,
}

/// Which share of which run a node sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AssignmentEntry {
    pub(crate) run: String,
    /// The number of the node in the run.
    pub(crate) index: u64,
    /// The share that it sends: that of its number, unless it replaces a lost node.
    pub(crate) share: u64,
    pub(crate) count: u64,
    /// What the lost node has sent of it.
    pub(crate) after: Option<SentShare>,
}

/// Which node sends the rest of the share of a lost one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReplacementEntry {
    /// The number of the replacement in the run.
    pub(crate) slot: u64,
    pub(crate) share: u64,
    /// Where it begins.
    pub(crate) after: SentShare,
}

/// The common start of a phase, in the coordinator's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartOrder {
    pub at_ns: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StopOrder {
    pub(crate) reason: String,
}

/// Requests of one phase that a node has sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseSent {
    pub phase: String,
    pub sent: u64,
}

/// What a node has done in its current phase.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Name of the phase; empty before the first one.
    pub phase: String,
    pub sent: u64,
    pub returned: u64,
    pub failed: u64,
    /// Requests that the phase will send, if that is known.
    pub expected: Option<u64>,
    /// Requests of all phases that have a record.
    pub recorded: u64,
    /// Requests of the phases before this one, in their order.
    #[serde(default)]
    pub before: Vec<PhaseSent>,
    /// Phases that follow this one.
    #[serde(default)]
    pub phases_left: u64,
    /// When they were counted, on the node's clock.
    pub at_ns: u64,
}

impl Counters {
    /// Requests of the phases before this one.
    pub(crate) fn sent_before(&self) -> u64 {
        self.before.iter().map(|phase| phase.sent).sum()
    }

    /// Requests of all phases.
    pub(crate) fn sent_in_all(&self) -> u64 {
        self.sent + self.sent_before()
    }

    /// Requests of each phase that has begun.
    pub(crate) fn by_phase(&self) -> Vec<PhaseSent> {
        let current = PhaseSent { phase: self.phase.clone(), sent: self.sent };
        self.before.iter().cloned().chain(Some(current).filter(|current| !current.phase.is_empty())).collect()
    }
}

/// Sign of life of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Heartbeat {
    pub(crate) node: String,
    pub(crate) index: u64,
    pub(crate) counters: Counters,
    pub(crate) clock: Option<ClockReading>,
    /// The number of the phase that it is ready for and whose start it waits for.
    #[serde(default)]
    pub(crate) waits_for: Option<u64>,
    /// Bytes of records that are on the node's disk only.
    pub(crate) unshipped: u64,
    /// Processor time of the process in percent of one processor.
    pub(crate) cpu_percent: f64,
    /// Distribution of the latencies so far.
    #[serde(default)]
    pub(crate) sketches: BTreeMap<String, Vec<(u32, u64)>>,
}

/// Sign of life of the coordinator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CoordinatorBeat {
    pub(crate) coordinator: String,
}

/// The answer to a clock probe, in the coordinator's time.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct ClockAnswer {
    pub(crate) received_ns: u64,
    pub(crate) sent_ns: u64,
}

/// How a node ended, as the stream has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeEnd {
    /// Why it is not complete, if it is not.
    pub failure: Option<String>,
    pub counters: Counters,
    /// Files that are in the stream and that the node has removed since: they belong to a run that goes on.
    #[serde(default)]
    pub removed: Vec<String>,
    /// The process was killed, and another one sent what it had left on its disk.
    #[serde(default)]
    pub is_killed: bool,
}

impl NodeEnd {
    pub(crate) fn new(failure: Option<String>, counters: Counters) -> Self {
        Self { failure, counters, removed: Vec::new(), is_killed: false }
    }
}

/// What a process that was killed had sent, by its journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KilledNode {
    pub(crate) reason: String,
    /// Exact, unlike those of a heartbeat.
    pub(crate) counters: Counters,
    /// Requests among them that had not left the node.
    pub(crate) unsent: u64,
}

/// What nodes ask the coordinator for, because it is not stored on the bus.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSecrets {
    /// Options with their values, by name.
    pub options: Vec<(String, Vec<String>)>,
    /// Variables that the configuration file of the run refers to.
    pub variables: BTreeMap<String, String>,
}

impl RunSecrets {
    /// What they are secrets of.
    pub fn names(&self) -> Vec<String> {
        self.options.iter().map(|(name, _)| name).chain(self.variables.keys()).cloned().collect()
    }
}

impl std::fmt::Debug for RunSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RunSecrets").field(&self.names()).finish()
    }
}

/// What `node.json` of a node's folder has for the merge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeFacts {
    pub index: u64,
    pub count: u64,
    pub host: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    pub state: String,
    /// Offsets of the node's clock over the run.
    pub clock: Vec<ClockSegment>,
    /// Requests that were under way when the node was lost.
    #[serde(default)]
    pub lost_requests: u64,
    /// How it is known what a lost node had sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<LossFacts>,
    /// The number of the node that sent the rest of its share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<u64>,
}

impl NodeFacts {
    /// Its name in the folder of a node.
    pub const FILE: &str = "node.json";
}

/// How it is known what a lost node had sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LossFacts {
    pub known_by: KnownBy,
    /// Requests that were to be sent and that had not left the node, among those that were under way.
    pub unsent_requests: u64,
    /// When the node was last heard or counted a request, on its own clock.
    pub last_heard_ns: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KnownBy {
    /// The journal of the node: exact.
    Journal,
    /// The last heartbeat: what it sent later is not known.
    LastHeartbeat,
}

pub(crate) fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    // None of the types has a map with keys that are not text, so that this cannot fail.
    serde_json::to_vec(value).unwrap_or_default()
}

pub(crate) fn decode<'a, T: Deserialize<'a>>(place: &str, bytes: &'a [u8]) -> Result<T, ClusterError> {
    serde_json::from_slice(bytes)
        .map_err(|error| ClusterError::Message { place: place.to_owned(), reason: error.to_string() })
}
