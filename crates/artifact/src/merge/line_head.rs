//! What merging needs of a line of records, without its metrics, and how a line gets the node that it comes from.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// How our own lines and those of the reference begin.
const OPENING: &[u8] = br#"{"metadata":{"#;
/// What stands before the value of a time.
const TIME: &[u8] = b"_ns\":";

#[derive(Debug, Deserialize)]
pub(super) struct LineHead<'a> {
    #[serde(borrow)]
    pub(super) metadata: HeadMetadata<'a>,
    #[serde(default)]
    pub(super) error: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
pub(super) struct HeadMetadata<'a> {
    #[serde(borrow, default)]
    pub(super) x_request_id: Option<Cow<'a, str>>,
    #[serde(default)]
    pub(super) credit_issued_ns: Option<u64>,
    pub(super) request_start_ns: u64,
    pub(super) request_end_ns: u64,
    #[serde(borrow, default)]
    pub(super) phase_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) benchmark_phase: Option<Cow<'a, str>>,
    #[serde(default)]
    pub(super) was_cancelled: bool,
    #[serde(default)]
    node: Option<IgnoredAny>,
}

impl HeadMetadata<'_> {
    pub(super) fn phase(&self) -> &str {
        self.phase_name.as_deref().or(self.benchmark_phase.as_deref()).unwrap_or("profiling")
    }

    /// Whether it says already which node it comes from: then it was merged before.
    pub(super) fn has_node(&self) -> bool {
        self.node.is_some()
    }
}

/// What the metadata of a line gets.
#[derive(Debug)]
pub(super) struct NodeFields {
    fields: Map<String, Value>,
    /// The same as text, without braces.
    text: String,
}

impl NodeFields {
    pub(super) fn new(fields: Map<String, Value>) -> Self {
        let text = Value::Object(fields.clone()).to_string();
        let text = text.trim_start_matches('{').trim_end_matches('}').to_owned();
        Self { fields, text }
    }

    /// The line with these fields in its metadata.
    pub(super) fn put_into(&self, line: &[u8]) -> Vec<u8> {
        if let Some(rest) = line.strip_prefix(OPENING).filter(|rest| !rest.trim_ascii_start().starts_with(b"}")) {
            return [OPENING, self.text.as_bytes(), b",", rest].concat();
        }
        let Ok(mut value) = serde_json::from_slice::<Value>(line) else { return line.to_vec() };
        if let Some(metadata) = value["metadata"].as_object_mut() {
            metadata.extend(self.fields.clone());
        }
        value.to_string().into_bytes()
    }
}

/// The line with every epoch time moved by this many nanoseconds. Epoch times are the values of 19 digits whose name ends in `_ns`.
pub(super) fn shifted(line: Vec<u8>, nanos: i64) -> Vec<u8> {
    if nanos == 0 {
        return line;
    }
    let mut moved = Vec::with_capacity(line.len());
    let mut rest = &line[..];
    while let Some(place) = rest.windows(TIME.len()).position(|window| window == TIME) {
        let (before, after) = rest.split_at(place + TIME.len());
        moved.extend_from_slice(before);
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let time = std::str::from_utf8(&after[..digits])
            .ok()
            .filter(|_| digits == 19)
            .and_then(|time| time.parse::<u64>().ok());
        match time {
            Some(time) => moved.extend_from_slice(time.saturating_add_signed(nanos).to_string().as_bytes()),
            None => moved.extend_from_slice(&after[..digits]),
        }
        rest = &after[digits..];
    }
    moved.extend_from_slice(rest);
    moved
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_gets_its_node_whatever_its_layout() {
        let node = json!({"node": "node-1", "clock_bound_ns": 5}).as_object().unwrap().clone();
        for line in [r#"{"metadata":{"a":1},"metrics":{"}":2}}"#, r#"{ "metrics": {"}":2}, "metadata": {"a": 1} }"#] {
            let made: Value = serde_json::from_slice(&NodeFields::new(node.clone()).put_into(line.as_bytes())).unwrap();
            assert_eq!(
                made,
                json!({"metadata":{"node":"node-1","clock_bound_ns":5,"a":1},"metrics":{"}":2}}),
                "{line}"
            );
        }
        let line = br#"{"a_ns":1794704108908411000,"b_ns":12,"c_ns":1794704108908411001}"#.to_vec();
        let expected = br#"{"a_ns":1794704108908410995,"b_ns":12,"c_ns":1794704108908410996}"#.to_vec();
        assert_eq!(shifted(line, -5), expected);
        let line = br#"{"metadata":{},"metrics":{}}"#;
        assert_eq!(NodeFields::new(Map::new()).put_into(line), line);
    }
}
