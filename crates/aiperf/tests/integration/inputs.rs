//! Input files as people have them: other names, other encodings, pipes, devices, and the options next to them.

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::support::{Program, requests, sim, wait_for};

const FAST: &str = "ttft=0&itl=0&osl=2";

/// A run with this file as its data.
fn with_file(url: &str, name: &str, contents: &[u8], words: &str) -> Program {
    let words = format!("--url {url} --model test-model --tokenizer builtin --input-file {name} {words}");
    Program::profile(&words).bytes(name, contents)
}

fn contents(bodies: &[Value]) -> Vec<String> {
    bodies.iter().map(|body| body["messages"][0]["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_file_is_sent_once_through_when_nothing_says_when_to_stop() {
    let rows: Vec<Value> = (0..23).map(|row| json!({"prompt": format!("row {row}")})).collect();
    for words in ["", "--concurrency 4", "--request-rate 500"] {
        let sim = sim(FAST);
        let artifacts = Program::replaying(&sim, &rows, words).succeed();
        let mut sent = contents(&requests(&sim));
        sent.sort_by_key(|text| text[4..].parse::<u32>().unwrap());
        let expected: Vec<String> = (0..23).map(|row| format!("row {row}")).collect();
        assert_eq!((sent, artifacts.counted("sent")), (expected, 23), "{words}");
    }
}

#[test]
fn a_text_file_has_one_prompt_in_a_line() {
    let sim = sim(FAST);
    with_file(&sim.url(), "prompts.txt", "What?\n\nAnd é?\n".as_bytes(), "").succeed();
    assert_eq!(contents(&requests(&sim)), ["What?", "And é?"]);
}

#[test]
fn a_number_of_entries_takes_the_first_rows_of_a_file() {
    let sim = sim(FAST);
    let rows: Vec<Value> = (0..9).map(|row| json!({"text": format!("row {row}")})).collect();
    Program::replaying(&sim, &rows, "--num-dataset-entries 3").succeed();
    assert_eq!(contents(&requests(&sim)), ["row 0", "row 1", "row 2"]);
}

#[test]
fn conversations_of_a_file_begin_with_the_generated_texts_that_were_asked_for() {
    let sim = sim(FAST);
    let rows = [json!({"turns": [{"text": "a0"}, {"text": "a1"}]}), json!({"turns": [{"text": "b0"}]})];
    let words = "--custom-dataset-type multi_turn --shared-system-prompt-length 20 --user-context-prompt-length 30";
    Program::replaying(&sim, &rows, words).succeed();
    let bodies = requests(&sim);
    let message = |body: &Value, place: usize| body["messages"][place].clone();
    assert_eq!(bodies.len(), 3);
    let system: Vec<Value> = bodies.iter().map(|body| message(body, 0)).collect();
    assert!(system.iter().all(|first| first == &system[0] && first["role"] == "system"), "{system:?}");
    let first = |text: &str| bodies.iter().find(|body| message(body, 2)["content"] == text).unwrap();
    assert_eq!((&message(first("a0"), 1)["role"], &message(first("b0"), 1)["role"]), (&json!("user"), &json!("user")));
    assert_ne!(message(first("a0"), 1), message(first("b0"), 1), "each conversation has a context of its own");
}

#[test]
fn bodies_of_any_kind_are_sent_raw() {
    let sim = sim(FAST);
    let body = json!({"model": "test-model", "prompt": "Once", "max_tokens": 2, "seed": 5});
    let words = "--custom-dataset-type raw_payload --endpoint-type completions";
    Program::replaying(&sim, std::slice::from_ref(&body), words).succeed();
    assert_eq!(requests(&sim), [body]);
}

#[test]
fn files_that_are_no_utf8_text_are_refused_with_the_way_out() {
    let utf16: Vec<u8> = "\u{feff}{\"text\": \"a\"}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, words) in [
        (&b"{\"text\": \"caf\xe9\"}\n"[..], &["rows.jsonl", "byte 0xE9 at column 14", "iconv -f LATIN1"][..]),
        (&utf16, &["rows.jsonl", "is UTF-16", "iconv -f UTF-16"]),
        (b"{\"text\": \"a\"}\n{\"text\": oops}\n", &["line 2: not valid JSON at column 10", "expected value"]),
        (b"\0\0\0\0", &["is not a text file"]),
    ] {
        with_file("sim:", "rows.jsonl", bytes, "").run().was_refused_with(words);
    }
    Program::profile("--url sim: --input-file /dev/zero").run().was_refused_with(&["/dev/zero", "not a text file"]);
}

#[test]
fn a_pipe_that_sends_nothing_is_said_to_be_waited_for_and_read_when_it_does() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("rows.jsonl");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let running = Program::profile("--url sim:?ttft=0&itl=0&osl=2 --input-file").word(&pipe).start();
    wait_for("the program to say that it waits", || running.stderr().contains("Waiting for data").then_some(()));
    std::fs::write(&pipe, "{\"text\": \"a\"}\n{\"text\": \"b\"}\n").unwrap();
    let ended = running.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.artifacts.counted("sent"), 2);
}

#[test]
fn options_that_no_number_depends_on_are_warned_about_and_the_run_goes_on() {
    let sim = sim(FAST);
    let ended = Program::against(&sim, "--request-count 2 --zmq-host 10.0.0.1 --tokenizer-trust-remote-code")
        .with("--ui dashboard --osl 1_0")
        .run();
    assert_eq!((ended.code, ended.artifacts.counted("sent")), (Some(0), 2), "{}", ended.stderr);
    for said in
        ["--zmq-host has no effect", "--tokenizer-trust-remote-code has no effect", "--ui dashboard needs a terminal"]
    {
        assert!(ended.stderr.contains(said), "{said:?} is not in {}", ended.stderr);
    }
    assert_eq!(requests(&sim)[0]["max_completion_tokens"], 10);
}

#[test]
fn an_inline_template_is_sent_with_its_commas() {
    let sim = sim(FAST);
    let url = format!("{}/v1/completions", sim.url());
    let template = r#"payload_template:{"model": "m", "prompt": {{ text|tojson }}, "max_tokens": 3}"#;
    Program::profile(&format!("--url {url} --model m --tokenizer builtin --endpoint-type template --isl 5"))
        .with("--request-count 1 --extra-inputs")
        .word(template)
        .succeed();
    assert_eq!((&requests(&sim)[0]["model"], &requests(&sim)[0]["max_tokens"]), (&json!("m"), &json!(3)));
}

#[test]
fn a_line_of_genai_perf_that_asks_for_telemetry_and_plots_runs_with_a_warning() {
    let sim = sim(FAST);
    let words = format!("genai-perf profile -m m --tokenizer builtin --endpoint-type chat -u {}", sim.addr());
    let ended = Program::new(&words)
        .with("--request-count 2 --server-metrics-url http://localhost:1/metrics --generate-plots --artifact-dir out")
        .run();
    assert_eq!((ended.code, sim.truth().len()), (Some(0), 2), "{}", ended.stderr);
    assert!(ended.stderr.contains("No GPU telemetry from http://localhost:1/metrics"), "{}", ended.stderr);
    assert!(ended.stderr.contains("No plots were drawn"), "{}", ended.stderr);
}

#[test]
fn an_empty_records_file_is_said_to_be_empty() {
    let program = Program::new("compare a b").file("a/profile_export.jsonl", "").file("b/profile_export.jsonl", "");
    program.run().was_refused_with(&["a: profile_export.jsonl is empty"]);
}
