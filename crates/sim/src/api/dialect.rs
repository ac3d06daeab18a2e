//! How the replies of one model are worded for each API: what is streamed, what is sent whole.

mod anthropic;
pub(crate) mod openai;
mod plain;
mod responses;

use crate::api::dialect::openai::{OpenAiWriter, UsageCounts};
use crate::api::text_request::TextApi;
use crate::generation::reply::{Finish, GeneratedReply, PieceKind, ReplyPiece};
use crate::options::{ReasoningField, UsageReport};

use self::anthropic::AnthropicWriter;
use self::plain::PlainWriter;
pub(crate) use self::responses::ResponsesWriter;

/// What all messages of one reply share.
#[derive(Debug, Clone)]
pub(crate) struct ReplyHeader<'a> {
    /// Stands for the request: the end of its ids.
    pub(crate) key: u64,
    /// Seconds since the epoch.
    pub(crate) created: u64,
    pub(crate) model: &'a str,
    pub(crate) reasoning_field: ReasoningField,
    pub(crate) spec_drafts: u32,
    pub(crate) usage: UsageReport,
    /// Whether the client asked for the reply to be kept.
    pub(crate) store: bool,
}

/// Writes the messages of one reply.
#[derive(Debug)]
pub(crate) enum DialectWriter {
    OpenAi(OpenAiWriter),
    Responses(ResponsesWriter),
    Anthropic(AnthropicWriter),
    Plain(PlainWriter),
}

impl DialectWriter {
    pub(crate) fn new(api: TextApi, head: &ReplyHeader<'_>) -> Self {
        match api {
            TextApi::Chat | TextApi::Completions => Self::OpenAi(OpenAiWriter::new(api, head)),
            TextApi::Responses => Self::Responses(ResponsesWriter::new(head)),
            TextApi::Messages => Self::Anthropic(AnthropicWriter::new(head)),
            TextApi::HuggingFace | TextApi::Triton | TextApi::Kserve | TextApi::Solido => {
                Self::Plain(PlainWriter::new(api, head.model))
            }
        }
    }

    /// What comes before the first content of a choice; nothing for some.
    pub(crate) fn opening(&self, choice: u32, on_chunk: Option<UsageCounts>, so_far: UsageCounts, out: &mut Vec<u8>) {
        match self {
            Self::OpenAi(writer) => writer.role(choice, on_chunk, out),
            Self::Responses(writer) => writer.opening(out),
            Self::Anthropic(writer) => writer.opening(so_far, out),
            Self::Plain(_) => {}
        }
    }

    pub(crate) fn piece(
        &self,
        reply: &GeneratedReply,
        piece: ReplyPiece,
        choice: u32,
        finish: Option<Finish>,
        usage: (Option<UsageCounts>, UsageCounts),
        out: &mut Vec<u8>,
    ) {
        let (on_chunk, so_far) = usage;
        match self {
            Self::OpenAi(writer) => writer.piece(reply, piece, choice, finish, on_chunk, out),
            Self::Responses(writer) => writer.piece(reply, piece, out),
            Self::Anthropic(writer) => writer.piece(reply, piece, out),
            Self::Plain(writer) => writer.piece(reply, piece, finish, so_far, out),
        }
    }

    /// What comes after the last content, to the end of the stream. `None` for the APIs that report it event by event.
    pub(crate) fn closing(&self, reply: &GeneratedReply, usage: UsageCounts, out: &mut Vec<u8>) -> Option<()> {
        match self {
            Self::OpenAi(_) => return None,
            Self::Responses(writer) => writer.closing(reply, usage, out),
            Self::Anthropic(_) => AnthropicWriter::closing(reply, usage, out),
            Self::Plain(writer) => writer.closing(out),
        }
        Some(())
    }

    /// An event that is not JSON.
    pub(crate) fn malformed(&self, out: &mut Vec<u8>) {
        match self {
            Self::OpenAi(writer) => writer.malformed(out),
            Self::Responses(_) | Self::Anthropic(_) | Self::Plain(_) => out.extend_from_slice(b"data: {\"ind\n\n"),
        }
    }

    /// An error in the middle of a stream, and what still follows it.
    pub(crate) fn error(&self, message: &str, out: &mut Vec<u8>) -> bool {
        match self {
            Self::OpenAi(_) => return false,
            Self::Responses(writer) => writer.error(message, out),
            Self::Anthropic(_) => anthropic::error(message, out),
            Self::Plain(_) => plain::error(message, out),
        }
        true
    }

    /// The whole reply as one object.
    pub(crate) fn full(&self, reply: &GeneratedReply, choices: u32, usage: UsageCounts, out: &mut Vec<u8>) {
        match self {
            Self::OpenAi(writer) => writer.full(reply, choices, usage, out),
            Self::Responses(writer) => writer.full(reply, usage, out),
            Self::Anthropic(writer) => writer.full(reply, usage, out),
            Self::Plain(writer) => writer.full(reply, usage, out),
        }
    }
}

/// The text of one part of a reply.
fn text_of(reply: &GeneratedReply, wanted: impl Fn(PieceKind) -> bool) -> String {
    let mut text = Vec::new();
    for piece in reply.pieces().filter(|piece| wanted(piece.kind)) {
        reply.write_text(piece, 0, &mut text);
    }
    String::from_utf8_lossy(&text).into_owned()
}

pub(crate) fn answer_of(reply: &GeneratedReply) -> String {
    text_of(reply, |kind| kind == PieceKind::Text)
}

fn reasoning_of(reply: &GeneratedReply) -> String {
    text_of(reply, |kind| kind == PieceKind::Reasoning)
}

/// The arguments of the tool call, as JSON text.
fn arguments_of(reply: &GeneratedReply) -> String {
    let is_argument = |kind| matches!(kind, PieceKind::ToolOpening | PieceKind::ToolWords | PieceKind::ToolClosing);
    text_of(reply, is_argument)
}

/// The text of one piece.
pub(crate) fn piece_text(reply: &GeneratedReply, piece: ReplyPiece) -> String {
    let mut text = Vec::new();
    reply.write_text(piece, 0, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// An event with its name.
fn named_event(name: &str, data: &serde_json::Value, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("event: {name}\ndata: {data}\n\n").as_bytes());
}
