//! A finished request, as the record threads get it.

use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_endpoint::BuildError;
use aiperf_transport::{Exchange, TransportError};
use bytes::Bytes;
use uuid::Uuid;

use crate::request::credit::Session;
use crate::request::follow_up::FollowUp;

#[derive(Debug)]
pub struct Finished {
    /// Index of the phase in the plan.
    pub phase: usize,
    pub session: Arc<Session>,
    pub turn: usize,
    /// Position in the order of sending within the phase.
    pub number: u64,
    pub request_id: Uuid,
    pub worker: usize,
    pub due: Mono,
    pub issued: Mono,
    /// Taken just before the exchange began.
    pub start: Mono,
    pub end: Mono,
    pub exchange: Exchange,
    pub outcome: Outcome,
    /// The body that was sent; empty if it could not be made.
    pub body: Bytes,
    /// The body is the data set's own: the same bytes whenever this turn is sent.
    pub body_is_fixed: bool,
    /// The request asked for a single token.
    pub is_single_token: bool,
    /// Present when the session waits for what the reply makes possible.
    pub follow_up: Option<FollowUp>,
}

#[derive(Debug)]
pub enum Outcome {
    /// A whole response was read, whatever its status.
    Complete,
    Failed(TransportError),
    /// Nothing was sent, because the body could not be made.
    NotSent(BuildError),
    /// Over the request timeout.
    TimedOut,
    /// It was to be cancelled on purpose, and sending it took too long.
    SendTimedOut {
        limit: Nanos,
    },
    /// Cancelled on purpose, as `--request-cancellation-rate` asks.
    CancelledOnPurpose {
        after: Nanos,
    },
    /// Ended by the client before the server was done.
    Cut(CutReason),
}

impl Outcome {
    /// Whether no connection to the server could be made.
    pub(crate) fn is_unreachable(&self, exchange: &Exchange) -> bool {
        match self {
            Self::Failed(error) => error.is_unreachable(),
            Self::TimedOut => !exchange.trace.reused && exchange.trace.connect.is_none(),
            _ => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutReason {
    /// In flight when duration and grace period were over.
    Deadline,
    /// In flight when the user stopped the run.
    Interrupt,
    /// In flight when the run was stopped because too many requests failed.
    FailedRequests,
    /// In flight when the run was stopped because its warm-up failed.
    FailedWarmup,
    /// In flight when the run was stopped because the server could not be reached.
    Unreachable,
    /// In flight when a thread of the client panicked.
    Defect,
}
