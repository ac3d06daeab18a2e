//! The trace of one exchange: what was read, and when each stage began and ended.

use std::net::SocketAddr;

use aiperf_clock::{Mono, Nanos, ReadMark};

use crate::error::TransportError;
use crate::redirect::Hop;

/// A stage with a beginning and an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageSpan {
    pub start: Mono,
    pub end: Mono,
}

impl StageSpan {
    pub const fn length(self) -> Nanos {
        self.end.since(self.start)
    }
}

/// The times of one exchange. A stage that was not reached or not needed is `None`.
#[derive(Debug, Clone, Default)]
pub struct ExchangeTrace {
    /// Wait for a free connection.
    pub blocked: Option<StageSpan>,
    /// Time spent on earlier attempts that the server left without an answer; `None` if the first attempt succeeded.
    pub lost: Option<Nanos>,
    pub dns: Option<StageSpan>,
    /// TCP handshake; with a proxy, until its tunnel is open.
    pub connect: Option<StageSpan>,
    pub tls: Option<StageSpan>,
    /// The connection was used before.
    pub reused: bool,
    /// The connection was opened ahead, and this is its first request: `dns`, `connect` and `tls` lie before the request.
    pub preconnected: bool,
    /// First byte offered to the socket.
    pub send_start: Option<Mono>,
    /// Last byte accepted by the socket.
    pub send_end: Option<Mono>,
    /// The read that completed the response head.
    pub headers_received: Option<Mono>,
    pub local: Option<SocketAddr>,
    pub remote: Option<SocketAddr>,
    pub head_bytes_sent: u64,
    pub body_bytes_sent: u64,
    /// Writes that carried body bytes.
    pub writes: u64,
    pub head_bytes_received: u64,
}

/// How large a response was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExchangeSize {
    body: usize,
    marks: usize,
}

impl ExchangeSize {
    /// One segment of a stream, for a first response whose size is not known.
    pub const SEGMENT: Self = Self { body: BodySegment::LENGTH, marks: 16 };
}

/// Consecutive bytes of a body that is still arriving, with the marks of their reads. The last read ends the segment, and the ends of
/// the marks count from its start.
#[derive(Debug, Clone, Default)]
pub struct BodySegment {
    pub bytes: Vec<u8>,
    pub marks: Vec<ReadMark>,
}

impl BodySegment {
    /// Usual length. An open stream takes this much memory for its body; a shorter segment costs more hand-overs.
    pub const LENGTH: usize = 4096;

    /// Bytes of memory.
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + self.marks.capacity() * size_of::<ReadMark>()
    }
}

/// The part of a body that was taken out of its exchange while the rest was still arriving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TakenPart {
    bytes: usize,
    reads: usize,
    first: Option<Mono>,
    last: Option<Mono>,
}

/// One request and what came back. Filled while the exchange runs, so that a caller who abandons it still has the part
/// that happened.
#[derive(Debug, Clone, Default)]
pub struct Exchange {
    pub trace: ExchangeTrace,
    pub status: Option<u16>,
    pub reason: String,
    pub headers: Vec<(String, String)>,
    /// The decoded body, without the segments that were taken out.
    pub body: Vec<u8>,
    /// One mark per read that carried bytes of [`Self::body`].
    pub marks: Vec<ReadMark>,
    /// See [`Self::take_segment`].
    pub taken: TakenPart,
    /// Headers after the body of an HTTP/2 response.
    pub trailers: Vec<(String, String)>,
    /// Redirects that were followed. Everything else is about the response at their end.
    pub redirects: Vec<Hop>,
    /// Longest decoded body: one that never ends must not fill the memory.
    pub body_limit: BodyLimit,
    /// How often the request was sent again because the server had closed the connection or did not accept the request.
    pub resent: u32,
}

/// Bytes that a decoded response body may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyLimit(pub usize);

impl Default for BodyLimit {
    /// Many times the size of a usual response; images and videos in base64 stay below it, too.
    fn default() -> Self {
        Self(256 << 20)
    }
}

/// Most bytes that are reserved ahead: longer responses are rare, and many may be in flight.
const MOST_RESERVED: usize = 64 * 1024;

impl Exchange {
    /// Empty, with room for a response of the size of `like`, so that it does not grow chunk by chunk.
    pub fn sized(like: ExchangeSize) -> Self {
        Self {
            body: Vec::with_capacity(like.body.min(MOST_RESERVED)),
            marks: Vec::with_capacity(like.marks.min(MOST_RESERVED / size_of::<ReadMark>())),
            ..Self::default()
        }
    }

    pub fn size(&self) -> ExchangeSize {
        let body = if self.taken.bytes > 0 { BodySegment::LENGTH } else { self.body.len() };
        ExchangeSize { body, marks: self.marks.len() }
    }

    /// Takes out what has arrived of the body, so that it need not be kept until the response ends. There is room for another segment.
    pub fn take_segment(&mut self) -> BodySegment {
        self.replace_body(Vec::with_capacity(BodySegment::LENGTH), Vec::with_capacity(self.marks.len() + 1))
    }

    /// Takes out what is left of the body. Nothing more arrives.
    pub fn take_last_segment(&mut self) -> BodySegment {
        self.replace_body(Vec::new(), Vec::new())
    }

    fn replace_body(&mut self, body: Vec<u8>, marks: Vec<ReadMark>) -> BodySegment {
        self.taken = TakenPart {
            bytes: self.body_length(),
            reads: self.reads(),
            first: self.first_body_byte(),
            last: self.last_body_byte(),
        };
        BodySegment { bytes: std::mem::replace(&mut self.body, body), marks: std::mem::replace(&mut self.marks, marks) }
    }

    /// Bytes of the whole decoded body so far.
    pub fn body_length(&self) -> usize {
        self.taken.bytes + self.body.len()
    }

    /// Reads that carried body bytes.
    pub fn reads(&self) -> usize {
        self.taken.reads + self.marks.len()
    }

    /// Bytes of memory that the response takes.
    pub fn memory(&self) -> usize {
        /// Of the two strings of a header, with what the allocator adds.
        const HEADER: usize = 2 * size_of::<String>() + 64;
        self.body.capacity()
            + self.marks.capacity() * size_of::<ReadMark>()
            + (self.headers.len() + self.trailers.len()) * HEADER
    }

    /// Discards an attempt that began at `began` and was left without an answer, so that the request can be sent again. The
    /// request counts as resent if any byte of it was sent.
    pub(crate) fn set_attempt_aside(&mut self, began: Mono) {
        let lost = self.trace.lost.unwrap_or_default() + Mono::now().since(began);
        self.resent += u32::from(self.trace.head_bytes_sent > 0);
        self.trace = ExchangeTrace { lost: Some(lost), ..ExchangeTrace::default() };
    }

    /// Discards the response, and keeps the redirects and the number of resends.
    pub(crate) fn begin_again(&mut self) {
        self.trace = ExchangeTrace::default();
        self.status = None;
        self.reason.clear();
        self.headers.clear();
        self.body.clear();
        self.marks.clear();
        self.taken = TakenPart::default();
        self.trailers.clear();
    }

    /// Fails if the body has grown too long, and gives its memory back.
    pub(crate) fn check_length(&mut self) -> Result<(), TransportError> {
        let BodyLimit(limit) = self.body_limit;
        if self.body_length() <= limit {
            return Ok(());
        }
        self.body = Vec::new();
        self.marks = Vec::new();
        Err(TransportError::BodyTooLong { limit })
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// When the read that brought the first body byte had arrived.
    pub fn first_body_byte(&self) -> Option<Mono> {
        self.taken.first.or_else(|| self.marks.first().map(|m| m.at))
    }

    /// When the last body byte arrived.
    pub fn last_body_byte(&self) -> Option<Mono> {
        self.marks.last().map(|m| m.at).or(self.taken.last)
    }

    /// Whether the status is 2xx, and for a gRPC call also OK.
    pub fn is_success(&self) -> bool {
        let well = self.status.is_some_and(|s| (200..300).contains(&s));
        well && (!self.is_grpc() || self.grpc_status() == Some("0"))
    }
}
