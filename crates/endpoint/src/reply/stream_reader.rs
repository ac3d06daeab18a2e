//! Reads a stream of events piece by piece while it arrives. What was read of it need not be kept.

use std::borrow::Cow;
use std::fmt::{self, Debug};

use aiperf_clock::{Mono, ReadMark};
use aiperf_protocol::{Reply, ReplyError};

use crate::ResponseBody;
use crate::reply::documents::{self, EventResult, StreamEnd};
use crate::reply::in_band;
use crate::reply::sse::{SseEvent, SseFrame, SseScanner};
use crate::reply::transcript::Transcript;

/// Reads one response that is still arriving. The result is the one of [`crate::Endpoint::read`] for the whole body, wherever
/// the body was cut.
pub trait ReplyReader: Debug + Send {
    /// Takes the next piece of the body with the marks of its reads, of which the last one ends the piece. The ends of the marks
    /// count from the start of the piece.
    fn feed(&mut self, piece: &[u8], marks: &[ReadMark]);

    /// The reply, after the last piece.
    fn finish(self: Box<Self>, content_type: Option<&str>) -> Result<Reply, ReplyError>;
}

/// Reads the documents of one response in the shape of an API.
pub(crate) trait EventParser {
    fn parse(&mut self, data: &str, transcript: &mut Transcript) -> EventResult;

    /// Adds to the reply what only the parser knows.
    fn complete(self, _reply: &mut Reply)
    where
        Self: Sized,
    {
    }
}

impl<F: FnMut(&str, &mut Transcript) -> EventResult> EventParser for F {
    fn parse(&mut self, data: &str, transcript: &mut Transcript) -> EventResult {
        self(data, transcript)
    }
}

/// Bytes at the start of a body that are kept for the error about a body without documents: enough for the characters that it
/// quotes.
const START: usize = 4 * documents::QUOTED_CHARS;

/// Reads the events of a stream.
pub(crate) struct EventReader<P> {
    parser: P,
    stream_end: StreamEnd,
    scanner: SseScanner,
    transcript: Transcript,
    failure: Option<ReplyError>,
}

impl<P: EventParser> EventReader<P> {
    pub(crate) fn new(stream_end: StreamEnd, parser: P) -> Self {
        let (scanner, transcript) = (SseScanner::new(), Transcript::default());
        Self { parser, stream_end, scanner, transcript, failure: None }
    }

    /// Reads the events that are complete in `bytes`. `arrival` tells when the byte before an offset had arrived.
    pub(crate) fn read_complete(&mut self, bytes: &[u8], arrival: impl Fn(usize) -> Mono) {
        while self.failure.is_none() {
            let Some(frame) = self.scanner.next_frame(bytes) else { return };
            self.read_event(bytes, &frame, arrival(frame.complete_at));
        }
    }

    /// Reads what is left after the last complete event. `bytes` are those of the last call, `end` is when the last one arrived.
    pub(crate) fn read_rest(&mut self, bytes: &[u8], end: Mono) {
        if self.failure.is_none()
            && let Some(frame) = self.scanner.last_frame(bytes)
        {
            self.read_event(bytes, &frame, end);
        }
    }

    fn read_event(&mut self, bytes: &[u8], frame: &SseFrame, at: Mono) {
        let event = SseEvent::read(bytes, frame);
        let is_error = event.name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("error"));
        if is_error && !self.transcript.is_over() {
            self.failure = Some(in_band::error_event(&event));
            return;
        }
        let data = event.data.as_deref().map(str::trim).unwrap_or_default();
        self.failure = documents::take(data, at, &mut self.transcript, &mut self.parser).err();
    }

    /// The reply. `start` is how the body begins.
    pub(crate) fn into_reply(self, start: &[u8], content_type: Option<&str>) -> Result<Reply, ReplyError> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let mut reply = documents::conclude(self.stream_end, self.transcript, start, content_type)?;
        self.parser.complete(&mut reply);
        Ok(reply)
    }
}

/// Reads a response whose type is that of an event stream.
pub(crate) struct PieceReader<P> {
    reader: EventReader<P>,
    shape: BodyShape,
    /// The body so far, unless it is a stream of events.
    whole: WholeBody,
    /// The start of an event that is not complete yet.
    rest: Vec<u8>,
    /// How the body begins, at most [`START`] bytes.
    start: Vec<u8>,
    last: Mono,
}

/// What a body is, whatever its type says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BodyShape {
    /// Nothing but white space has arrived.
    Unknown,
    Events,
    /// It is read when it is complete.
    Other,
}

#[derive(Default)]
struct WholeBody {
    bytes: Vec<u8>,
    marks: Vec<ReadMark>,
}

impl WholeBody {
    fn add(&mut self, piece: &[u8], marks: &[ReadMark]) {
        let before = self.bytes.len();
        self.bytes.extend_from_slice(piece);
        self.marks.extend(marks.iter().map(|mark| ReadMark { end: mark.end + before, ..*mark }));
    }

    fn shape(&self) -> BodyShape {
        if self.bytes.trim_ascii().is_empty() {
            return BodyShape::Unknown;
        }
        let body = ResponseBody { content_type: Some(EVENT_STREAM), bytes: &self.bytes, marks: &self.marks };
        if body.is_event_stream() { BodyShape::Events } else { BodyShape::Other }
    }
}

/// The type of the bodies that a [`PieceReader`] is given.
const EVENT_STREAM: &str = "text/event-stream";

impl<P: EventParser> PieceReader<P> {
    pub(crate) fn new(stream_end: StreamEnd, parser: P) -> Self {
        Self {
            reader: EventReader::new(stream_end, parser),
            shape: BodyShape::Unknown,
            whole: WholeBody::default(),
            rest: Vec::new(),
            start: Vec::new(),
            last: Mono::default(),
        }
    }
}

/// Reads the complete events of `rest` and `piece`; returns what is left.
fn read_piece<P: EventParser>(
    reader: &mut EventReader<P>,
    mut rest: Vec<u8>,
    piece: &[u8],
    marks: &[ReadMark],
) -> Vec<u8> {
    let before = rest.len();
    let bytes: Cow<'_, [u8]> = if rest.is_empty() {
        Cow::Borrowed(piece)
    } else {
        rest.extend_from_slice(piece);
        Cow::Owned(rest)
    };
    let last = marks.last().map(|mark| mark.at).unwrap_or_default();
    // No event is complete before the piece: it would have been read with the piece before.
    let arrival = |end: usize| {
        let mark = marks.partition_point(|mark| mark.end + before < end);
        marks.get(mark).map_or(last, |mark| mark.at)
    };
    reader.read_complete(&bytes, arrival);
    match (reader.scanner.forget_events(), bytes) {
        (0, Cow::Owned(bytes)) => bytes,
        (read, bytes) => bytes[read..].to_vec(),
    }
}

impl<P: EventParser + Send> ReplyReader for PieceReader<P> {
    fn feed(&mut self, piece: &[u8], marks: &[ReadMark]) {
        let missing = START.saturating_sub(self.start.len()).min(piece.len());
        self.start.extend_from_slice(&piece[..missing]);
        self.last = marks.last().map_or(self.last, |mark| mark.at);
        if self.shape == BodyShape::Events {
            self.rest = read_piece(&mut self.reader, std::mem::take(&mut self.rest), piece, marks);
            return;
        }
        self.whole.add(piece, marks);
        if self.shape == BodyShape::Unknown {
            self.shape = self.whole.shape();
            if self.shape == BodyShape::Events {
                let WholeBody { bytes, marks } = std::mem::take(&mut self.whole);
                self.rest = read_piece(&mut self.reader, Vec::new(), &bytes, &marks);
            }
        }
    }

    fn finish(mut self: Box<Self>, content_type: Option<&str>) -> Result<Reply, ReplyError> {
        if self.shape == BodyShape::Events {
            self.reader.read_rest(&self.rest, self.last);
            return self.reader.into_reply(&self.start, content_type);
        }
        let body = ResponseBody { content_type, bytes: &self.whole.bytes, marks: &self.whole.marks };
        documents::read_until(self.reader.stream_end, body, self.reader.parser)
    }
}

impl<P> Debug for PieceReader<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PieceReader").finish_non_exhaustive()
    }
}
