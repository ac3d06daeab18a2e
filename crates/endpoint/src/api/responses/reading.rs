//! Reads responses of the Responses API: one object, or events that each name their type.

use std::collections::BTreeSet;

use aiperf_protocol::Reply;
use serde_json::{Map, Value, json};

use super::{ID, STORE};
use crate::reply::documents::{EventError, EventResult, is_truthy, text, tree};
use crate::reply::in_band;
use crate::reply::spec_decode::EngineMetrics;
use crate::reply::stream_reader::EventParser;
use crate::reply::surrogate;
use crate::reply::tool_call::CallFragment;
use crate::reply::transcript::Transcript;
use crate::reply::usage::UsageField;
use crate::request::message::OUTPUT_ITEMS;

/// Items that the server made for itself, and does not want back.
const NOT_REPEATED: [&str; 6] = [
    "reasoning",
    "web_search_call",
    "file_search_call",
    "image_generation_call",
    "code_interpreter_call",
    "computer_call",
];

/// Reads the events of one response.
#[derive(Debug, Default)]
pub(super) struct ResponsesReader {
    /// Parts that arrived already, so that their repetition in one piece is not counted again.
    seen: BTreeSet<OutputPart>,
    /// Items whose call was named.
    named: BTreeSet<u64>,
    /// Finished items, in order, each once.
    items: Vec<Value>,
    id: Option<String>,
    stored: bool,
    /// Cut off by the token limit: its items are not whole.
    incomplete: bool,
}

/// A piece of the output by its numbers: that of the item, and that of the part within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum OutputPart {
    Text(u64, u64),
    Reasoning(u64, u64),
    Summary(u64, u64),
    CallArguments(u64),
}

impl EventParser for ResponsesReader {
    fn parse(&mut self, data: &str, transcript: &mut Transcript) -> EventResult {
        self.parse_event(data, transcript)
    }

    fn complete(self, reply: &mut Reply) {
        reply.native_message = Some(self.into_native_message());
        reply.native_message.iter_mut().for_each(surrogate::resolve_value);
    }
}

impl ResponsesReader {
    fn parse_event(&mut self, data: &str, transcript: &mut Transcript) -> EventResult {
        let event = tree(data)?;
        let kind = text(&event, "type");
        if kind == "response.error" {
            return Err(EventError::Failed(in_band::error_object(data)));
        }
        if let Some(response) = event.get("response").filter(|_| kind.starts_with("response.")) {
            if let Some(error) = failure(kind, response, data) {
                return Err(error);
            }
            if matches!(kind, "response.completed" | "response.incomplete") {
                self.end(response, transcript);
            }
        } else if kind.starts_with("response.") {
            self.hear_event(kind, &event, transcript);
        } else if event.get("output").is_some() || event.get("output_text").is_some() {
            if let Some(error) = failure("", &event, data) {
                return Err(error);
            }
            self.end(&event, transcript);
        }
        Ok(())
    }

    fn hear_event(&mut self, kind: &str, event: &Value, transcript: &mut Transcript) {
        let item = number(event, "output_index");
        let part = number(event, "content_index");
        let delta = text(event, "delta");
        match kind {
            "response.output_text.delta" | "response.refusal.delta" => {
                self.go_on(OutputPart::Text(item, part), delta, transcript);
            }
            "response.output_text.done" => self.complete(OutputPart::Text(item, part), text(event, "text"), transcript),
            "response.refusal.done" => self.complete(OutputPart::Text(item, part), text(event, "refusal"), transcript),
            "response.reasoning_text.delta" => self.go_on(OutputPart::Reasoning(item, part), delta, transcript),
            "response.reasoning_text.done" => {
                self.complete(OutputPart::Reasoning(item, part), text(event, "text"), transcript);
            }
            "response.reasoning_summary_text.delta" => {
                self.go_on(OutputPart::Summary(item, number(event, "summary_index")), delta, transcript);
            }
            "response.reasoning_summary_text.done" => {
                let place = OutputPart::Summary(item, number(event, "summary_index"));
                self.complete(place, text(event, "text"), transcript);
            }
            "response.output_item.added" => self.name_call(item, &event["item"], transcript),
            "response.output_item.done" => {
                let done = &event["item"];
                self.name_call(item, done, transcript);
                self.complete(OutputPart::CallArguments(item), arguments(done), transcript);
                self.keep(done);
            }
            "response.function_call_arguments.delta"
            | "response.custom_tool_call_input.delta"
            | "response.mcp_call_arguments.delta" => self.go_on(OutputPart::CallArguments(item), delta, transcript),
            "response.function_call_arguments.done"
            | "response.custom_tool_call_input.done"
            | "response.mcp_call_arguments.done" => {
                self.complete(OutputPart::CallArguments(item), arguments(event), transcript);
            }
            _ => {}
        }
    }

    /// A piece of what stands at a place.
    fn go_on(&mut self, place: OutputPart, piece: &str, transcript: &mut Transcript) {
        // A summary adds nothing to reasoning that came in full.
        let is_known = matches!(place, OutputPart::Summary(item, _) if self.has_thought(item));
        if piece.is_empty() || is_known {
            return;
        }
        self.seen.insert(place);
        match place {
            OutputPart::Text(..) => transcript.text(0, piece),
            OutputPart::Reasoning(..) | OutputPart::Summary(..) => transcript.reasoning(0, piece),
            OutputPart::CallArguments(item) => {
                transcript
                    .tool_call(0, CallFragment { index: Some(item), arguments: piece, ..CallFragment::default() });
            }
        }
    }

    fn has_thought(&self, item: u64) -> bool {
        self.seen.range(OutputPart::Reasoning(item, 0)..=OutputPart::Reasoning(item, u64::MAX)).next().is_some()
    }

    /// All that stands at a place, where it did not come in pieces.
    fn complete(&mut self, place: OutputPart, whole: &str, transcript: &mut Transcript) {
        if !self.seen.contains(&place) {
            self.go_on(place, whole, transcript);
        }
    }

    fn name_call(&mut self, place: u64, item: &Value, transcript: &mut Transcript) {
        let is_call = text(item, "type").ends_with("_call") && !text(item, "name").is_empty();
        if is_call && self.named.insert(place) {
            let (id, name) = (text(item, "call_id"), text(item, "name"));
            transcript.tool_call(0, CallFragment { index: Some(place), id, name, ..CallFragment::default() });
        }
    }

    /// A finished response: of each kind of content all of it, where nothing of that kind came before. The numbers of
    /// items are of no help there, since some servers give the same one to all that they stream.
    fn end(&mut self, response: &Value, transcript: &mut Transcript) {
        let listed = response["output"].as_array().filter(|items| !items.is_empty());
        let items = listed.cloned().unwrap_or_else(|| self.items.clone());
        let has = |is_kind: fn(&OutputPart) -> bool| self.seen.iter().any(is_kind);
        let has_text = has(|place| matches!(place, OutputPart::Text(..)));
        let has_reasoning = has(|place| matches!(place, OutputPart::Reasoning(..) | OutputPart::Summary(..)));
        let has_call = !self.named.is_empty() || has(|place| matches!(place, OutputPart::CallArguments(_)));
        for (item, place) in items.iter().zip(0..) {
            let known = match text(item, "type") {
                "message" => has_text,
                "reasoning" => has_reasoning,
                _ => has_call,
            };
            if !known {
                self.append(place, item, transcript);
            }
            self.keep(item);
        }
        if self.seen.is_empty() && self.named.is_empty() {
            transcript.text(0, text(response, "output_text"));
        }
        transcript.usage(UsageField::within(response, "usage"));
        if let Some(metrics) = EngineMetrics::within(response) {
            metrics.append(transcript);
        }
        let status = text(response, "status");
        self.incomplete = status == "incomplete";
        self.stored = response["store"].as_bool().unwrap_or(false);
        self.id = Some(text(response, "id").to_owned()).filter(|id| !id.is_empty() && !self.incomplete);
        let reason = text(&response["incomplete_details"], "reason");
        transcript.finish_reason(0, if reason.is_empty() { status } else { reason });
    }

    /// Appends a complete item.
    fn append(&mut self, place: u64, item: &Value, transcript: &mut Transcript) {
        let parts = |name: &str| item[name].as_array().into_iter().flatten().zip(0..);
        match text(item, "type") {
            "reasoning" => {
                for (part, number) in parts("content") {
                    self.complete(OutputPart::Reasoning(place, number), text(part, "text"), transcript);
                }
                for (part, number) in parts("summary") {
                    self.complete(OutputPart::Summary(place, number), text(part, "text"), transcript);
                }
            }
            "message" => {
                for (part, number) in parts("content") {
                    let words = [text(part, "text"), text(part, "refusal")].concat();
                    self.complete(OutputPart::Text(place, number), &words, transcript);
                }
            }
            _ => {
                self.name_call(place, item, transcript);
                self.complete(OutputPart::CallArguments(place), arguments(item), transcript);
            }
        }
    }

    fn keep(&mut self, item: &Value) {
        let names = ["id", "call_id", "item_id"];
        let same =
            |there: &Value| names.iter().any(|name| !text(there, name).is_empty() && there[*name] == item[*name]);
        let repeated = !NOT_REPEATED.contains(&text(item, "type")) && item.is_object();
        if repeated && !self.items.iter().any(same) {
            self.items.push(item.clone());
        }
    }

    /// The reply as later turns repeat it. Items of a response that was cut off are not whole: its text goes instead.
    fn into_native_message(self) -> Value {
        let mut message = Map::new();
        message.insert(OUTPUT_ITEMS.to_owned(), Value::Array(if self.incomplete { Vec::new() } else { self.items }));
        if let Some(id) = self.id {
            message.insert(ID.to_owned(), Value::String(id));
        }
        message.insert(STORE.to_owned(), json!(self.stored));
        Value::Object(message)
    }
}

/// A failed response is known by its event, its status or its error.
fn failure(kind: &str, response: &Value, data: &str) -> Option<EventError> {
    let failed = kind == "response.failed"
        || matches!(text(response, "status"), "failed" | "cancelled")
        || response.get("error").is_some_and(is_truthy);
    failed.then(|| {
        let error = response.get("error").filter(|error| is_truthy(error));
        let error_text = error.map_or_else(|| data.to_owned(), |error| json!({ "error": error }).to_string());
        EventError::Failed(in_band::error_object(&error_text))
    })
}

/// What a tool is called with: JSON, or for a tool of the user's own grammar a text.
fn arguments(call: &Value) -> &str {
    Some(text(call, "arguments")).filter(|arguments| !arguments.is_empty()).unwrap_or_else(|| text(call, "input"))
}

fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}
