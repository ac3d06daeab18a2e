//! A reply: content with its arrival times, usage, or why the response failed.

mod server_times;
mod spec_decode;
mod tool_call;
mod usage;

use aiperf_clock::Mono;
use serde_json::Value;
use thiserror::Error;

pub use server_times::ServerTimes;
pub use spec_decode::{SpecDecode, SpecDecodeError};
pub use tool_call::{ToolCall, ToolKind};
pub use usage::{OutputSplit, Usage};

use crate::FailureKind;

/// A response event that carried content. Events without content (role only, finish, usage, `[DONE]`) are not here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentChunk {
    pub at: Mono,
    /// Carries text or tool-call text, with or without reasoning.
    pub has_output: bool,
    pub has_reasoning: bool,
    /// Completion tokens so far according to this event's own usage, if the server reports usage per chunk.
    pub usage_completion_tokens: Option<u32>,
}

/// A successful answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    pub chunks: Vec<ContentChunk>,
    /// All text and tool-call text, joined in order without separator: what is counted as output. Where one response
    /// holds several choices (`n` above 1, several prompts in one request) all of them were generated and all count:
    /// the first choice whole, then the second, and so on, however their chunks were interleaved. To count tokens use
    /// [`Self::outputs`]: no token reaches from one choice into the next.
    pub output_text: String,
    /// All reasoning text, joined like the output.
    pub reasoning_text: String,
    /// Where the text of each choice ends in the two texts above; empty if there is one choice.
    pub choice_ends: Vec<ChoiceEnd>,
    /// The plain text of the first choice alone, without tool calls: what a person would read.
    pub plain_text: String,
    /// The calls of the first choice, for the history of later turns.
    pub tool_calls: Vec<ToolCall>,
    /// From the last event whose usage was not empty.
    pub usage: Option<Usage>,
    /// The server's report of its speculative decoding, or why the report is inconsistent.
    pub spec_decode: Option<Result<SpecDecode, SpecDecodeError>>,
    /// The server's report of the times of this request.
    pub server_times: ServerTimes,
    /// `choices[0].finish_reason` or its like, when one came.
    pub finish_reason: Option<String>,
    /// How many choices carried content; their chunks share one list.
    pub choices: u32,
    /// Events that were not JSON objects and were skipped.
    pub undecodable_events: u32,
    /// Events that came after the end mark of the stream (`[DONE]`) and do not count.
    pub events_after_end: u32,
    pub delivery: Delivery,
    /// The reply in the shape of its API, if text and calls alone are not enough to send it back to the server.
    pub native_message: Option<Value>,
    /// The server's report about a generated video.
    pub video: Option<VideoReport>,
}

/// How a reply came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Delivery {
    /// Event by event, each at its own time.
    #[default]
    Events,
    /// As one document: only the time of the whole is known, not that of a first token.
    Document,
}

/// Where the output and the reasoning of one choice end among those of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChoiceEnd {
    pub output: usize,
    pub reasoning: usize,
}

impl Reply {
    /// The output of each choice.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        parts(&self.output_text, self.choice_ends.iter().map(|end| end.output))
    }

    /// The reasoning of each choice.
    pub fn reasonings(&self) -> impl Iterator<Item = &str> {
        parts(&self.reasoning_text, self.choice_ends.iter().map(|end| end.reasoning))
    }
}

/// The parts of a text that end at the given places, and the rest of it.
fn parts(text: &str, ends: impl Iterator<Item = usize>) -> impl Iterator<Item = &str> {
    let mut from = 0;
    ends.chain([text.len()]).filter_map(move |end| {
        let part = text.get(from..end)?;
        from = end;
        (!part.is_empty()).then_some(part)
    })
}

/// Figures that come with a generated video.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct VideoReport {
    pub inference_seconds: Option<f64>,
    pub peak_memory_mb: Option<f64>,
}

/// Why a request with a 2xx response failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReplyError {
    /// An SSE event of type `error`, or an error object inside the stream or body.
    #[error("{message}")]
    InBand { code: Option<u16>, kind: String, message: String },
    /// Nothing but usage, metadata, empty data or `[DONE]` came.
    #[error("the response carried no content: only usage, metadata, empty data or [DONE] came")]
    NoContent,
    /// The stream ended without `[DONE]` and without a finish reason.
    #[error("the stream ended before the response was finished (no finish reason and no [DONE])")]
    CutShort,
    #[error("the response could not be read: {0}")]
    Unreadable(String),
}

impl ReplyError {
    /// HTTP-like status for the records file, if one is known.
    pub fn code(&self) -> Option<u16> {
        match self {
            Self::InBand { code, .. } => *code,
            Self::NoContent | Self::CutShort | Self::Unreadable(_) => None,
        }
    }

    /// Error type for the records file. If the reference fails such a request too, it is the reference's name.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::InBand { kind, .. } => kind.as_str().into(),
            Self::NoContent | Self::Unreadable(_) => FailureKind::InvalidAnswer,
            Self::CutShort => FailureKind::IncompleteStream,
        }
    }
}
