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
    /// The body that was sent; empty if there is none.
    pub body: Bytes,
    /// The body is the data set's own: the same bytes whenever this turn is sent.
    pub body_is_fixed: bool,
    /// It asked for one token only.
    pub is_brief: bool,
    /// Present when the session waits for what the reply makes possible.
    pub follow_up: Option<FollowUp>,
}

#[derive(Debug)]
pub enum Outcome {
    /// A whole response was read, whatever its status.
    Complete,
    Failed(TransportError),
    /// Nothing was sent, because there is no body.
    NotSent(BuildError),
    /// Over the request timeout.
    TimedOut,
    /// To be given up on purpose after it was sent, which took too long.
    SendTimedOut {
        limit: Nanos,
    },
    /// Given up on purpose, as `--request-cancellation-rate` asks.
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
    /// In flight when the run was given up because too many requests failed.
    FailedRequests,
    /// In flight when the run was given up because its warmup failed.
    FailedWarmup,
    /// In flight when the run was given up because the server could not be reached.
    Unreachable,
    /// In flight when a thread of the client panicked.
    Defect,
}
