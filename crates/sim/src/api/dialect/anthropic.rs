//! Anthropic's messages: content blocks, one after the other.

use serde_json::{Value, json};

use super::{ReplyHeader, answer_of, arguments_of, named_event, piece_text, reasoning_of};
use crate::api::dialect::openai::UsageCounts;
use crate::generation::reply::{Finish, GeneratedReply, PieceKind, ReplyPiece, TOOL_NAME};

#[derive(Debug)]
pub(crate) struct AnthropicWriter {
    id: String,
    model: String,
}

/// What stands for a signature of thinking.
const SIGNATURE: &str = "c2lt";

impl AnthropicWriter {
    pub(super) fn new(head: &ReplyHeader<'_>) -> Self {
        Self { id: format!("msg_{:016x}", head.key), model: head.model.to_owned() }
    }

    pub(super) fn opening(&self, usage: UsageCounts, out: &mut Vec<u8>) {
        let message = json!({
            "id": self.id, "type": "message", "role": "assistant", "model": self.model, "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": counts(usage, 0),
        });
        named_event("message_start", &json!({"type": "message_start", "message": message}), out);
        named_event("ping", &json!({"type": "ping"}), out);
    }

    pub(super) fn piece(&self, reply: &GeneratedReply, piece: ReplyPiece, out: &mut Vec<u8>) {
        let index = index(reply, piece.kind);
        if piece.begins_part() {
            if index > 0 {
                stop_block(0, out);
            }
            let block = match piece.kind {
                PieceKind::Reasoning => json!({"type": "thinking", "thinking": "", "signature": ""}),
                PieceKind::Text => json!({"type": "text", "text": ""}),
                _ => json!({"type": "tool_use", "id": self.tool_id(), "name": TOOL_NAME, "input": {}}),
            };
            let start = json!({"type": "content_block_start", "index": index, "content_block": block});
            named_event("content_block_start", &start, out);
        }
        let text = piece_text(reply, piece);
        let delta = match piece.kind {
            PieceKind::Reasoning => json!({"type": "thinking_delta", "thinking": text}),
            PieceKind::Text => json!({"type": "text_delta", "text": text}),
            // The name is in the start of the block.
            PieceKind::ToolName => return,
            _ => json!({"type": "input_json_delta", "partial_json": text}),
        };
        let event = json!({"type": "content_block_delta", "index": index, "delta": delta});
        named_event("content_block_delta", &event, out);
    }

    pub(super) fn closing(reply: &GeneratedReply, usage: UsageCounts, out: &mut Vec<u8>) {
        if reply.tokens() > 0 {
            stop_block(u32::from(reply.reasoning > 0 && reply.answer > 0), out);
        }
        let delta = json!({"stop_reason": stop_reason(reply.finish), "stop_sequence": null});
        let event = json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": usage.completion}});
        named_event("message_delta", &event, out);
        named_event("message_stop", &json!({"type": "message_stop"}), out);
    }

    pub(super) fn full(&self, reply: &GeneratedReply, usage: UsageCounts, out: &mut Vec<u8>) {
        let mut content: Vec<Value> = Vec::new();
        if reply.reasoning > 0 {
            content.push(json!({"type": "thinking", "thinking": reasoning_of(reply), "signature": SIGNATURE}));
        }
        if reply.is_tool_call {
            let input: Value = serde_json::from_str(&arguments_of(reply)).unwrap_or_default();
            content.push(json!({"type": "tool_use", "id": self.tool_id(), "name": TOOL_NAME, "input": input}));
        } else if reply.answer > 0 {
            content.push(json!({"type": "text", "text": answer_of(reply)}));
        }
        let message = json!({
            "id": self.id, "type": "message", "role": "assistant", "model": self.model, "content": content,
            "stop_reason": stop_reason(reply.finish), "stop_sequence": null, "usage": counts(usage, usage.completion),
        });
        out.extend_from_slice(message.to_string().as_bytes());
    }

    fn tool_id(&self) -> String {
        self.id.replace("msg", "toolu")
    }
}

pub(super) fn error(message: &str, out: &mut Vec<u8>) {
    named_event("error", &json!({"type": "error", "error": {"type": "api_error", "message": message}}), out);
}

/// Thinking comes first.
fn index(reply: &GeneratedReply, kind: PieceKind) -> u32 {
    u32::from(reply.reasoning > 0 && kind != PieceKind::Reasoning)
}

fn stop_block(index: u32, out: &mut Vec<u8>) {
    named_event("content_block_stop", &json!({"type": "content_block_stop", "index": index}), out);
}

const fn stop_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "end_turn",
        Finish::Length => "max_tokens",
        Finish::ToolCalls => "tool_use",
    }
}

/// In this API the cached part of the prompt is counted next to the rest, not within it.
fn counts(usage: UsageCounts, output: u32) -> Value {
    match usage.cached {
        Some(cached) => json!({
            "input_tokens": usage.prompt - cached, "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": 0, "output_tokens": output,
        }),
        None => json!({"input_tokens": usage.prompt, "output_tokens": output}),
    }
}
