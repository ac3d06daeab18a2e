//! A finished request, as the record threads get it.

use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_endpoint::BuildError;
use aiperf_protocol::{RequestOutcome, RunOutcome};
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
    /// Whether a complete response was read, with any status.
    pub result: Result<(), ExchangeError>,
    /// The body that was sent; empty if it could not be built.
    pub body: Bytes,
    /// The body is the data set's own: the same bytes whenever this turn is sent.
    pub body_is_fixed: bool,
    /// The request asked for a single token.
    pub is_single_token: bool,
    /// Present when the session waits for what the reply makes possible.
    pub follow_up: Option<FollowUp>,
}

/// Why a request has no complete response.
#[derive(Debug)]
pub enum ExchangeError {
    Transport(TransportError),
    /// Nothing was sent, because the body could not be built.
    NotSent(BuildError),
    /// Over the request timeout.
    TimedOut,
    /// To be cancelled on purpose after it was sent, but sending took longer than this.
    SendTimedOut {
        limit: Nanos,
    },
    /// Cancelled on purpose this long after it was sent (`--request-cancellation-rate`).
    CancelledOnPurpose {
        after: Nanos,
    },
    /// In flight when the phase ended in this way and its grace period was over.
    CutOff(RunOutcome),
}

impl ExchangeError {
    /// Whether no connection to the server could be made.
    pub(crate) fn is_unreachable(&self, exchange: &Exchange) -> bool {
        match self {
            Self::Transport(error) => error.is_unreachable(),
            Self::TimedOut => !exchange.trace.reused && exchange.trace.connect.is_none(),
            _ => false,
        }
    }
}

/// How a request ended as far as the scheduler can tell: it does not know what a response says.
pub(crate) fn outcome_of(result: &Result<(), ExchangeError>, exchange: &Exchange) -> RequestOutcome {
    match result {
        Ok(()) if exchange.is_success() => RequestOutcome::Success,
        Err(ExchangeError::CutOff(_)) => RequestOutcome::CutOff,
        _ => RequestOutcome::Failed,
    }
}
