//! Which format a file is taken for, row by row and sample by sample.

use super::*;
use crate::file::input_data::LoadedFile;

fn detected(name: &str, content: &str) -> String {
    let document = LoadedFile { path: name.into(), bytes: content.as_bytes().to_vec() };
    shown(format(&InputData::File(document)))
}

fn shown(result: Result<FileFormat, DatasetError>) -> String {
    match result {
        Ok(format) => format.name().to_owned(),
        Err(other) => other.to_string(),
    }
}

fn fixture(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
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
}

#[test]
fn every_sample_is_recognised() {
    for (name, format) in [
        ("single_turn.jsonl", "single_turn"),
        ("multi_turn.jsonl", "multi_turn"),
        ("dag.jsonl", "dag_jsonl"),
        ("dag_orchestrator.jsonl", "dag_jsonl"),
        ("random_pool.jsonl", "single_turn"),
        ("random_pool_dir", "random_pool"),
        ("raw_payload.jsonl", "raw_payload"),
        ("raw_payload_dir", "raw_payload"),
        ("inputs.json", "inputs_json"),
        ("sagemaker_capture.jsonl", "sagemaker_data_capture"),
        ("qualitative.jsonl", "speed_bench_qualitative"),
        ("weka_traces", "weka_trace"),
        ("tracelab.jsonl", "tracelab"),
    ] {
        assert_eq!(shown(format_of(name)), format, "{name}");
    }
    assert!(shown(format_of("media")).contains("none of the formats that can be a folder"));
}

fn format_of(name: &str) -> Result<FileFormat, DatasetError> {
    format(&InputData::open(&fixture(name))?)
}

#[test]
fn a_row_that_names_its_type_is_one_of_that_type() {
    assert_eq!(detected("a.jsonl", r#"{"type":"random_pool","text":"a"}"#), "random_pool");
    assert_eq!(detected("a.jsonl", r#"{"type":"raw_payload","messages":[]}"#), "raw_payload");
    assert_eq!(detected("a.jsonl", r#"{"type":"text","text":"a"}"#), "single_turn", "a name of its own");
}

#[test]
fn a_row_of_messages_is_a_body_or_a_recorded_request_or_nobody_knows() {
    for (row, format) in [
        (r#"{"model":"m","messages":[],"max_tokens":4}"#, "raw_payload"),
        (r#"{"timestamp":5,"messages":[]}"#, "mooncake_trace"),
        (r#"{"output_length":5,"messages":[],"tools":[]}"#, "mooncake_trace"),
    ] {
        assert_eq!(detected("a.jsonl", row), format, "{row}");
    }
    for row in [r#"{"messages":[]}"#, r#"{"model":"m","messages":[],"timestamp":5}"#] {
        let message = detected("a.jsonl", row);
        assert!(message.contains("could be raw_payload or mooncake_trace"), "{message}");
        assert!(message.contains("--custom-dataset-type"), "{message}");
    }
}

#[test]
fn rows_of_speed_bench_are_told_by_the_name_of_the_file_or_by_their_category() {
    let row = |category: &str| format!(r#"{{"question_id":"q","category":"{category}","messages":[]}}"#);
    for (name, category, format) in [
        ("any.jsonl", "coding", "speed_bench_qualitative"),
        ("qualitative.jsonl", "a new one", "speed_bench_qualitative"),
        ("throughput_2k.jsonl", "mixed", "speed_bench_throughput_2k"),
        ("throughput_16k.jsonl.gz", "low_entropy", "speed_bench_throughput_16k"),
    ] {
        assert_eq!(detected(name, &row(category)), format, "{name}");
    }
    let message = detected("any.jsonl", &row("mixed"));
    assert!(message.contains("speed_bench_throughput_1k or speed_bench_throughput_2k"), "{message}");
}

#[test]
fn traces_are_told_by_their_fields_or_columns() {
    for (row, format) in [
        (r#"{"timestamp":54,"input_length":2560,"output_length":9,"hash_ids":[1]}"#, "mooncake_trace"),
        (r#"{"chat_id":1,"timestamp":0.5,"input_length":40,"output_length":6,"type":"text"}"#, "bailian_trace"),
        (r#"{"chat_id":1,"timestamp":0.5,"input_length":40,"output_length":6}"#, "bailian_trace"),
        ("Timestamp,Model,Request tokens,Response tokens\n5,x,1,2", "burst_gpt_trace"),
        (r#"{"session_id":"s","round_index":0,"timing_events":[]}"#, "tracelab"),
        ("{\n \"id\": \"w\", \"models\": [], \"block_size\": 64,\n \"requests\": []}", "weka_trace"),
        ("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44", "azure_trace"),
    ] {
        assert_eq!(detected("a.jsonl", row), format, "{row}");
    }
}

#[test]
fn a_text_file_is_one_of_prompts_unless_it_begins_with_json() {
    assert_eq!(detected("a.txt", "What is this?\nAnd that?"), "plain_text");
    assert_eq!(detected("a.TXT.gz", "What is this?"), "plain_text");
    assert_eq!(detected("a.txt", r#"{"text":"a"}"#), "single_turn");
}

#[test]
fn a_prompt_is_a_text_and_beside_a_model_perhaps_a_body() {
    assert_eq!(detected("a.jsonl", r#"{"prompt":"a"}"#), "single_turn");
    assert!(detected("a.jsonl", r#"{"prompt":"a","model":"m"}"#).contains("single_turn or raw_payload"));
    assert_eq!(detected("a.jsonl", r#"{"input":"a","model":"m"}"#), "raw_payload");
}

#[test]
fn a_parquet_file_is_a_baseten_trace() {
    assert_eq!(detected("a.parquet", "PAR1"), "baseten_trace");
}

#[test]
fn anything_else_is_said_to_be_unknown() {
    assert!(detected("a.jsonl", "just words").contains("line 1 is not valid JSON at column 1"));
    assert!(detected("a.jsonl", "[1]").contains("not an object"));
    assert!(detected("a.jsonl", r#"{"question":"a"}"#).contains("none of the fields"));
    assert!(detected("a.jsonl", r#"{"data":[1]}"#).contains("none of the fields"));
    assert!(detected("a.jsonl", " \n").contains("contains no rows"));
}
