//! The Responses API: output items, each announced, streamed and repeated whole.

use std::cell::Cell;

use serde_json::{Value, json};

use super::{ReplyHeader, answer_of, arguments_of, named_event, piece_text, reasoning_of};
use crate::api::dialect::openai::UsageCounts;
use crate::generation::reply::{Finish, GeneratedReply, PieceKind, ReplyPiece, TOOL_NAME};

#[derive(Debug)]
pub(crate) struct ResponsesWriter {
    key: u64,
    created: u64,
    model: String,
    store: bool,
    sequence: Cell<u64>,
}

impl ResponsesWriter {
    pub(super) fn new(head: &ReplyHeader<'_>) -> Self {
        let (key, created, store) = (head.key, head.created, head.store);
        Self { key, created, model: head.model.to_owned(), store, sequence: Cell::new(0) }
    }

    /// The name of the response, by which later requests may refer to it.
    pub(crate) fn id(key: u64) -> String {
        format!("resp_{key:016x}")
    }

    fn event(&self, name: &str, mut fields: Value, out: &mut Vec<u8>) {
        let number = self.sequence.replace(self.sequence.get() + 1);
        fields["type"] = json!(name);
        fields["sequence_number"] = json!(number);
        named_event(name, &fields, out);
    }

    pub(super) fn opening(&self, out: &mut Vec<u8>) {
        let response = self.response("in_progress", &json!([]), &Value::Null);
        self.event("response.created", json!({ "response": response }), out);
        self.event("response.in_progress", json!({ "response": response }), out);
    }

    pub(super) fn piece(&self, reply: &GeneratedReply, piece: ReplyPiece, out: &mut Vec<u8>) {
        let index = u32::from(reply.reasoning > 0 && piece.kind != PieceKind::Reasoning);
        if piece.begins_part() {
            if index > 0 {
                self.finish_reasoning(reply, out);
            }
            let item = match piece.kind {
                PieceKind::Reasoning => json!({"id": self.item_id("rs"), "type": "reasoning", "summary": []}),
                PieceKind::Text => self.message(&json!([]), "in_progress"),
                _ => self.call("", "in_progress"),
            };
            self.event("response.output_item.added", json!({"output_index": index, "item": item}), out);
            if piece.kind == PieceKind::Text {
                let part = json!({"type": "output_text", "text": "", "annotations": []});
                self.event("response.content_part.added", self.at("msg", index, &json!({ "part": part })), out);
            }
        }
        let (name, item) = match piece.kind {
            PieceKind::Reasoning => ("response.reasoning_text.delta", "rs"),
            PieceKind::Text => ("response.output_text.delta", "msg"),
            // The name is in the item.
            PieceKind::ToolName => return,
            _ => ("response.function_call_arguments.delta", "fc"),
        };
        self.event(name, self.at(item, index, &json!({"delta": piece_text(reply, piece)})), out);
    }

    fn finish_reasoning(&self, reply: &GeneratedReply, out: &mut Vec<u8>) {
        let text = reasoning_of(reply);
        self.event("response.reasoning_text.done", self.at("rs", 0, &json!({ "text": text })), out);
        self.event("response.output_item.done", json!({"output_index": 0, "item": self.reasoning(&text)}), out);
    }

    pub(super) fn closing(&self, reply: &GeneratedReply, usage: UsageCounts, out: &mut Vec<u8>) {
        let index = u32::from(reply.reasoning > 0);
        let items = self.items(reply);
        if reply.answer == 0 {
            if reply.reasoning > 0 {
                self.finish_reasoning(reply, out);
            }
        } else {
            if reply.is_tool_call {
                let arguments = json!({"arguments": arguments_of(reply)});
                self.event("response.function_call_arguments.done", self.at("fc", index, &arguments), out);
            } else {
                let text = json!({"text": answer_of(reply)});
                self.event("response.output_text.done", self.at("msg", index, &text), out);
                let part = json!({"part": {"type": "output_text", "text": text["text"], "annotations": []}});
                self.event("response.content_part.done", self.at("msg", index, &part), out);
            }
            self.event("response.output_item.done", json!({"output_index": index, "item": items.last()}), out);
        }
        let response = self.ended(reply, &items, usage);
        let name = if reply.finish == Finish::Length { "response.incomplete" } else { "response.completed" };
        self.event(name, json!({ "response": response }), out);
    }

    pub(super) fn full(&self, reply: &GeneratedReply, usage: UsageCounts, out: &mut Vec<u8>) {
        out.extend_from_slice(self.ended(reply, &self.items(reply), usage).to_string().as_bytes());
    }

    pub(super) fn error(&self, message: &str, out: &mut Vec<u8>) {
        let mut response = self.response("failed", &json!([]), &Value::Null);
        response["error"] = json!({"code": "server_error", "message": message});
        self.event("response.failed", json!({ "response": response }), out);
    }

    fn ended(&self, reply: &GeneratedReply, items: &[Value], usage: UsageCounts) -> Value {
        let cut = reply.finish == Finish::Length;
        let status = if cut { "incomplete" } else { "completed" };
        let mut counts = json!({
            "input_tokens": usage.prompt,
            "output_tokens": usage.completion,
            "total_tokens": usage.prompt + usage.completion,
        });
        if let Some(cached) = usage.cached {
            counts["input_tokens_details"] = json!({"cached_tokens": cached});
        }
        if let Some(reasoning) = usage.reasoning {
            counts["output_tokens_details"] = json!({"reasoning_tokens": reasoning});
        }
        let mut response = self.response(status, &json!(items), &counts);
        if cut {
            response["incomplete_details"] = json!({"reason": "max_output_tokens"});
        }
        response
    }

    fn response(&self, status: &str, output: &Value, usage: &Value) -> Value {
        json!({
            "id": Self::id(self.key), "object": "response", "created_at": self.created, "status": status,
            "error": null, "model": self.model, "output": output, "store": self.store, "usage": usage,
        })
    }

    fn items(&self, reply: &GeneratedReply) -> Vec<Value> {
        let mut items = Vec::new();
        if reply.reasoning > 0 {
            items.push(self.reasoning(&reasoning_of(reply)));
        }
        if reply.is_tool_call {
            items.push(self.call(&arguments_of(reply), "completed"));
        } else if reply.answer > 0 {
            let part = json!({"type": "output_text", "text": answer_of(reply), "annotations": []});
            items.push(self.message(&json!([part]), "completed"));
        }
        items
    }

    fn reasoning(&self, text: &str) -> Value {
        let part = json!({"type": "reasoning_text", "text": text});
        json!({"id": self.item_id("rs"), "type": "reasoning", "summary": [], "content": [part]})
    }

    fn message(&self, content: &Value, status: &str) -> Value {
        json!({"id": self.item_id("msg"), "type": "message", "role": "assistant", "status": status, "content": content})
    }

    fn call(&self, arguments: &str, status: &str) -> Value {
        json!({
            "id": self.item_id("fc"), "type": "function_call", "call_id": self.item_id("call"),
            "name": TOOL_NAME, "arguments": arguments, "status": status,
        })
    }

    fn item_id(&self, prefix: &str) -> String {
        format!("{prefix}_{:016x}", self.key)
    }

    fn at(&self, item: &str, index: u32, fields: &Value) -> Value {
        let mut event = json!({"item_id": self.item_id(item), "output_index": index, "content_index": 0});
        for (name, value) in fields.as_object().into_iter().flatten() {
            event[name] = value.clone();
        }
        event
    }
}
