//! Reads responses of Anthropic's messages API: one object with content blocks, or events that build the blocks up.

use std::collections::BTreeMap;

use aiperf_protocol::Reply;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::reply::documents::{EventResult, text, tree};
use crate::reply::stream_reader::EventParser;
use crate::reply::surrogate;
use crate::reply::tool_call::CallFragment;
use crate::reply::transcript::Transcript;
use crate::reply::usage::UsageField;

/// The type of a thought that is given in a form that only the server can read, and which it wants back.
const ENCRYPTED: &str = "redacted_thinking";

/// Reads the events of one message.
#[derive(Debug, Default)]
pub(super) struct MessagesReader {
    blocks: BTreeMap<u64, ContentBlock>,
    /// Counts come in two halves: input with the start of the message, output with its end.
    usage: Map<String, Value>,
}

/// One content block that is being read.
#[derive(Debug, Default)]
struct ContentBlock {
    kind: String,
    text: String,
    thinking: String,
    signature: String,
    id: String,
    name: String,
    /// The input of a tool call as JSON text.
    input: String,
    /// A thought that only the server can read.
    encrypted: String,
}

impl EventParser for MessagesReader {
    fn parse(&mut self, data: &str, transcript: &mut Transcript) -> EventResult {
        self.parse_event(data, transcript)
    }

    fn complete(self, reply: &mut Reply) {
        reply.native_message = self.into_native_message();
        reply.native_message.iter_mut().for_each(surrogate::resolve_value);
    }
}

impl MessagesReader {
    fn parse_event(&mut self, data: &str, transcript: &mut Transcript) -> EventResult {
        let event = tree(data)?;
        let index = event["index"].as_u64().unwrap_or(0);
        match text(&event, "type") {
            "message_start" => self.take_message(&event["message"], transcript),
            "content_block_start" => self.begin(index, &event["content_block"], transcript),
            "content_block_delta" => self.go_on(index, &event["delta"], transcript),
            "message_delta" => stop(&event["delta"], transcript),
            "message_stop" => transcript.end_mark(),
            "message" => self.take_message(&event, transcript),
            // A message without a type.
            "" if event["content"].is_array() => self.take_message(&event, transcript),
            _ => {}
        }
        self.take_usage(&event["usage"], transcript);
        Ok(())
    }

    /// A whole message; in a stream its beginning, which as a rule has no content yet.
    fn take_message(&mut self, message: &Value, transcript: &mut Transcript) {
        for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
            self.begin(index as u64, block, transcript);
        }
        stop(message, transcript);
        self.take_usage(&message["usage"], transcript);
    }

    fn begin(&mut self, index: u64, start: &Value, transcript: &mut Transcript) {
        let block = self.blocks.entry(index).or_default();
        text(start, "type").clone_into(&mut block.kind);
        for (place, key) in [(&mut block.text, "text"), (&mut block.thinking, "thinking")] {
            place.push_str(text(start, key));
        }
        block.signature.push_str(text(start, "signature"));
        block.encrypted.push_str(text(start, "data"));
        transcript.text(0, text(start, "text"));
        transcript.reasoning(0, text(start, "thinking"));
        if block.kind == "tool_use" {
            text(start, "id").clone_into(&mut block.id);
            text(start, "name").clone_into(&mut block.name);
            // A stream begins with an empty input and sends it piece by piece.
            let whole = start["input"].as_object().filter(|input| !input.is_empty());
            block.input = whole.map(|_| start["input"].to_string()).unwrap_or_default();
            let (id, name) = (block.id.as_str(), block.name.as_str());
            let arguments = block.input.as_str();
            let whole = CallFragment { index: Some(index), id, name, arguments, ..CallFragment::default() };
            transcript.tool_call(0, whole);
        }
    }

    fn go_on(&mut self, index: u64, delta: &Value, transcript: &mut Transcript) {
        let block = self.blocks.entry(index).or_default();
        let field = |key: &str| text(delta, key);
        match field("type") {
            "text_delta" => {
                block.text.push_str(field("text"));
                transcript.text(0, field("text"));
            }
            "thinking_delta" => {
                "thinking".clone_into(&mut block.kind);
                block.thinking.push_str(field("thinking"));
                transcript.reasoning(0, field("thinking"));
            }
            "signature_delta" => block.signature.push_str(field("signature")),
            "input_json_delta" => {
                let arguments = field("partial_json");
                block.input.push_str(arguments);
                transcript.tool_call(0, CallFragment { index: Some(index), arguments, ..CallFragment::default() });
            }
            _ => {}
        }
    }

    /// Later counts take the place of earlier ones of the same name; the rest stay.
    fn take_usage(&mut self, usage: &Value, transcript: &mut Transcript) {
        let Some(counts) = usage.as_object().filter(|counts| !counts.is_empty()) else { return };
        let known = counts.iter().filter(|(_, count)| !count.is_null());
        self.usage.extend(known.map(|(name, count)| (name.clone(), count.clone())));
        transcript.usage(UsageField::deserialize(&Value::Object(self.usage.clone())).unwrap_or_default().0);
    }

    /// The blocks as later turns send them again; `None` if the text alone is enough.
    fn into_native_message(self) -> Option<Value> {
        if !self.blocks.values().any(|block| matches!(block.kind.as_str(), "thinking" | ENCRYPTED | "tool_use")) {
            return None;
        }
        let blocks = self.blocks.into_values().filter_map(|block| match block.kind.as_str() {
            "thinking" => Some(json!({"type": "thinking", "thinking": block.thinking, "signature": block.signature})),
            ENCRYPTED => Some(json!({"type": ENCRYPTED, "data": block.encrypted})),
            "tool_use" => {
                let input = match block.input.as_str() {
                    "" => json!({}),
                    text => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
                };
                Some(json!({"type": "tool_use", "id": block.id, "name": block.name, "input": input}))
            }
            _ => (!block.text.is_empty()).then(|| json!({"type": "text", "text": block.text})),
        });
        Some(Value::Array(blocks.collect()))
    }
}

fn stop(message: &Value, transcript: &mut Transcript) {
    let reason = text(message, "stop_reason");
    if !reason.is_empty() {
        transcript.finish_reason(0, reason);
    }
}
