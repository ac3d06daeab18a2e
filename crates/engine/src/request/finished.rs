//! A finished request, as the record threads get it.

use std::io;
use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_endpoint::BuildError;
use aiperf_protocol::{RequestOutcome, RunOutcome};
use aiperf_transport::{Exchange, TransportError};
use bytes::Bytes;
use uuid::Uuid;

use crate::request::credit::Session;
use crate::request::follow_up::FollowUp;
use crate::request::streamed_body::{ReadPart, StreamedBody};

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
    /// Its body lacks what was read while it arrived.
    pub exchange: Exchange,
    /// Present if record threads read the body while it arrived.
    pub streamed: Option<Arc<StreamedBody>>,
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
    /// The response was spilled to disk and could not be read back.
    SpillLost(io::Error),
}

impl Finished {
    /// Bytes of memory that it takes while it waits for its record.
    pub(crate) fn memory(&self) -> usize {
        // The data set keeps its own bodies.
        let body = if self.body_is_fixed { 0 } else { self.body.len() };
        size_of::<Self>() + self.exchange.memory() + body
    }

    /// Reads the rest of a body that was read while it arrived, and takes out what was read. For any other body only the marks are
    /// counted. Reads whose bytes waited longer than `longest` are remembered. Also returns the bytes of memory of segments that waited.
    pub(crate) fn read_rest(&mut self, longest: Nanos) -> (ReadPart, usize) {
        if let Some(body) = self.streamed.take() {
            body.read_rest(&self.exchange.take_last_segment(), longest)
        } else {
            let mut part = ReadPart::default();
            part.reads.add(&self.exchange.marks, longest);
            (part, 0)
        }
    }
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
