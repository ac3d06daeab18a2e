//! What can go wrong between the nodes of a run.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The bus did not answer, or refused.
    #[error("NATS: cannot {what}: {reason}")]
    Bus { what: String, reason: String },

    #[error(
        "cannot connect to NATS at {url}: {reason}. Is nats-server running? Check the URL, AIPERF_NATS_CA and the credentials."
    )]
    Connect { url: String, reason: String },

    #[error("{path}: {cause}")]
    File { path: PathBuf, cause: io::Error },

    #[error("a message in {place} cannot be read: {reason}. Do all nodes run the same version of aiperf?")]
    Message { place: String, reason: String },

    #[error(
        "only {found} of {wanted} nodes joined pool {pool} within {waited} s. Start `aiperf node --join URL` on each machine"
    )]
    TooFewNodes { found: usize, wanted: usize, pool: String, waited: u64 },

    #[error("{node} did not get ready: {reason}")]
    NodeFailed { node: String, reason: String },

    #[error(
        "run {run} is not known to this NATS server; `aiperf attach` needs the run ID that `aiperf profile --nodes` printed"
    )]
    UnknownRun { run: String },

    #[error("run {run} has a coordinator that is alive; stop it first, or wait until it is done")]
    CoordinatorAlive { run: String },

    #[error("a run with the ID {run} is on this NATS server; choose another --run-id, or `aiperf attach {run}`")]
    RunExists { run: String },

    #[error(
        "run {run} lost its coordinator before it started, so it has no results; its nodes were told to stop. Start it again"
    )]
    NotStarted { run: String },

    #[error("run {run} was taken over by another coordinator")]
    TakenOver { run: String },

    #[error("the file {name} that a node fetched has another content hash than the one announced")]
    WrongHash { name: String },

    #[error("records of {node} arrived with a gap: expected byte {expected} of {file}, got {got}")]
    Gap { node: String, file: String, expected: u64, got: u64 },

    #[error("{text:?} cannot be the name of a run or a pool: use letters, digits, hyphens and underscores, at most 64")]
    Name { text: String },

    #[error("interrupted")]
    Interrupted,
}

impl ClusterError {
    #[expect(clippy::needless_pass_by_value, reason = "errors and texts are passed as they are")]
    pub(crate) fn bus(what: impl Into<String>, reason: impl ToString) -> Self {
        Self::Bus { what: what.into(), reason: reason.to_string() }
    }

    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self::File { path, cause }
    }
}
