//! Which format a file has, from its first object. Formats that are known but not built are refused by their names.

use std::path::Path;

use aiperf_config::FileFormat;
use serde_json::{Map, Value};

use super::{lines, row};
use crate::DatasetError;

/// Names that a row may carry in its `type` field. Other values there belong to the row itself.
const NAMED_TYPES: [&str; 12] = [
    "multi_turn",
    "random_pool",
    "mooncake_trace",
    "bailian_trace",
    "burst_gpt_trace",
    "baseten_trace",
    "raw_payload",
    "inputs_json",
    "dag_jsonl",
    "sagemaker_data_capture",
    "weka_trace",
    "tracelab",
];

pub(crate) fn format(path: &Path, bytes: &[u8]) -> Result<FileFormat, DatasetError> {
    let unsupported = |format| DatasetError::FormatNotSupported { path: path.to_owned(), format };
    let unknown = |reason: String| DatasetError::FormatUnknown { path: path.to_owned(), reason };
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Err(unsupported("a gzip archive"));
    }
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    if matches!(extension.as_str(), "parquet" | "arrow" | "ipc") {
        return Err(unsupported("baseten_trace"));
    }
    let Some((line, first)) = lines::lines(bytes).next() else {
        return Err(DatasetError::NoRows { path: path.to_owned() });
    };
    let object = match serde_json::from_slice::<Value>(first) {
        Ok(Value::Object(object)) => object,
        Ok(_) => return Err(unknown(format!("line {line} is JSON, but not an object"))),
        Err(_) if is_burst_gpt_header(first) => return Err(unsupported("burst_gpt_trace")),
        // A document over many lines rather than a line per object.
        Err(error) => match serde_json::from_slice::<Map<String, Value>>(bytes) {
            Ok(document) => document,
            Err(_) => return Err(unknown(format!("line {line} is not a JSON object ({error})"))),
        },
    };
    match recognise(&object) {
        Some("single_turn") => Ok(FileFormat::SingleTurn),
        Some("multi_turn") => Ok(FileFormat::MultiTurn),
        Some("dag_jsonl") => Ok(FileFormat::DagJsonl),
        Some(format) => Err(unsupported(format)),
        None => Err(unknown(format!("the object in line {line} has none of the fields of a known format"))),
    }
}

fn is_burst_gpt_header(line: &[u8]) -> bool {
    let header = String::from_utf8_lossy(line);
    ["Timestamp", "Request tokens", "Response tokens"].iter().all(|column| header.contains(column))
}

fn recognise(object: &Map<String, Value>) -> Option<&'static str> {
    let has = |field: &str| object.get(field).is_some_and(|value| !value.is_null());
    let all = |fields: &[&str]| fields.iter().all(|field| has(field));
    if let Some(named) = object.get("type").and_then(Value::as_str) {
        if named == "single_turn" {
            return Some("single_turn");
        }
        if let Some(known) = NAMED_TYPES.iter().find(|known| **known == named) {
            return Some(known);
        }
    }
    if all(&["captureData", "eventMetadata"]) {
        Some("sagemaker_data_capture")
    } else if all(&["session_id", "round_index", "timing_events"]) {
        Some("tracelab")
    } else if all(&["chat_id", "timestamp", "input_length", "output_length"]) {
        Some("bailian_trace")
    } else if all(&["question_id", "category", "messages"]) {
        Some("speed_bench")
    } else if object.get("data").is_some_and(Value::is_array) {
        Some("inputs_json")
    } else if all(&["models", "block_size", "requests"]) {
        Some("weka_trace")
    } else if let Some(turns) = object.get("turns").and_then(Value::as_array) {
        let of_a_graph = |turn: &Value| ["messages", "forks", "spawns"].iter().any(|key| turn.get(key).is_some());
        Some(if turns.iter().any(of_a_graph) { "dag_jsonl" } else { "multi_turn" })
    } else if all(&["session_id", "orchestrator"]) {
        Some("dag_jsonl")
    } else if has("messages") {
        Some("raw_payload or mooncake_trace")
    } else if ["input_length", "text_input", "payload"].iter().any(|field| has(field)) {
        Some("mooncake_trace")
    } else {
        row::CONTENT_FIELDS.iter().any(|field| has(field)).then_some("single_turn")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(name: &str, content: &str) -> String {
        match format(Path::new(name), content.as_bytes()) {
            Ok(FileFormat::SingleTurn) => "single_turn".to_owned(),
            Ok(FileFormat::MultiTurn) => "multi_turn".to_owned(),
            Ok(FileFormat::DagJsonl) => "dag_jsonl".to_owned(),
            Err(DatasetError::FormatNotSupported { format, .. }) => format!("refused {format}"),
            Err(other) => other.to_string(),
        }
    }

    #[test]
    fn rows_with_content_are_single_turn() {
        for row in [r#"{"text":"a"}"#, "\n\n{\"images\":[\"a.png\"]}\n", "\u{feff}{\"text\":\"a\"}"] {
            assert_eq!(detected("a.jsonl", row), "single_turn", "{row}");
        }
        assert_eq!(detected("a.jsonl", r#"{"type":"single_turn","text":"a"}"#), "single_turn");
    }

    #[test]
    fn rows_with_turns_are_conversations_or_a_graph_of_them() {
        for (row, format) in [
            (r#"{"session_id":"m1","turns":[{"text":"Hi"}]}"#, "multi_turn"),
            (r#"{"turns":[{"role":"system","text":"s"},{"images":["a.png"]}]}"#, "multi_turn"),
            (r#"{"type":"multi_turn","turns":[{"text":"Hi"}]}"#, "multi_turn"),
            (r#"{"session_id":"r","turns":[{"messages":[],"spawns":["a"]}]}"#, "dag_jsonl"),
            (r#"{"session_id":"r","turns":[{"messages":[{"role":"user","content":"a"}]}]}"#, "dag_jsonl"),
            (r#"{"session_id":"s","orchestrator":true,"spawns":["a"],"rounds":2}"#, "dag_jsonl"),
        ] {
            assert_eq!(detected("a.jsonl", row), format, "{row}");
        }
        assert_eq!(detected("a.jsonl", include_str!("../../tests/fixtures/multi_turn.jsonl")), "multi_turn");
        assert_eq!(detected("a.jsonl", include_str!("../../tests/fixtures/dag.jsonl")), "dag_jsonl");
        assert_eq!(detected("a.jsonl", include_str!("../../tests/fixtures/dag_orchestrator.jsonl")), "dag_jsonl");
    }

    #[test]
    fn known_formats_that_are_not_built_are_refused_by_name() {
        for (row, format) in [
            (r#"{"timestamp":54,"input_length":2560,"output_length":9,"hash_ids":[1]}"#, "mooncake_trace"),
            (r#"{"chat_id":1,"timestamp":0.5,"input_length":40,"output_length":6,"type":"text"}"#, "bailian_trace"),
            (r#"{"model":"m","messages":[]}"#, "raw_payload or mooncake_trace"),
            (r#"{"captureData":{},"eventMetadata":{}}"#, "sagemaker_data_capture"),
            (r#"{"session_id":"s","round_index":0,"timing_events":[]}"#, "tracelab"),
            (r#"{"question_id":"q","category":"coding","messages":[]}"#, "speed_bench"),
            (r#"{"type":"random_pool","text":"a"}"#, "random_pool"),
            ("Timestamp,Model,Request tokens,Response tokens\n5,x,1,2", "burst_gpt_trace"),
            ("{\n \"data\": [\n {\"payloads\": []}]}", "inputs_json"),
            ("{\n \"id\": \"w\", \"models\": [], \"block_size\": 64,\n \"requests\": []}", "weka_trace"),
        ] {
            assert_eq!(detected("a.jsonl", row), format!("refused {format}"));
        }
        assert_eq!(detected("a.parquet", "PAR1"), "refused baseten_trace");
    }

    #[test]
    fn anything_else_is_said_to_be_unknown() {
        assert!(detected("a.txt", "just words").contains("line 1 is not a JSON object"));
        assert!(detected("a.jsonl", "[1]").contains("not an object"));
        assert!(detected("a.jsonl", r#"{"prompt":"a"}"#).contains("none of the fields"));
        assert!(detected("a.jsonl", " \n").contains("holds no rows"));
    }
}
