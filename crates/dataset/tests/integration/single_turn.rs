//! `single_turn` files through the public door.

use std::path::PathBuf;
use std::sync::Arc;

use aiperf_config::{DatasetConfig, DatasetSource, FileFormat, FileSource, Length, SystemPrompt};
use aiperf_conversation::ContextMode;
use aiperf_dataset::{Dataset, DatasetError, build};
use aiperf_seed::Seed;

use crate::described::{self, builtin};

fn config(path: PathBuf, format: Option<FileFormat>) -> DatasetConfig {
    DatasetConfig {
        models: vec![Arc::from("a"), Arc::from("b")],
        output_tokens: Some(Length::constant(77.0)),
        system_prompt: SystemPrompt::Verbatim(Arc::from("Be brief.")),
        ..described::config(DatasetSource::File(FileSource { format, ..FileSource::of(path) }))
    }
}

fn loaded(path: PathBuf, format: Option<FileFormat>) -> Result<Dataset, DatasetError> {
    build(&config(path, format), Seed::fixed(1), &builtin())
}

fn fixture(name: &str) -> PathBuf {
    described::fixture(name).path
}

fn error_of(content: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.jsonl");
    std::fs::write(&path, content).unwrap();
    loaded(path, Some(FileFormat::SingleTurn)).unwrap_err().to_string()
}

#[test]
fn rows_that_share_a_session_make_one_conversation_and_are_sent_alone() {
    let dataset = loaded(fixture("single_turn_sessions.jsonl"), None).unwrap();
    let shape: Vec<(String, usize)> =
        dataset.conversations().map(|c| (c.session_id.to_string(), c.turns.len())).collect();
    let expected = [("s1", 3), ("s2", 1), ("session_000000", 1), ("s3", 2), ("s4", 2), ("s5", 2)];
    assert_eq!(shape, expected.map(|(id, turns)| (id.to_owned(), turns)));
    let first = &dataset.outlines()[0];
    assert_eq!(first.context_mode, ContextMode::MessageArrayWithResponses);
    let delays: Vec<Option<f64>> = first.turns.iter().map(|turn| turn.delay_ms).collect();
    assert_eq!(delays, [None, Some(500.0), Some(250.0)]);
    assert_eq!(first.turns[1].all_texts().collect::<Vec<_>>(), ["s1 second"]);
}

#[test]
fn a_rows_own_output_length_wins_and_models_go_round_by_turn() {
    let dataset = loaded(fixture("single_turn_sessions.jsonl"), None).unwrap();
    let turns: Vec<_> = dataset.outlines().iter().flat_map(|c| &c.turns).collect();
    let lengths: Vec<u32> = turns.iter().filter_map(|turn| turn.max_tokens).collect();
    assert_eq!(lengths, [77, 77, 77, 3, 77, 5, 6, 7, 8, 9, 10]);
    assert_eq!(turns.iter().map(|turn| &*turn.model).collect::<String>(), "abababababa");
    assert!(dataset.conversations().all(|c| c.system.as_deref() == Some("Be brief.")));
}

#[test]
fn timestamps_are_kept() {
    let dataset = loaded(fixture("single_turn_schedule.jsonl"), None).unwrap();
    let times: Vec<f64> = dataset.conversations().filter_map(|c| c.turns[0].timestamp_ms).collect();
    assert_eq!(times[..4], [1000.0, 1500.0, 1500.5, 2500.0]);
    assert_eq!(times.len(), 11);
}

#[test]
fn a_bad_row_is_named_by_file_line_and_expectation() {
    for (row, expected) in [
        (r#"{"text": "a""#, "not valid JSON"),
        (r#"["a"]"#, "a JSON object is expected"),
        (r#"{"role": "user"}"#, "nothing to send"),
        (r#"{"text": ""}"#, "nothing to send"),
        (r#"{"text": "a", "texts": ["b"]}"#, "text and texts cannot be given together"),
        (r#"{"text": 5}"#, "text: a string is expected, not 5"),
        (r#"{"texts": ["a", 5]}"#, "texts: a list of strings or of objects with contents is expected, not 5"),
        (r#"{"texts": [{"name": "q"}]}"#, "contents as a list of strings"),
        (r#"{"text": "a", "output_length": 0}"#, "output_length: a whole number above zero is expected, not 0"),
        (r#"{"text": "a", "output_length": 1.5}"#, "output_length"),
        (r#"{"text": "a", "timestamp": 5, "delay": 6}"#, "timestamp and delay cannot be given together"),
        (r#"{"text": "a", "delay": -1}"#, "delay: a non-negative number of milliseconds is expected, not -1"),
        (r#"{"text": "a", "extra": []}"#, "extra: an object is expected"),
        (r#"{"text": "a", "image": "no/such.png"}"#, "image: cannot read no/such.png"),
        (r#"{"image": "data:,", "image_uuids": ["u"]}"#, "image_uuids belongs to images"),
        (r#"{"images": ["data:,"], "image_uuids": ["u", "v"]}"#, "image_uuids has 2 ids for 1 images"),
        (r#"{"text": "a", "image_uuids": [""]}"#, "non-empty strings"),
        (r#"{"type": "multi_turn", "text": "a"}"#, "read as single_turn"),
    ] {
        let error = error_of(&format!("{{\"text\": \"good\"}}\n\n{row}\n"));
        assert!(error.contains("rows.jsonl, line 3: ") && error.contains(expected), "{row}: {error}");
    }
}

#[test]
fn a_file_that_cannot_be_used_is_named() {
    assert!(error_of("\n \n").contains("contains no rows"));
    let missing = loaded(PathBuf::from("no/such/file.jsonl"), None).unwrap_err().to_string();
    assert!(missing.contains("--input-file no/such/file.jsonl: cannot be read"), "{missing}");
    let folder = loaded(fixture(""), None).unwrap_err().to_string();
    assert!(folder.contains("none of the formats that can be a folder"), "{folder}");
}
