//! Splits a response body into its JSON documents, each with its arrival time: a stream of events, a document per line, or one
//! document.

use aiperf_clock::Mono;
use aiperf_protocol::{Delivery, Reply, ReplyError};
use serde_json::{Map, Value};

use crate::ResponseBody;
use crate::reply::in_band;
use crate::reply::sse::decoded;
use crate::reply::stream_reader::{EventParser, EventReader};
use crate::reply::surrogate;
use crate::reply::transcript::{BodyKind, Transcript};

/// Whether an endpoint could read a document.
pub(crate) type EventResult = Result<(), EventError>;

/// Why a document was not read.
#[derive(Debug)]
pub(crate) enum EventError {
    /// Not JSON, or not a JSON object.
    Undecodable,
    Failed(ReplyError),
}

/// The end mark of OpenAI-like streams.
pub(crate) const DONE: &str = "[DONE]";
/// How much of an unreadable body its error quotes.
pub(crate) const QUOTED_CHARS: usize = 120;

/// How the streams of an API end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamEnd {
    /// With a finish reason or an end mark; a stream without one was cut short.
    Marked,
    /// Without a mark.
    Unmarked,
}

/// Reads a whole body and passes each document to the parser.
pub(crate) fn read(body: ResponseBody<'_>, parse_event: impl EventParser) -> Result<Reply, ReplyError> {
    read_until(StreamEnd::Marked, body, parse_event)
}

pub(crate) fn read_until(
    stream_end: StreamEnd,
    body: ResponseBody<'_>,
    mut parser: impl EventParser,
) -> Result<Reply, ReplyError> {
    let Some(end) = body.arrival(body.bytes.len()) else {
        return Err(if body.bytes.is_empty() {
            ReplyError::NoContent
        } else {
            ReplyError::Unreadable("its arrival times are missing".to_owned())
        });
    };
    if body.is_event_stream() {
        return read_events(stream_end, body, end, parser);
    }
    let text = decoded(body.bytes);
    let mut transcript = Transcript::default();
    match offer(&text, &mut transcript, &mut parser) {
        Ok(()) => {
            transcript.close_event(end);
            let mut reply = transcript.into_reply(BodyKind::Document)?;
            reply.delivery = if body.is_line_stream() { Delivery::Events } else { Delivery::Document };
            parser.complete(&mut reply);
            Ok(reply)
        }
        Err(EventError::Failed(error)) => Err(error),
        Err(EventError::Undecodable) => read_lines(stream_end, body, end, parser),
    }
}

/// Reads a body that is plain text.
pub(crate) fn read_text(body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
    let mut transcript = Transcript::default();
    let text = decoded(body.bytes);
    transcript.text(0, if text.trim().is_empty() { "" } else { &text });
    one_document(transcript, body)
}

/// Reads a body that is one piece of content other than text.
pub(crate) fn read_non_text(body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
    let mut transcript = Transcript::default();
    transcript.non_text(usize::from(!body.bytes.is_empty()));
    one_document(transcript, body)
}

fn one_document(mut transcript: Transcript, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
    transcript.close_event(body.arrival(body.bytes.len()).unwrap_or_default());
    transcript.into_reply(BodyKind::Document).map(|reply| Reply { delivery: Delivery::Document, ..reply })
}

/// Passes a document to the parser. If it is not JSON because of a lone half of a character, it is passed again with stand-ins.
pub(crate) fn offer(data: &str, transcript: &mut Transcript, parser: &mut impl EventParser) -> EventResult {
    match parser.parse(data, transcript) {
        Err(EventError::Undecodable) => {
            let has_stand_ins = surrogate::replace_lone(data).ok_or(EventError::Undecodable)?;
            transcript.set_has_stand_ins(true);
            let result = parser.parse(&has_stand_ins, transcript);
            transcript.set_has_stand_ins(false);
            result
        }
        result => result,
    }
}

/// Whether a single document carries content.
pub(crate) fn carries_content(data: &str, mut parser: impl EventParser) -> bool {
    let mut transcript = Transcript::default();
    offer(data, &mut transcript, &mut parser).is_ok() && transcript.event_has_content()
}

/// Parses a document into a tree, for APIs with few documents per response. An error document becomes an error.
pub(crate) fn tree(data: &str) -> Result<Value, EventError> {
    let value: Value = serde_json::from_str(data).map_err(|_| EventError::Undecodable)?;
    match &value {
        Value::Object(fields) if is_error(fields) => Err(EventError::Failed(in_band::error_object(data))),
        Value::Object(_) | Value::Array(_) => Ok(value),
        _ => Err(EventError::Undecodable),
    }
}

fn is_error(fields: &Map<String, Value>) -> bool {
    let named = |key: &str| fields.get(key).and_then(Value::as_str) == Some("error");
    fields.get("error").is_some_and(is_truthy) || named("object") || named("type")
}

/// The text of a field; empty if there is none.
pub(crate) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Not null, false, zero or empty.
pub(crate) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

fn read_events(
    stream_end: StreamEnd,
    body: ResponseBody<'_>,
    end: Mono,
    parser: impl EventParser,
) -> Result<Reply, ReplyError> {
    let mut reader = EventReader::new(stream_end, parser);
    reader.read_complete(body.bytes, |offset| body.arrival(offset).unwrap_or(end));
    reader.read_rest(body.bytes, end);
    reader.into_reply(body.bytes, body.content_type)
}

/// Newline-delimited JSON: a line arrives with its newline, the last one with the end of the body.
fn read_lines(
    stream_end: StreamEnd,
    body: ResponseBody<'_>,
    end: Mono,
    mut parser: impl EventParser,
) -> Result<Reply, ReplyError> {
    let mut transcript = Transcript::default();
    let mut offset = 0;
    for line in body.bytes.split_inclusive(|byte| *byte == b'\n') {
        offset += line.len();
        let text = decoded(line);
        take(text.trim(), body.arrival(offset).unwrap_or(end), &mut transcript, &mut parser)?;
    }
    let mut reply = conclude(stream_end, transcript, body.bytes, body.content_type)?;
    parser.complete(&mut reply);
    Ok(reply)
}

pub(crate) fn take(
    data: &str,
    at: Mono,
    transcript: &mut Transcript,
    parser: &mut impl EventParser,
) -> Result<(), ReplyError> {
    match data {
        "" => {}
        DONE => transcript.stream_end(),
        _ if transcript.is_over() => transcript.after_end(),
        _ => match offer(data, transcript, parser) {
            Ok(()) => transcript.close_event(at),
            Err(EventError::Undecodable) => transcript.undecodable(),
            Err(EventError::Failed(error)) => return Err(error),
        },
    }
    Ok(())
}

/// The reply of a stream. `start` is how its body begins.
pub(crate) fn conclude(
    stream_end: StreamEnd,
    transcript: Transcript,
    start: &[u8],
    content_type: Option<&str>,
) -> Result<Reply, ReplyError> {
    if transcript.is_unreadable() {
        let start: String = decoded(start).chars().take(QUOTED_CHARS).collect();
        let kind = content_type.unwrap_or("no content type");
        return Err(ReplyError::Unreadable(format!("the body ({kind}) has no JSON object; it begins {start:?}")));
    }
    transcript.into_reply(match stream_end {
        StreamEnd::Marked => BodyKind::Stream,
        StreamEnd::Unmarked => BodyKind::Document,
    })
}

impl ResponseBody<'_> {
    /// A document per line is a stream even if it has one line.
    fn is_line_stream(&self) -> bool {
        matches!(
            self.media_type().as_deref(),
            Some("application/x-ndjson" | "application/ndjson" | "application/jsonl" | "application/json-lines")
        )
    }

    /// By how it begins, since servers and proxies mislabel bodies in both directions, else by its media type.
    pub(crate) fn is_event_stream(&self) -> bool {
        let start = self.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(self.bytes).trim_ascii_start();
        if start.starts_with(b"{") {
            return false;
        }
        self.media_type().as_deref() == Some("text/event-stream")
            || [&b"data:"[..], b"event:", b"id:", b"retry:", b":"].iter().any(|field| start.starts_with(field))
    }
}
