//! What really happened to one request, as the server saw it.

pub(crate) mod log;

use aiperf_clock::{Mono, StampSource, WallAnchor};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// One finished request. Stamps are on the machine's monotonic clock, which every process on it shares.
#[derive(Debug, Clone)]
pub struct TruthRecord {
    /// Number of the request in order of arrival, from zero.
    pub index: u64,
    pub request_id: Option<String>,
    pub correlation_id: Option<String>,
    pub method: String,
    /// The target as sent, with its query.
    pub path: String,
    /// Number of the connection in order of its first request on record, from zero.
    pub connection: u64,
    /// Number of the request on its connection, from zero.
    pub connection_request: u64,
    /// When the first byte came in, and when the last one did.
    pub first_byte: Mono,
    pub arrival: Mono,
    /// Who took these times: the kernel, or on HTTP/2 and on systems without receive stamps the thread that read.
    pub stamped_by: StampSource,
    /// When the request got a place in the batch.
    pub admitted: Option<Mono>,
    /// When its first token was made: the stamp of its first chunk, or in a reply in one piece the time at which that token was due.
    pub first_token: Option<Mono>,
    /// Inference requests that had arrived and were not finished, this one included. Zero for other requests.
    pub in_flight: u32,
    pub streaming: bool,
    pub prompt_tokens: Option<u32>,
    pub cached_tokens: Option<u32>,
    /// Output tokens that were written; reasoning tokens are among them.
    pub output_tokens: u32,
    pub reasoning_tokens: u32,
    /// For each chunk with content, the time just before the write that sent it: no client can have it earlier. A reply
    /// that is not streamed is one chunk.
    pub chunks: Vec<Mono>,
    /// Just before the last write, or when the reply was given up.
    pub end: Mono,
    pub status: u16,
    pub outcome: TruthOutcome,
    /// Whether the reply was held up on purpose part-way.
    pub stalled: bool,
    pub headers: Vec<(String, String)>,
    /// Kept when bodies were asked for.
    pub body: Option<String>,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TruthOutcome {
    /// The whole reply was written.
    Completed,
    /// The request was at fault: a status of 4xx that nobody injected.
    Refused,
    /// An injected error status.
    ErrorStatus,
    /// The connection was closed on purpose, without a word.
    Dropped,
    /// A reply that has no content, on purpose.
    Empty,
    /// An injected connection reset.
    Reset,
    /// An injected early end of the stream.
    Cut,
    /// An injected error object inside a reply of status 200.
    InbandError,
    /// The reply was whole but for an injected chunk that is not JSON.
    Malformed,
    /// The client went away first.
    ClientGone,
    /// The simulator was stopped first.
    ServerStopped,
}

impl TruthOutcome {
    /// As in the truth file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Refused => "refused",
            Self::ErrorStatus => "error_status",
            Self::Dropped => "dropped",
            Self::Empty => "empty",
            Self::Reset => "reset",
            Self::Cut => "cut",
            Self::InbandError => "inband_error",
            Self::Malformed => "malformed",
            Self::ClientGone => "client_gone",
            Self::ServerStopped => "server_stopped",
        }
    }
}

/// A record as one line of the truth file.
pub(crate) struct TruthLine<'a> {
    pub(crate) record: &'a TruthRecord,
    pub(crate) anchor: WallAnchor,
}

impl Serialize for TruthLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let r = self.record;
        let epoch = |at| self.anchor.epoch(at).0;
        let chunks: Vec<u64> = r.chunks.iter().map(|at| at.as_nanos()).collect();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("index", &r.index)?;
        map.serialize_entry("request_id", &r.request_id)?;
        map.serialize_entry("correlation_id", &r.correlation_id)?;
        map.serialize_entry("method", &r.method)?;
        map.serialize_entry("path", &r.path)?;
        map.serialize_entry("connection", &r.connection)?;
        map.serialize_entry("connection_request", &r.connection_request)?;
        map.serialize_entry("status", &r.status)?;
        map.serialize_entry("outcome", r.outcome.name())?;
        map.serialize_entry("streaming", &r.streaming)?;
        map.serialize_entry("stalled", &r.stalled)?;
        map.serialize_entry("in_flight", &r.in_flight)?;
        map.serialize_entry("prompt_tokens", &r.prompt_tokens)?;
        map.serialize_entry("cached_tokens", &r.cached_tokens)?;
        map.serialize_entry("output_tokens", &r.output_tokens)?;
        map.serialize_entry("reasoning_tokens", &r.reasoning_tokens)?;
        map.serialize_entry("first_byte_ns", &r.first_byte.as_nanos())?;
        map.serialize_entry("arrival_ns", &r.arrival.as_nanos())?;
        let stamped_by = match r.stamped_by {
            StampSource::Kernel => "kernel",
            StampSource::User => "user",
        };
        map.serialize_entry("stamped_by", stamped_by)?;
        map.serialize_entry("admitted_ns", &r.admitted.map(Mono::as_nanos))?;
        map.serialize_entry("first_token_ns", &r.first_token.map(Mono::as_nanos))?;
        map.serialize_entry("chunks_ns", &chunks)?;
        map.serialize_entry("end_ns", &r.end.as_nanos())?;
        map.serialize_entry("arrival_epoch_ns", &epoch(r.arrival))?;
        map.serialize_entry("end_epoch_ns", &epoch(r.end))?;
        // Added to any stamp of this line, this gives the wall clock.
        map.serialize_entry("epoch_offset_ns", &(i128::from(epoch(r.end)) - i128::from(r.end.as_nanos())))?;
        map.serialize_entry("headers", &r.headers)?;
        if let Some(body) = &r.body {
            map.serialize_entry("body", body)?;
        }
        map.end()
    }
}
