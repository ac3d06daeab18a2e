//! The node that a line of records comes from, written into its metadata.

use serde_json::{Map, Value};

/// How our own lines and those of the reference begin.
const OPENING: &[u8] = br#"{"metadata":{"#;
/// What stands before the value of a time.
const TIME: &[u8] = b"_ns\":";

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

    /// Appends the line with these fields in its metadata, and with every epoch time moved by this many nanoseconds.
    pub(super) fn append(&self, line: &[u8], nanos: i64, to: &mut Vec<u8>) {
        if let Some(rest) = line.strip_prefix(OPENING).filter(|rest| !rest.trim_ascii_start().starts_with(b"}")) {
            for part in [OPENING, self.text.as_bytes(), b","] {
                to.extend_from_slice(part);
            }
            append_moved(rest, nanos, to);
            return;
        }
        let Ok(mut value) = serde_json::from_slice::<Value>(line) else { return append_moved(line, nanos, to) };
        if let Some(metadata) = value["metadata"].as_object_mut() {
            metadata.extend(self.fields.clone());
        }
        append_moved(value.to_string().as_bytes(), nanos, to);
    }
}

/// Epoch times are the values of 19 digits whose name ends in `_ns`.
fn append_moved(line: &[u8], nanos: i64, to: &mut Vec<u8>) {
    if nanos == 0 {
        return to.extend_from_slice(line);
    }
    let mut written = 0;
    for place in memchr::memmem::find_iter(line, TIME) {
        let begin = place + TIME.len();
        let digits = line[begin..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let time = std::str::from_utf8(&line[begin..begin + digits])
            .ok()
            .filter(|_| digits == 19)
            .and_then(|time| time.parse::<u64>().ok());
        if let Some(time) = time {
            to.extend_from_slice(&line[written..begin]);
            to.extend_from_slice(time.saturating_add_signed(nanos).to_string().as_bytes());
            written = begin + digits;
        }
    }
    to.extend_from_slice(&line[written..]);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn appended(fields: Map<String, Value>, line: &[u8], nanos: i64) -> Vec<u8> {
        let mut text = Vec::new();
        NodeFields::new(fields).append(line, nanos, &mut text);
        text
    }

    #[test]
    fn a_line_gets_its_node_whatever_its_layout() {
        let node = json!({"node": "node-1", "clock_bound_ns": 5}).as_object().unwrap().clone();
        for line in [r#"{"metadata":{"a":1},"metrics":{"}":2}}"#, r#"{ "metrics": {"}":2}, "metadata": {"a": 1} }"#] {
            let made: Value = serde_json::from_slice(&appended(node.clone(), line.as_bytes(), 0)).unwrap();
            assert_eq!(
                made,
                json!({"metadata":{"node":"node-1","clock_bound_ns":5,"a":1},"metrics":{"}":2}}),
                "{line}"
            );
        }
        let mut moved = Vec::new();
        append_moved(br#"{"a_ns":1794704108908411000,"b_ns":12,"c_ns":1794704108908411001}"#, -5, &mut moved);
        assert_eq!(moved, br#"{"a_ns":1794704108908410995,"b_ns":12,"c_ns":1794704108908410996}"#);
        let line = br#"{"metadata":{},"metrics":{}}"#;
        assert_eq!(appended(Map::new(), line, 0), line);
    }
}
