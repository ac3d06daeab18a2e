//! What is known of one finished request before any metric is computed.

use aiperf_clock::{Mono, Nanos};
use aiperf_protocol::{
    ContentChunk, Delivery, FailureKind, RequestOutcome, ServerTimes, SpecDecode, Usage, VideoReport,
};

use crate::OverflowSigns;

/// One finished request, success or failure.
#[derive(Debug, Clone)]
pub struct Observation {
    /// When the schedule wanted it sent; in closed loop, when its slot was free.
    pub due: Mono,
    /// When permission to send was given.
    pub credit_issued: Mono,
    /// When the client began on the request: connect, TLS and send come after it, without a wait for other requests.
    pub start: Mono,
    /// The time in the client from permission to send until the first byte left: without name lookup, connecting and lost
    /// attempts. `None` if nothing was sent.
    pub client_send_delay: Option<Nanos>,
    /// Response headers read, for 2xx.
    pub headers_received: Option<Mono>,
    /// When the exchange was over: stream drained, or the failure noticed.
    pub end: Mono,
    /// Content events in order; empty on failure.
    pub chunks: Vec<ContentChunk>,
    /// Whether content came event by event, or as one document.
    pub delivery: Delivery,
    pub tokens: TokenCounts,
    pub usage: Option<Usage>,
    /// What the server says of its speculative decoding.
    pub spec_decode: Option<SpecDecode>,
    /// What the server says of the times of this request.
    pub server_times: ServerTimes,
    pub http: Option<HttpTiming>,
    /// How often it was sent again, because the server had left the connection or did not take the request.
    pub resent: u32,
    pub failure: Option<Failure>,
    pub requested_output_tokens: Option<u32>,
    /// Where the data or its description says how long the whole prompt shall be.
    pub requested_input_tokens: Option<u32>,
    /// Events of the response that could not be read and were passed over.
    pub undecodable_events: u32,
    /// Of the prompt, if the data says which blocks it is made of.
    pub prefix: Option<PrefixBlocks>,
    pub media: MediaFacts,
}

impl Observation {
    /// A request without content that was sent as soon as it was due, and of which nothing but its times is known.
    pub fn new(start: Mono, end: Mono) -> Self {
        Self {
            due: start,
            credit_issued: start,
            start,
            client_send_delay: None,
            headers_received: None,
            end,
            chunks: Vec::new(),
            delivery: Delivery::Events,
            tokens: TokenCounts::default(),
            usage: None,
            spec_decode: None,
            server_times: ServerTimes::default(),
            http: None,
            resent: 0,
            failure: None,
            requested_output_tokens: None,
            requested_input_tokens: None,
            undecodable_events: 0,
            prefix: None,
            media: MediaFacts::default(),
        }
    }

    pub fn outcome(&self) -> RequestOutcome {
        self.failure.as_ref().map_or(RequestOutcome::Success, |failure| failure.outcome)
    }
}

/// What is known of the media of a request and of its answer.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MediaFacts {
    /// Images that were sent.
    pub images: u64,
    /// How long the audio plays that was sent.
    pub audio_seconds: Option<f64>,
    /// What the server says of the making of a video.
    pub video: Option<VideoReport>,
}

/// Blocks of a prompt, and how many of its first ones had been sent before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PrefixBlocks {
    pub blocks: u64,
    pub reused: u64,
}

/// Counted by the client's tokenizer, or taken from usage when the user asked for that. `None`: not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenCounts {
    pub input: Option<u64>,
    pub output: Option<u64>,
    pub reasoning: Option<u64>,
}

/// The stages of the HTTP exchange. They do not overlap: `sending` starts when the connection is ready.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HttpTiming {
    pub blocked: Nanos,
    /// Attempts without an answer, of requests that were sent again.
    pub lost: Option<Nanos>,
    pub dns_lookup: Nanos,
    /// TCP and TLS.
    pub connecting: Nanos,
    /// The TLS part of it, if there was one.
    pub tls: Option<Nanos>,
    pub sending: Nanos,
    pub waiting: Nanos,
    pub receiving: Nanos,
    pub reused: bool,
    pub body_bytes_sent: u64,
    pub writes: u64,
    pub body_bytes_received: u64,
    pub reads: u64,
}

/// Why a request failed, in the words of the records file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Failure {
    /// HTTP status; 499 when the client cancelled; `None` for transport errors.
    pub code: Option<u16>,
    pub kind: FailureKind,
    pub message: String,
    /// The error beneath a failure without a status.
    pub cause: Option<Cause>,
    /// How the request counts; never [`RequestOutcome::Success`].
    pub outcome: RequestOutcome,
    /// What this machine had none left of, if that kept the request from being sent.
    pub shortage: Option<Shortage>,
}

impl Failure {
    /// Status of a request that the client itself ended (nginx's "client closed request").
    const CLIENT_CLOSED: u16 = 499;

    /// A failure of the connection, the server or the answer.
    pub fn new(code: Option<u16>, kind: FailureKind, message: impl Into<String>) -> Self {
        let is_not_ready = matches!(code, Some(502..=504)) || kind == FailureKind::Connect;
        let outcome = if is_not_ready { RequestOutcome::ServerNotReady } else { RequestOutcome::Failed };
        Self { code, kind, message: message.into(), cause: None, outcome, shortage: None }
    }

    /// A request that the client ended, in the words that scripts look for.
    pub fn cancelled(outcome: RequestOutcome, message: impl Into<String>) -> Self {
        Self {
            code: Some(Self::CLIENT_CLOSED),
            kind: FailureKind::Cancelled,
            message: message.into(),
            cause: None,
            outcome,
            shortage: None,
        }
    }

    #[must_use]
    pub fn with_cause(self, cause: Option<Cause>) -> Self {
        Self { cause, ..self }
    }

    /// A shortage on this machine says nothing about the server.
    #[must_use]
    pub fn with_shortage(self, shortage: Option<Shortage>) -> Self {
        let outcome = if shortage.is_some() { RequestOutcome::Failed } else { self.outcome };
        Self { outcome, shortage, ..self }
    }

    /// Counts it as a context overflow if the server's message says so.
    #[must_use]
    pub fn recognize_overflow(self, signs: &OverflowSigns) -> Self {
        let is_overflow = !self.outcome.is_cancelled() && signs.are_in(&self.message);
        let outcome = if is_overflow { RequestOutcome::ContextOverflow } else { self.outcome };
        Self { outcome, ..self }
    }

    pub fn is_context_overflow(&self) -> bool {
        self.outcome == RequestOutcome::ContextOverflow
    }
}

/// The error beneath a [`Failure`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cause {
    pub kind: String,
    pub message: String,
}

/// A limited resource of this machine that every connection takes one of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shortage {
    /// File descriptors of this process, or of the whole system.
    Descriptors,
    /// Local ports to the server's address.
    Ports,
}
