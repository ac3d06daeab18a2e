//! Unusual answers, and what becomes of them in records, summary and notes.

use serde_json::{Value, json};

use crate::support::{Artifacts, Ended, Program, Record, RecordedReply, TestServer, by_request_id, sim};

const EVENTS: &str = "text/event-stream";

fn events(data: &[String]) -> RecordedReply {
    RecordedReply::of(EVENTS, data.iter().flat_map(|data| ["data: ", data, "\n\n"]).collect::<String>())
}

fn delta(index: u32, text: &str) -> String {
    format!(r#"{{"choices":[{{"index":{index},"delta":{{"content":"{text}"}}}}]}}"#)
}

fn done() -> String {
    "[DONE]".to_owned()
}

fn whole(text: &str) -> Value {
    json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]})
}

/// Two chat requests to a server that always answers so.
fn asked(answer: RecordedReply, words: &str) -> Ended {
    let server = TestServer::start(move |_, _| answer.clone());
    let words = format!("--model m --endpoint-type chat --isl 5 --request-count 2 --url {} {words}", server.url());
    let words = if words.contains("--tokenizer") { words } else { format!("{words} --tokenizer builtin") };
    Program::profile(&words).run()
}

fn answered(answer: RecordedReply, words: &str) -> Artifacts {
    let ended = asked(answer, words);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended.artifacts
}

#[test]
fn choices_are_tokenized_one_by_one() {
    let mut stream: Vec<String> = (0..4).map(|index| delta(index, "A")).collect();
    stream.push(done());
    let artifacts = answered(events(&stream), "--streaming");
    assert_eq!(artifacts.stat("output_sequence_length", "avg") as u64, 4);
    let choices: Vec<Value> = (0..10).map(|index| json!({"index": index, "message": {"content": "x"}})).collect();
    let artifacts = answered(RecordedReply::json(&json!({ "choices": choices })), "");
    assert_eq!(artifacts.stat("output_sequence_length", "avg") as u64, 10);
}

#[test]
fn several_choices_have_as_many_tokens_as_the_server_made() {
    let sim = sim("ttft=0&itl=0");
    let artifacts = Program::against(&sim, "--streaming --extra-inputs n:4 --osl 3 --request-count 3").succeed();
    for (id, truth) in by_request_id(&sim) {
        let records = artifacts.records();
        let record = records.iter().find(|record| record.word("x_request_id") == id).unwrap();
        assert_eq!(record.metric("output_sequence_length") as u32, truth.output_tokens);
        assert_eq!(truth.output_tokens, 12);
    }
}

#[test]
fn text_after_done_is_not_part_of_the_answer() {
    let answer = events(&[delta(0, "one two"), done(), delta(0, " three four"), done()]);
    let ended = asked(answer, "--streaming");
    assert_eq!(ended.artifacts.stat("output_sequence_length", "avg") as u64, 2);
    assert!(ended.artifacts.text("logs/aiperf.log").contains("continued after [DONE]"));
    assert!(!ended.artifacts.has_metric("inter_chunk_latency"), "one chunk has no gap");

    let first = asked(events(&[done(), delta(0, "late")]), "--streaming");
    assert_eq!(first.code, Some(1), "{}", first.stdout);
    assert!(first.artifacts.records().iter().all(Record::failed));
}

#[test]
fn halves_of_a_character_in_two_events_are_content_at_their_times() {
    let answer = events(&[delta(0, r"so \ud83d"), delta(0, r"\ude00"), done()]);
    let artifacts = answered(answer, "--streaming --export-outputs-json");
    let outputs = artifacts.text("outputs.json");
    assert!(outputs.contains("so \u{1F600}") || outputs.contains(r"so \ud83d\ude00"), "{outputs}");
    assert_eq!(artifacts.stat("inter_chunk_latency", "count") as u64, 2);
    assert!(!artifacts.notes().contains(&"undecodable_events".to_owned()));

    let artifacts = answered(events(&[delta(0, r"\ud83d"), done()]), "--streaming");
    assert!(artifacts.stat("output_sequence_length", "avg") >= 1.0);
    let body = r#"{"choices":[{"index":0,"message":{"content":"lone \ud83d half"},"finish_reason":"stop"}]}"#;
    let artifacts = answered(RecordedReply::of("application/json", body), "");
    assert!(artifacts.stat("output_sequence_length", "avg") >= 3.0);
}

#[test]
fn a_body_that_was_not_streamed_has_no_first_token_and_is_noted() {
    let artifacts = answered(RecordedReply::json(&whole("one two three four")), "--streaming");
    for tag in ["time_to_first_token", "time_to_first_output_token", "inter_token_latency", "decode_duration"] {
        assert!(!artifacts.has_metric(tag), "{tag}");
    }
    assert!(artifacts.has_metric("request_latency") && artifacts.average("output_sequence_length") as u64 == 4);
    assert!(artifacts.notes().contains(&"not_streamed".to_owned()), "{:?}", artifacts.notes());
    let note = artifacts.summary()["validity"].as_array().unwrap().clone();
    let note = note.iter().find(|note| note["code"] == "not_streamed").unwrap();
    assert_eq!((note["figure"].as_f64(), note["severity"].as_str()), (Some(100.0), Some("warning")));
    assert!(!artifacts.text("profile_export_console.txt").contains("Inter Token Latency"));
    let folder = artifacts.path("");
    let rebuilt = Program::new("report").word(&folder).run();
    assert_eq!(rebuilt.code, Some(0), "{}", rebuilt.stderr);
    assert!(artifacts.notes().contains(&"not_streamed".to_owned()) && !artifacts.has_metric("time_to_first_token"));

    let streamed = answered(events(&[delta(0, "one two"), done()]), "--streaming");
    assert!(!streamed.notes().contains(&"not_streamed".to_owned()), "one event is a stream");
    let plain = answered(RecordedReply::json(&whole("one two")), "");
    assert!(!plain.notes().contains(&"not_streamed".to_owned()), "nobody asked for a stream");
}

#[test]
fn server_counts_that_are_missing_are_said() {
    let ended = asked(RecordedReply::json(&whole("one two")), "--use-server-token-count");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.artifacts.notes().contains(&"server_counts_missing".to_owned()), "{:?}", ended.artifacts.notes());
    let log = ended.artifacts.text("logs/aiperf.log");
    assert_eq!(log.matches("has no usable token counts").count(), 1, "{log}");

    let mut with_usage = whole("one two");
    with_usage["usage"] = json!({"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7});
    let artifacts = answered(RecordedReply::json(&with_usage), "--use-server-token-count");
    assert!(!artifacts.notes().contains(&"server_counts_missing".to_owned()));
    with_usage["usage"] = json!({"prompt_tokens": 5});
    let artifacts = answered(RecordedReply::json(&with_usage), "--use-server-token-count");
    assert!(artifacts.notes().contains(&"server_counts_missing".to_owned()), "half of the counts are not all");
}

#[test]
fn more_reasoning_than_completion_tokens_does_not_lengthen_the_output() {
    let mut answer = whole("one two three");
    let details = json!({"reasoning_tokens": 99});
    answer["usage"] = json!({"prompt_tokens": 5, "completion_tokens": 3, "completion_tokens_details": details});
    let ended = asked(RecordedReply::json(&answer), "--use-server-token-count");
    assert_eq!(ended.artifacts.average("output_sequence_length") as u64, 3);
    assert_eq!(ended.artifacts.average("reasoning_token_count") as u64, 3);
    assert!(ended.artifacts.text("logs/aiperf.log").contains("more reasoning tokens (99) than completion tokens (3)"));
}

#[test]
fn the_input_of_a_batch_is_as_long_as_its_texts_together() {
    let sim = sim("ttft=0&itl=0&osl=2");
    for words in ["--endpoint-type embeddings", "--endpoint-type completions", "--endpoint-type chat"] {
        let batch = format!(
            "--model m --tokenizer builtin --url {} --batch-size 16 --isl 55 --request-count 4 {words}",
            sim.addr()
        );
        let artifacts = Program::profile(&batch).succeed();
        assert_eq!(artifacts.stat("input_sequence_length", "min") as u64, 880, "{words}");
        assert_eq!(artifacts.stat("input_sequence_length", "max") as u64, 880, "{words}");
        assert_eq!(artifacts.stat("usage_prompt_tokens", "min") as u64, 880, "{words}: the server counts alike");
    }
}

#[test]
fn a_body_without_end_fails_at_the_limit() {
    let comments = ": still here\n\n".repeat(200_000);
    let server = TestServer::start(move |_, _| RecordedReply::of(EVENTS, comments.clone()));
    let words = format!("--model m --tokenizer builtin --isl 5 --request-count 1 --streaming --url {}", server.url());
    let ended = Program::profile(&words).env("AIPERF_HTTP_BODY_LIMIT_MB", "1").run();
    assert_eq!(ended.code, Some(1), "{}", ended.stdout);
    let records = ended.artifacts.records();
    let message = records[0].0["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("longer than 1048576 bytes") && message.contains("AIPERF_HTTP_BODY_LIMIT_MB"),
        "{message}"
    );
}

#[test]
fn a_file_with_server_counts_needs_no_tokenizer() {
    let mut answer = whole("one two");
    answer["usage"] = json!({"prompt_tokens": 5, "completion_tokens": 2});
    let server = TestServer::start(move |_, _| RecordedReply::json(&answer));
    let program = |words: &str| {
        Program::profile(&format!("--model no-such-org/no-such-model --url {} --request-count 2 {words}", server.url()))
            .env("HF_HUB_OFFLINE", "1")
            .file("texts.jsonl", "{\"text\": \"Hello\"}\n{\"text\": \"Good bye\"}\n")
            .file("trace.jsonl", "{\"timestamp\": 0, \"input_length\": 5, \"output_length\": 2}\n")
    };
    let artifacts = program("--input-file texts.jsonl --use-server-token-count").succeed();
    let counted = |tag: &str| artifacts.average(tag) as u64;
    assert_eq!((counted("input_sequence_length"), counted("output_sequence_length")), (5, 2));
    assert!(artifacts.text("logs/aiperf.log").contains("No tokenizer is loaded"));
    // Where texts must be written to a length, or are counted here, one is needed.
    for words in [
        "--input-file trace.jsonl --custom-dataset-type mooncake_trace --no-fixed-schedule --use-server-token-count",
        "--input-file texts.jsonl",
    ] {
        let ended = program(words).run();
        assert!(
            ended.code == Some(1) && ended.stderr.contains("no-such-org/no-such-model"),
            "{words}: {}",
            ended.stderr
        );
    }
}

#[test]
fn a_revision_that_has_no_effect_is_said() {
    let sim = sim("ttft=0&itl=0&osl=2");
    let artifacts = Program::against(&sim, "--request-count 1 --tokenizer-revision v2").succeed();
    let log = artifacts.text("logs/aiperf.log");
    assert!(log.contains("--tokenizer-revision v2 has no effect"), "{log}");
}

#[test]
fn a_graph_whose_rows_name_other_models_says_which_tokenizer_counts() {
    let sim = sim("ttft=0&itl=0&osl=2");
    let rows = "{\"session_id\": \"a\", \"turns\": [{\"messages\": [{\"role\": \"user\", \"content\": \"Hello\"}], \"model\": \"other-model\"}]}\n";
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": {"<unk>": 0, "Hello": 1}, "unk_token": "<unk>"}
    });
    let words = format!(
        "--model ./tok --url {} --endpoint-type chat --input-file rows.jsonl --custom-dataset-type dag_jsonl",
        sim.addr()
    );
    let program = |words: &str| {
        Program::profile(words).file("rows.jsonl", rows).file("tok/tokenizer.json", &tokenizer.to_string())
    };
    let log = program(&words).succeed().text("logs/aiperf.log");
    assert!(log.contains("counted with the tokenizer ./tok (of --model)") && log.contains("other-model"), "{log}");
    let log = program(&format!("{words} --tokenizer ./tok")).succeed().text("logs/aiperf.log");
    assert!(!log.contains("other-model"), "who names a tokenizer knows which one counts: {log}");
}
