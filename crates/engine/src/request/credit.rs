//! Permission to send one turn, and its way back.

use std::sync::{Arc, Mutex};

use aiperf_clock::{Mono, Nanos};
use aiperf_endpoint::{BuildError, History};
use aiperf_protocol::RequestOutcome;
use bytes::Bytes;

use crate::request::bodies::ConversationLease;

/// One run-time instance of a conversation. All its turns go to one worker and one server.
#[derive(Debug)]
pub struct Session {
    /// Index into the plan's conversations.
    pub conversation: usize,
    /// Index of the conversation at the root of the tree that this session belongs to.
    pub root_conversation: usize,
    pub correlation_id: String,
    /// Index into the plan's targets.
    pub target: usize,
    /// How many sessions stand above this one: 0 for a root.
    pub depth: u32,
    pub parent_correlation_id: Option<String>,
    pub root_correlation_id: String,
    /// Earlier turns and replies, for conversations whose history is live.
    pub(crate) history: Mutex<History>,
    pub(crate) worker: usize,
    /// The phase that started it. Events of it that come in after that phase are ignored.
    pub phase: usize,
    /// Counts the sessions of the phase; a session that another one started has the number of its root.
    pub number: u64,
    /// How many turns this session sends.
    pub(crate) turns: usize,
    /// Distinguishes the sessions of a phase.
    pub(crate) id: SessionKey,
    pub(crate) is_root: bool,
    /// Reports the end of the session when the last reference to it is dropped.
    pub(crate) _lease: ConversationLease,
}

impl Session {
    /// Reads or extends what was said so far. `None` if a thread panicked while it did so.
    pub fn with_history<T>(&self, change: impl FnOnce(&mut History) -> T) -> Option<T> {
        self.history.lock().ok().map(|mut history| change(&mut history))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SessionKey(pub(crate) u64);

/// Where the body of a turn is.
#[derive(Debug)]
pub(crate) enum TurnBody {
    /// The workload's bodies have it.
    Fixed,
    /// It was made from replies, or could not be made.
    FromReplies(Result<Bytes, BuildError>),
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
    pub(crate) body: TurnBody,
    /// A limit held it back after it was due, so its lateness is not the client's.
    pub(crate) held_back: bool,
    /// Cancel the request this long after it was sent.
    pub(crate) cancel_after: Option<Nanos>,
    /// Report when the first content comes.
    pub(crate) watch_first_token: bool,
    pub(crate) follow_up: FollowUpNeed,
    /// The request asks for a single token.
    pub(crate) is_single_token: bool,
    /// No further turn of this session will be sent.
    pub(crate) is_last: bool,
}

/// When the reply must have been read before the session continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FollowUpNeed {
    Never,
    /// The kind of the failure decides whether the session continues.
    OnFailure,
    /// The next turn, or a fork, is made from the reply.
    Always,
}

/// Comes back when the exchange is over, however it ended.
#[derive(Debug)]
pub(crate) struct Returned {
    pub(crate) session: Arc<Session>,
    /// The phase that sent it.
    pub(crate) phase: usize,
    pub(crate) turn: usize,
    pub(crate) due: Mono,
    pub(crate) at: Mono,
    /// As far as the worker can tell: it does not know what a response says.
    pub(crate) outcome: RequestOutcome,
    /// Content came before the end and was reported.
    pub(crate) first_token_told: bool,
    /// A [`FollowUp`](crate::FollowUp) will bring what comes next.
    pub(crate) follow_up: bool,
    /// The worker has started a request of its reserve in the place of this one.
    pub(crate) has_successor: bool,
    /// When the request began, if it could not connect to the server.
    pub(crate) unreachable_since: Option<Mono>,
}
