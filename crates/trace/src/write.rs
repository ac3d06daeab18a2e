//! Writes a trace as Mooncake rows, to which every layout can be converted.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::{Trace, TracePrompt, TraceRequest};

impl Trace {
    /// One JSON object per line. Blocks keep their size.
    pub fn to_mooncake(&self) -> String {
        self.requests.iter().fold(String::new(), |mut text, request| {
            let _ = writeln!(text, "{}", Value::Object(row(request)));
            text
        })
    }
}

pub(crate) fn row(request: &TraceRequest) -> Map<String, Value> {
    let mut row = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            row.insert(name.to_owned(), value);
        }
    };
    put("session_id", request.session.as_deref().map(Value::from));
    put("timestamp", request.timestamp_ms.map(number));
    put("delay", request.delay_ms.map(number));
    let is_synthetic =
        matches!(request.prompt, TracePrompt::Length { .. } | TracePrompt::Text(_) | TracePrompt::Recorded { .. });
    // Rows of this layout add to the history of their session unless they say otherwise.
    let holds_history = request.session.is_some() && request.holds_history && is_synthetic;
    put("context_mode", holds_history.then(|| json!("message_array_with_responses")));
    match &request.prompt {
        TracePrompt::Length { tokens, .. } => put("input_length", Some(json!(tokens))),
        TracePrompt::Text(text) | TracePrompt::Recorded { text, .. } => put("text_input", Some(json!(text))),
        TracePrompt::Messages { messages, tools } => {
            put("messages", Some(json!(messages)));
            put("tools", tools.as_ref().map(|tools| json!(tools)));
        }
        TracePrompt::Payload(body) => put("payload", serde_json::from_str(body.get()).ok()),
    }
    put("output_length", request.output_tokens.map(Value::from));
    // A row with a literal prompt cannot have block ids.
    let sized = matches!(request.prompt, TracePrompt::Length { .. });
    let ids: Vec<i64> = request.blocks().iter().filter(|_| sized).map(|block| block.0).collect();
    put("hash_ids", (!ids.is_empty()).then(|| json!(ids)));
    put("extra", request.extra.clone().map(Value::Object));
    row
}

/// Whole numbers without a fraction, others rounded to a thousandth.
fn number(milliseconds: f64) -> Value {
    let rounded = (milliseconds * 1e3).round() / 1e3;
    if rounded.fract() == 0.0 && rounded.abs() < 9e15 { json!(rounded as i64) } else { json!(rounded) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Layout;

    #[test]
    fn what_is_written_reads_as_what_it_was() {
        for file in [
            include_str!("../tests/fixtures/mooncake_trace.jsonl"),
            include_str!("../tests/fixtures/mooncake_sessions.jsonl"),
            include_str!("../tests/fixtures/mooncake_messages.jsonl"),
            include_str!("../tests/fixtures/mooncake_payload.jsonl"),
            include_str!("../tests/fixtures/bailian_trace.jsonl"),
            include_str!("../tests/fixtures/burst_gpt.csv"),
        ] {
            let trace = Trace::parse(Path::new("a"), file.as_bytes(), None).unwrap();
            let written = trace.to_mooncake();
            let again = Trace::parse(Path::new("b"), written.as_bytes(), Some(Layout::Mooncake)).unwrap();
            assert_eq!(written, again.to_mooncake());
            assert_eq!(trace.requests.len(), again.requests.len());
            let histories = |trace: &Trace| -> Vec<bool> { trace.requests.iter().map(|r| r.holds_history).collect() };
            assert_eq!(histories(&trace), histories(&again), "what is sent of a session stays the same");
        }
    }
}
