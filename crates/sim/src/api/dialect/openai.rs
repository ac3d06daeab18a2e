//! The JSON that replies are made of, written straight into a buffer: a tree for each chunk would cost more than the
//! write that sends it.

use std::io::Write as _;

use crate::api::dialect::ReplyHeader;
use crate::api::text_request::TextApi;
use crate::generation::reply::{Finish, GeneratedReply, PieceKind, ReplyPiece, TOOL_NAME};
use crate::generation::speculation::write_report;
use crate::monitoring::request_timing::RequestTiming;
use crate::options::{ReasoningField, UsageReport};

/// The token counts of a reply.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct UsageCounts {
    pub(crate) prompt: u32,
    /// Prompt tokens that were in the prefix cache, when there is one.
    pub(crate) cached: Option<u32>,
    pub(crate) completion: u32,
    /// Completion tokens that are reasoning, when the server reasons.
    pub(crate) reasoning: Option<u32>,
    /// The times of the request, when the server states them.
    pub(crate) timing: Option<RequestTiming>,
}

impl UsageCounts {
    fn write(self, out: &mut Vec<u8>) {
        let Self { prompt, cached, completion, reasoning, timing: _ } = self;
        let total = prompt + completion;
        // Writes to a vector cannot fail, here and below.
        let _ = write!(
            out,
            r#""usage":{{"prompt_tokens":{prompt},"total_tokens":{total},"completion_tokens":{completion}"#
        );
        if let Some(cached) = cached {
            let _ = write!(out, r#","prompt_tokens_details":{{"cached_tokens":{cached}}}"#);
        }
        if let Some(reasoning) = reasoning {
            let _ = write!(out, r#","completion_tokens_details":{{"reasoning_tokens":{reasoning}}}"#);
        }
        out.push(b'}');
    }
}

/// Writes the messages of one reply to a chat or a completion. What stays the same in all of them is formatted once.
#[derive(Debug)]
pub(crate) struct OpenAiWriter {
    api: TextApi,
    reasoning_field: ReasoningField,
    spec_drafts: u32,
    usage: UsageReport,
    /// The id without its quotes.
    id: String,
    created: u64,
    /// The model's name as a JSON string.
    model: String,
    opening: Vec<u8>,
}

impl OpenAiWriter {
    pub(crate) fn new(api: TextApi, head: &ReplyHeader<'_>) -> Self {
        let ReplyHeader { key, created, model, reasoning_field, spec_drafts, usage, .. } = *head;
        let (prefix, object) = if api == TextApi::Completions {
            ("cmpl", "text_completion")
        } else {
            ("chatcmpl", "chat.completion.chunk")
        };
        let id = format!("{prefix}-{key:016x}");
        let model = serde_json::Value::from(model).to_string();
        let opening =
            format!(r#"data: {{"id":"{id}","object":"{object}","created":{created},"model":{model},"choices":["#);
        Self { api, reasoning_field, spec_drafts, usage, id, created, model, opening: opening.into_bytes() }
    }

    fn event(&self, out: &mut Vec<u8>, usage: Option<UsageCounts>, choice: impl FnOnce(&mut Vec<u8>)) {
        out.extend_from_slice(&self.opening);
        choice(out);
        out.push(b']');
        if let Some(usage) = usage {
            out.push(b',');
            usage.write(out);
        }
        out.extend_from_slice(b"}\n\n");
    }

    /// The first event of a chat choice: its role, without text.
    pub(crate) fn role(&self, choice: u32, usage: Option<UsageCounts>, out: &mut Vec<u8>) {
        self.event(out, usage, |out| {
            let _ = write!(
                out,
                r#"{{"index":{choice},"delta":{{"role":"assistant","content":""}},"logprobs":null,"finish_reason":null}}"#
            );
        });
    }

    pub(crate) fn piece(
        &self,
        reply: &GeneratedReply,
        piece: ReplyPiece,
        choice: u32,
        finish: Option<Finish>,
        usage: Option<UsageCounts>,
        out: &mut Vec<u8>,
    ) {
        self.event(out, usage, |out| {
            if self.api == TextApi::Completions {
                let _ = write!(out, r#"{{"index":{choice},"text":""#);
                reply.write_text(piece, choice, out);
                out.extend_from_slice(br#"","logprobs":null,"finish_reason":"#);
                write_finish(finish, out);
                out.extend_from_slice(br#","stop_reason":null}"#);
                return;
            }
            let _ = write!(out, r#"{{"index":{choice},"delta":{{"#);
            self.delta(reply, piece, choice, out);
            out.extend_from_slice(br#"},"logprobs":null,"finish_reason":"#);
            write_finish(finish, out);
            out.push(b'}');
        });
    }

    fn delta(&self, reply: &GeneratedReply, piece: ReplyPiece, choice: u32, out: &mut Vec<u8>) {
        match piece.kind {
            PieceKind::Text | PieceKind::Reasoning => {
                let field = if piece.kind == PieceKind::Text { "content" } else { self.reasoning_field.name() };
                let _ = write!(out, r#""{field}":""#);
                reply.write_text(piece, choice, out);
                out.push(b'"');
            }
            PieceKind::ToolName => {
                let id = &self.id;
                let _ = write!(
                    out,
                    r#""tool_calls":[{{"id":"call_{id}","type":"function","index":0,"function":{{"name":"{TOOL_NAME}","arguments":""}}}}]"#
                );
            }
            PieceKind::ToolOpening | PieceKind::ToolWords | PieceKind::ToolClosing => {
                out.extend_from_slice(br#""tool_calls":[{"index":0,"function":{"arguments":"#);
                let mut text = Vec::with_capacity(16);
                reply.write_text(piece, choice, &mut text);
                write_json_string(&text, out);
                out.extend_from_slice(b"}}]");
            }
        }
    }

    /// The last event of a choice whose last text carries no finish reason.
    pub(crate) fn finish(&self, choice: u32, finish: Finish, usage: Option<UsageCounts>, out: &mut Vec<u8>) {
        let delta = if finish == Finish::ToolCalls { r#""content":"""# } else { "" };
        self.event(out, usage, |out| {
            let _ = write!(
                out,
                r#"{{"index":{choice},"delta":{{{delta}}},"logprobs":null,"finish_reason":"{}"}}"#,
                finish.name()
            );
        });
    }

    /// The event that holds nothing but usage.
    pub(crate) fn usage(&self, usage: UsageCounts, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.opening);
        out.extend_from_slice(b"],");
        usage.write(out);
        self.metrics(usage, out);
        out.extend_from_slice(b"}\n\n");
    }

    /// An event that is not JSON: a chunk whose second half is missing.
    pub(crate) fn malformed(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.opening);
        out.extend_from_slice(b"{\"index\":0,\"del\n\n");
    }

    /// The whole reply as one object.
    pub(crate) fn full(&self, reply: &GeneratedReply, choices: u32, usage: UsageCounts, out: &mut Vec<u8>) {
        let Self { id, created, model, .. } = self;
        let is_completion = self.api == TextApi::Completions;
        let object = if is_completion { "text_completion" } else { "chat.completion" };
        let _ = write!(out, r#"{{"id":"{id}","object":"{object}","created":{created},"model":{model},"choices":["#);
        for choice in 0..choices {
            if choice > 0 {
                out.push(b',');
            }
            if is_completion {
                let _ = write!(out, r#"{{"index":{choice},"text":""#);
                write_all(reply, choice, |_| true, out);
                out.push(b'"');
            } else {
                self.full_message(reply, choice, out);
            }
            out.extend_from_slice(br#","logprobs":null,"finish_reason":"#);
            write_finish(Some(reply.finish), out);
            out.extend_from_slice(br#","stop_reason":null}"#);
        }
        out.push(b']');
        if self.usage == UsageReport::Asked {
            out.push(b',');
            usage.write(out);
        }
        self.metrics(usage, out);
        out.push(b'}');
    }

    /// What the server says of the request itself: its times, and its speculative decoding.
    fn metrics(&self, usage: UsageCounts, out: &mut Vec<u8>) {
        let speculates = self.spec_drafts > 0 && usage.completion > 0;
        if usage.timing.is_none() && !speculates {
            return;
        }
        out.extend_from_slice(br#","metrics":{"#);
        if let Some(timing) = usage.timing {
            timing.write(out);
        }
        if speculates {
            if usage.timing.is_some() {
                out.push(b',');
            }
            write_report(usage.completion, self.spec_drafts, out);
        }
        out.push(b'}');
    }

    fn full_message(&self, reply: &GeneratedReply, choice: u32, out: &mut Vec<u8>) {
        let _ = write!(out, r#"{{"index":{choice},"message":{{"role":"assistant","content":"#);
        if reply.has_no_text() {
            out.extend_from_slice(b"null");
        } else {
            out.push(b'"');
            write_all(reply, choice, |kind| kind == PieceKind::Text, out);
            out.push(b'"');
        }
        if reply.reasoning > 0 {
            let _ = write!(out, r#","{}":""#, self.reasoning_field.name());
            write_all(reply, choice, |kind| kind == PieceKind::Reasoning, out);
            out.push(b'"');
        }
        if reply.is_tool_call {
            let id = &self.id;
            let _ = write!(
                out,
                r#","tool_calls":[{{"id":"call_{id}","type":"function","function":{{"name":"{TOOL_NAME}","arguments":"#
            );
            let mut text = Vec::new();
            let is_argument = |kind| !matches!(kind, PieceKind::Reasoning | PieceKind::Text | PieceKind::ToolName);
            write_all(reply, choice, is_argument, &mut text);
            write_json_string(&text, out);
            out.extend_from_slice(b"}}]");
        }
        out.push(b'}');
    }
}

fn write_all(reply: &GeneratedReply, choice: u32, wanted: impl Fn(PieceKind) -> bool, out: &mut Vec<u8>) {
    for piece in reply.pieces().filter(|piece| wanted(piece.kind)) {
        reply.write_text(piece, choice, out);
    }
}

fn write_finish(finish: Option<Finish>, out: &mut Vec<u8>) {
    match finish {
        None => out.extend_from_slice(b"null"),
        Some(finish) => {
            out.push(b'"');
            out.extend_from_slice(finish.name().as_bytes());
            out.push(b'"');
        }
    }
}

/// Words and tool frames are ASCII in which only the quote needs an escape.
fn write_json_string(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in text {
        if byte == b'"' {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// An error object as inference servers send it.
pub(crate) fn error_object(status: u16, kind: &str, message: &str, parameter: Option<&str>) -> String {
    let message = serde_json::Value::from(message);
    let parameter = serde_json::Value::from(parameter);
    format!(r#"{{"error":{{"message":{message},"type":"{kind}","param":{parameter},"code":{status}}}}}"#)
}
