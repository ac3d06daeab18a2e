//! Permission to send one turn, and its way back.

use std::sync::Arc;

use aiperf_clock::Mono;

/// One run-time instance of a conversation. All its turns go to one worker and one server.
#[derive(Debug)]
pub struct Session {
    /// Index into the plan's conversations.
    pub conversation: usize,
    pub correlation_id: String,
    /// Index into the plan's targets.
    pub target: usize,
    pub(crate) worker: usize,
    pub(crate) turns: usize,
}

/// Handed to a worker when a turn is to be sent.
#[derive(Debug)]
pub(crate) struct Credit {
    pub(crate) session: Arc<Session>,
    pub(crate) turn: usize,
    /// Counts every turn of the phase from zero.
    pub(crate) number: u64,
    pub(crate) phase: usize,
    pub(crate) due: Mono,
    pub(crate) issued: Mono,
}

/// Comes back when the exchange is over, however it ended.
#[derive(Debug)]
pub(crate) struct Returned {
    pub(crate) session: Arc<Session>,
    pub(crate) turn: usize,
    pub(crate) at: Mono,
    pub(crate) cut: bool,
}
