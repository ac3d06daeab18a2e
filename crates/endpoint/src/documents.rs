//! Takes a response body apart into its JSON documents, each with the time it arrived: a stream of events, a document per
//! line, or one document.

use aiperf_clock::Mono;

use crate::sse::{self, decoded};
use crate::transcript::{Transcript, Wholeness};
use crate::{Reply, ReplyError, ResponseBody, in_band};

/// What an endpoint made of one document.
#[derive(Debug)]
pub(crate) enum Heard {
    Understood,
    /// No JSON, or no JSON object.
    Undecodable,
    Failed(ReplyError),
}

/// The end mark of OpenAI-like streams.
const DONE: &str = "[DONE]";
/// How much of an unreadable body its error quotes.
const QUOTED_CHARS: usize = 120;

/// Reads a whole body, giving each document to `hear`.
pub(crate) fn read(body: ResponseBody<'_>, hear: impl Fn(&str, &mut Transcript) -> Heard) -> Result<Reply, ReplyError> {
    let Some(end) = body.arrival(body.bytes.len()) else {
        return Err(if body.bytes.is_empty() {
            ReplyError::NoContent
        } else {
            ReplyError::Unreadable("its arrival was not timed".to_owned())
        });
    };
    if body.is_event_stream() {
        return read_events(body, end, hear);
    }
    let text = decoded(body.bytes);
    let mut transcript = Transcript::default();
    match hear(&text, &mut transcript) {
        Heard::Understood => {
            transcript.close_event(end);
            transcript.into_reply(Wholeness::Document)
        }
        Heard::Failed(error) => Err(error),
        Heard::Undecodable => read_lines(body, end, hear),
    }
}

fn read_events(
    body: ResponseBody<'_>,
    end: Mono,
    hear: impl Fn(&str, &mut Transcript) -> Heard,
) -> Result<Reply, ReplyError> {
    let mut transcript = Transcript::default();
    for event in sse::events(body.bytes) {
        if event.name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("error")) {
            return Err(in_band::error_event(&event));
        }
        let data = event.data.as_deref().map(str::trim).unwrap_or_default();
        let at = body.arrival(event.complete_at).unwrap_or(end);
        take(data, at, &mut transcript, &hear)?;
    }
    conclude(transcript, body)
}

/// Newline-delimited JSON: a line arrives with its newline, the last one with the end of the body.
fn read_lines(
    body: ResponseBody<'_>,
    end: Mono,
    hear: impl Fn(&str, &mut Transcript) -> Heard,
) -> Result<Reply, ReplyError> {
    let mut transcript = Transcript::default();
    let mut offset = 0;
    for line in body.bytes.split_inclusive(|byte| *byte == b'\n') {
        offset += line.len();
        let text = decoded(line);
        take(text.trim(), body.arrival(offset).unwrap_or(end), &mut transcript, &hear)?;
    }
    conclude(transcript, body)
}

fn take(
    data: &str,
    at: Mono,
    transcript: &mut Transcript,
    hear: impl Fn(&str, &mut Transcript) -> Heard,
) -> Result<(), ReplyError> {
    match data {
        "" => {}
        DONE => transcript.end_mark(),
        _ => match hear(data, transcript) {
            Heard::Understood => transcript.close_event(at),
            Heard::Undecodable => transcript.undecodable(),
            Heard::Failed(error) => return Err(error),
        },
    }
    Ok(())
}

fn conclude(transcript: Transcript, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
    if transcript.is_gibberish() {
        let start: String = decoded(body.bytes).chars().take(QUOTED_CHARS).collect();
        let kind = body.content_type.unwrap_or("no content type");
        return Err(ReplyError::Unreadable(format!("no JSON object in a body of {kind} that begins {start:?}")));
    }
    transcript.into_reply(Wholeness::Stream)
}

impl ResponseBody<'_> {
    /// By how it begins, since servers and proxies mislabel bodies in both directions, else by its media type.
    fn is_event_stream(&self) -> bool {
        let start = self.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(self.bytes).trim_ascii_start();
        if start.starts_with(b"{") {
            return false;
        }
        self.media_type().as_deref() == Some("text/event-stream")
            || [&b"data:"[..], b"event:", b"id:", b"retry:", b":"].iter().any(|field| start.starts_with(field))
    }
}
