//! One span of a trace: whether it is a model call with an answer, and what it requested. Attribute names follow the
//! semantic conventions of OpenTelemetry for generative AI.

use aiperf_conversation::Turn;
use serde_json::{Map, Value};

use super::span_time::SpanTime;
use crate::public::recipe::span_message::{messages, parsed, tools};

/// Settings of a call that are copied into the body of the turn.
const SETTINGS: [(&str, &str); 2] = [("request.temperature", "temperature"), ("request.stop_sequences", "stop")];
/// The status code of a failed span in OpenTelemetry.
const FAILED: i64 = 2;

pub(super) struct OtelSpan<'a> {
    fields: &'a Map<String, Value>,
    attributes: Value,
}

impl<'a> OtelSpan<'a> {
    /// `None` if the span has no attributes.
    pub(super) fn of(value: &'a Value) -> Option<Self> {
        let fields = value.as_object()?;
        Some(Self { attributes: parsed(fields.get("attributes")?), fields })
    }

    fn attribute(&self, name: &str) -> Option<&Value> {
        self.attributes.get(format!("gen_ai.{name}")).filter(|value| !value.is_null())
    }

    fn number(&self, name: &str) -> Option<u32> {
        let value = self.attribute(name)?;
        let number = value.as_f64().or_else(|| value.as_str()?.parse().ok())?;
        (0.0..=f64::from(u32::MAX)).contains(&number).then_some(number as u32)
    }

    pub(super) fn time(&self, field: &str) -> Option<SpanTime> {
        self.fields.get(field).and_then(SpanTime::read)
    }

    /// Whether the span is a model call with messages that was answered.
    pub(super) fn was_answered(&self) -> bool {
        let operation = self.attribute("operation.name").and_then(Value::as_str);
        let is_other = operation.is_some_and(|operation| operation != "chat");
        !is_other && !self.failed() && self.number("usage.output_tokens") != Some(0)
    }

    /// Whether the span failed. A status is a code, the name of a code, or a record with one of them.
    fn failed(&self) -> bool {
        let status = self.fields.get("status").map_or(Value::Null, parsed);
        let code = ["code", "status_code"].iter().find_map(|name| status.get(*name)).unwrap_or(&status);
        code.as_i64() == Some(FAILED) || code.as_str().is_some_and(|name| name.to_ascii_uppercase().ends_with("ERROR"))
    }

    /// The request as a turn; `None` if it has no messages.
    pub(super) fn turn(&self) -> Option<Turn> {
        let said = messages(self.attribute("system_instructions"), self.attribute("input.messages")?);
        if said.is_empty() {
            return None;
        }
        let limit = self.number("request.max_tokens").filter(|limit| *limit > 0);
        let settings: Map<String, Value> = SETTINGS
            .iter()
            .filter_map(|(attribute, field)| Some(((*field).to_owned(), parsed(self.attribute(attribute)?))))
            .filter(|(_, value)| value.as_array().is_none_or(|list| !list.is_empty()))
            .collect();
        Some(Turn {
            raw_messages: Some(said),
            raw_tools: self.attribute("tool.definitions").and_then(tools),
            max_tokens: limit.or_else(|| self.number("usage.output_tokens")),
            extra_body: (!settings.is_empty()).then_some(settings),
            ..Turn::default()
        })
    }
}
