//! What is known of one finished request before any metric is computed.

use aiperf_clock::{Mono, Nanos};
use aiperf_protocol::{ContentChunk, Delivery, SpecDecode, Usage, VideoReport};

/// One finished request, success or failure.
#[derive(Debug, Clone)]
pub struct Observation {
    /// When the schedule wanted it sent; in closed loop, when its slot was free.
    pub due: Mono,
    /// When permission to send was given.
    pub credit_issued: Mono,
    /// Just before the exchange began: connect, TLS and send come after it.
    pub start: Mono,
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
            headers_received: None,
            end,
            chunks: Vec::new(),
            delivery: Delivery::Events,
            tokens: TokenCounts::default(),
            usage: None,
            spec_decode: None,
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
    pub kind: String,
    pub message: String,
    /// What lay beneath a failure that has no status.
    pub cause: Option<Cause>,
    /// Why the client itself ended it, if it did.
    pub cancelled: Option<Cancellation>,
    /// The server refused the prompt as too long for the model.
    pub is_context_overflow: bool,
    /// What this machine had none left of, if that kept the request from being sent.
    pub shortage: Option<Shortage>,
}

impl Failure {
    /// Status of a request that the client itself ended (nginx's "client closed request").
    const CLIENT_CLOSED: u16 = 499;

    /// A request that the client ended, in the words that scripts look for.
    pub fn cancelled(why: Cancellation, message: impl Into<String>) -> Self {
        Self {
            code: Some(Self::CLIENT_CLOSED),
            kind: "RequestCancellationError".to_owned(),
            message: message.into(),
            cause: None,
            cancelled: Some(why),
            is_context_overflow: false,
            shortage: None,
        }
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

/// Why the client ended a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cancellation {
    /// `--request-cancellation-rate` picked it: a failed request.
    OnPurpose,
    /// The deadline or Ctrl-C came first. Says nothing about the server, so it is counted apart from failures.
    RunEnded,
}
