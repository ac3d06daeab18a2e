//! What the Responses API answers: one object, or events that each name their type.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{ID, STORE};
use crate::documents::{Heard, is_truthy, tree};
use crate::in_band;
use crate::message::SAID_ITEMS;
use crate::tool_call::CallFragment;
use crate::transcript::Transcript;
use crate::usage::UsageField;

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
pub(super) struct Reader {
    /// What came piece by piece, so that its repetition in one piece is not counted again.
    heard: BTreeSet<Place>,
    /// Finished items, in order, each once.
    items: Vec<Value>,
    id: Option<String>,
    stored: bool,
    /// Cut off by the token limit: its items are not whole.
    incomplete: bool,
}

/// A piece of the output by its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Text(u64, u64),
    Reasoning(u64),
    CallName(u64),
    CallArguments(u64),
}

impl Reader {
    pub(super) fn hear(&mut self, data: &str, transcript: &mut Transcript) -> Heard {
        let event = match tree(data) {
            Ok(event) => event,
            Err(heard) => return heard,
        };
        let kind = text(&event, "type");
        if let Some(response) = event.get("response").filter(|_| kind.starts_with("response.")) {
            if let Some(error) = failure(kind, response, data) {
                return error;
            }
            if matches!(kind, "response.completed" | "response.incomplete") {
                self.end(response, transcript);
            }
        } else if kind.starts_with("response.") {
            self.hear_event(kind, &event, transcript);
        } else if event.get("output").is_some() || event.get("output_text").is_some() {
            if let Some(error) = failure("", &event, data) {
                return error;
            }
            self.end(&event, transcript);
        }
        Heard::Understood
    }

    fn hear_event(&mut self, kind: &str, event: &Value, transcript: &mut Transcript) {
        let output = number(event, "output_index");
        let place = Place::Text(output, number(event, "content_index"));
        let delta = text(event, "delta");
        match kind {
            "response.output_text.delta" | "response.refusal.delta" => {
                self.heard.insert(place);
                transcript.text(0, delta);
            }
            "response.output_text.done" if self.heard.insert(place) => transcript.text(0, text(event, "text")),
            "response.refusal.done" if self.heard.insert(place) => transcript.text(0, text(event, "refusal")),
            "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
                self.heard.insert(Place::Reasoning(output));
                transcript.reasoning(0, delta);
            }
            "response.reasoning_text.done" | "response.reasoning_summary_text.done"
                if self.heard.insert(Place::Reasoning(output)) =>
            {
                transcript.reasoning(0, text(event, "text"));
            }
            "response.output_item.added" => self.name_call(output, &event["item"], transcript),
            "response.output_item.done" => {
                let item = &event["item"];
                self.name_call(output, item, transcript);
                self.complete_call(output, text(item, "arguments"), transcript);
                self.keep(item);
            }
            "response.function_call_arguments.delta"
            | "response.custom_tool_call_input.delta"
            | "response.mcp_call_arguments.delta" => {
                self.heard.insert(Place::CallArguments(output));
                transcript
                    .tool_call(0, CallFragment { index: Some(output), arguments: delta, ..CallFragment::default() });
            }
            "response.function_call_arguments.done" => {
                self.complete_call(output, text(event, "arguments"), transcript);
            }
            _ => {}
        }
    }

    fn name_call(&mut self, output: u64, item: &Value, transcript: &mut Transcript) {
        let is_call = text(item, "type").ends_with("_call") && !text(item, "name").is_empty();
        if is_call && self.heard.insert(Place::CallName(output)) {
            let (id, name) = (text(item, "call_id"), text(item, "name"));
            transcript.tool_call(0, CallFragment { index: Some(output), id, name, arguments: "" });
        }
    }

    /// The whole arguments, where they did not come in pieces.
    fn complete_call(&mut self, output: u64, arguments: &str, transcript: &mut Transcript) {
        if !arguments.is_empty() && self.heard.insert(Place::CallArguments(output)) {
            transcript.tool_call(0, CallFragment { index: Some(output), arguments, ..CallFragment::default() });
        }
    }

    /// A finished response: all of it, where nothing came before.
    fn end(&mut self, response: &Value, transcript: &mut Transcript) {
        let items = response["output"].as_array().map(Vec::as_slice).unwrap_or_default();
        if self.heard.is_empty() {
            for (place, item) in items.iter().enumerate() {
                self.speak(place as u64, item, transcript);
            }
            if self.heard.is_empty() {
                transcript.text(0, text(response, "output_text"));
            }
        }
        for item in items {
            self.keep(item);
        }
        transcript.usage(UsageField::deserialize(&response["usage"]).unwrap_or_default().0);
        let status = text(response, "status");
        self.incomplete = status == "incomplete";
        self.stored = response["store"].as_bool().unwrap_or(false);
        self.id = Some(text(response, "id").to_owned()).filter(|id| !id.is_empty() && !self.incomplete);
        let reason = text(&response["incomplete_details"], "reason");
        transcript.finish_reason(0, if reason.is_empty() { status } else { reason });
    }

    fn speak(&mut self, place: u64, item: &Value, transcript: &mut Transcript) {
        let parts = |name: &str| item[name].as_array().cloned().unwrap_or_default();
        match text(item, "type") {
            "reasoning" => {
                let thought: String = parts("content").iter().map(|part| text(part, "text")).collect();
                let summary: String = parts("summary").iter().map(|part| text(part, "text")).collect();
                self.heard.insert(Place::Reasoning(place));
                transcript.reasoning(0, if thought.is_empty() { &summary } else { &thought });
            }
            "message" => {
                for part in parts("content") {
                    self.heard.insert(Place::Text(place, 0));
                    transcript.text(0, text(&part, "text"));
                    transcript.text(0, text(&part, "refusal"));
                }
            }
            _ => {
                self.name_call(place, item, transcript);
                self.complete_call(place, text(item, "arguments"), transcript);
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
    pub(super) fn into_said(self) -> Value {
        let mut said = Map::new();
        said.insert(SAID_ITEMS.to_owned(), Value::Array(if self.incomplete { Vec::new() } else { self.items }));
        if let Some(id) = self.id {
            said.insert(ID.to_owned(), Value::String(id));
        }
        said.insert(STORE.to_owned(), json!(self.stored));
        Value::Object(said)
    }
}

/// A response that failed says so by its event, its status or its error.
fn failure(kind: &str, response: &Value, data: &str) -> Option<Heard> {
    let failed = kind == "response.failed"
        || matches!(text(response, "status"), "failed" | "cancelled")
        || response.get("error").is_some_and(is_truthy);
    failed.then(|| {
        let error = response.get("error").filter(|error| is_truthy(error));
        let said = error.map_or_else(|| data.to_owned(), |error| json!({ "error": error }).to_string());
        Heard::Failed(in_band::error_object(&said))
    })
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}
