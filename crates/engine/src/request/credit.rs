//! Permission to send one turn, and its way back.

use std::sync::{Arc, Mutex};

use aiperf_clock::{Mono, Nanos};
use aiperf_endpoint::{BuildError, History};
use bytes::Bytes;

use crate::request::bodies::Lease;

/// One run-time instance of a conversation. All its turns go to one worker and one server.
#[derive(Debug)]
pub struct Session {
    /// Index into the plan's conversations.
    pub conversation: usize,
    /// The same of the conversation that it was started for, be it at several removes.
    pub root_conversation: usize,
    pub correlation_id: String,
    /// Index into the plan's targets.
    pub target: usize,
    /// How many conversations stand between this one and its root.
    pub depth: u32,
    pub parent_correlation_id: Option<String>,
    pub root_correlation_id: String,
    /// What was said so far, for conversations whose history is live.
    pub history: Mutex<History>,
    pub(crate) worker: usize,
    /// The phase that started it. News of it after that phase is over concerns nobody.
    pub phase: usize,
    /// Counts the sessions of the phase; those that others started have the number of their root.
    pub number: u64,
    /// How many turns this session sends.
    pub(crate) turns: usize,
    /// Distinguishes the sessions of a phase.
    pub(crate) id: SessionKey,
    pub(crate) is_root: bool,
    /// Says that the session is over when the last who knows it lets go.
    pub(crate) _lease: Lease,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SessionKey(pub(crate) u64);

/// Where the body of a turn is.
#[derive(Debug)]
pub(crate) enum TurnBody {
    /// With the plan's bodies.
    Fixed,
    /// Here: it was made from replies, or could not be.
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
    /// Give the request up this long after it was sent.
    pub(crate) cancel_after: Option<Nanos>,
    /// Tell when the first content comes.
    pub(crate) watch_first_token: bool,
    pub(crate) follow_up: FollowUpNeed,
    /// Asks for one token only.
    pub(crate) is_brief: bool,
    /// No further turn of this session will be sent.
    pub(crate) is_last: bool,
}

/// When somebody must have read the reply before the session goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FollowUpNeed {
    Never,
    /// What went wrong decides whether it goes on.
    OnFailure,
    /// The next turn, or a fork, is made of the reply.
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
    pub(crate) end: ReturnedAs,
    /// Content came before the end, and was told.
    pub(crate) first_token_told: bool,
    /// A [`FollowUp`] will bring what comes next.
    pub(crate) follow_up: bool,
    /// No connection to the server could be made: when that was begun.
    pub(crate) unreachable_since: Option<Mono>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReturnedAs {
    /// A whole response came, whatever it says.
    Complete,
    /// No whole response, or one that is no success.
    Failed,
    /// Ended by the client at the end of the phase.
    Cut,
}
