//! Public data sets from a hub on the loopback interface, through the program to the server.

use std::fs;
use std::time::Duration;

use aiperf_loopback_hub::{HubFault, LoopbackHub, TestColumn, parquet_file};
use aiperf_sim::Sim;
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Artifacts, Program, requests, sim, wait_for};

const JPEG: &[u8] = b"\xff\xd8\xff\xe0 not much of a picture";

/// A run on the data of this hub, with a cache that outlives it.
fn program(server: &Sim, hub: &LoopbackHub, home: &TempDir, words: &str) -> Program {
    Program::profile(&format!("--url {} --model test-model --tokenizer builtin", server.url()))
        .with(words)
        .env("HF_ENDPOINT", hub.url.clone())
        .env("HF_HOME", home.path())
}

fn bodies(hub: &LoopbackHub, words: &str) -> (Vec<Value>, Artifacts) {
    let (server, home) = (sim("ttft=0&itl=0&osl=2"), tempfile::tempdir().unwrap());
    let artifacts = program(&server, hub, &home, words).succeed();
    (requests(&server), artifacts)
}

fn prompts(bodies: &[Value]) -> Vec<String> {
    let last =
        |body: &Value| body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned();
    bodies.iter().map(last).collect()
}

fn math(problems: &[&str]) -> Vec<u8> {
    parquet_file("message m { optional binary problem (STRING); }", &[vec![TestColumn::texts(problems)]])
}

#[test]
fn sharegpt_asks_for_the_length_of_each_recorded_reply() {
    let said = |from: &str, text: &str| json!({"from": from, "value": text});
    let rows = json!([
        {"conversations": [said("human", "too short"), said("gpt", "one two three four")]},
        {"conversations": [
            said("human", "one two three four"), said("gpt", "a b c d e"),
            said("human", "five six seven eight"), said("gpt", "a b c d e f")
        ]}
    ]);
    let file = rows.to_string();
    let hub = LoopbackHub::with(&[("ShareGPT_V3_unfiltered_cleaned_split.json", file.as_bytes())]);
    let (bodies, artifacts) = bodies(&hub, "--public-dataset sharegpt --num-sessions 1");
    assert_eq!(prompts(&bodies), ["one two three four", "five six seven eight"]);
    let asked: Vec<&Value> = bodies.iter().map(|body| &body["max_completion_tokens"]).collect();
    assert_eq!(asked, [5, 6]);
    assert_eq!(bodies[1]["messages"].as_array().unwrap().len(), 3, "the live reply stands between the two");
    let inputs = artifacts.json("inputs.json");
    assert_eq!(inputs["data"][0]["payloads"].as_array().unwrap().len(), 2);
}

#[test]
fn rows_of_parquet_are_sent_in_order_and_again_from_the_start() {
    let hub = LoopbackHub::with(&[("data/train-00000-of-00001.parquet", &math(&["p1", "", "p2"]))]);
    let (bodies, _) = bodies(&hub, "--public-dataset aimo-numina-cot --num-prompts 2 --request-count 3 --osl 7");
    assert_eq!(prompts(&bodies), ["p1", "p2", "p1"]);
    assert_eq!(bodies[0]["max_completion_tokens"], 7);
}

#[test]
fn pictures_go_out_as_data_urls() {
    let file = parquet_file(
        "message m { optional binary question (STRING);
          optional group image { optional binary bytes; optional binary path (STRING); } }",
        &[vec![
            TestColumn::texts(&["what is it?"]),
            TestColumn::flat(&[Some(JPEG)], 2),
            TestColumn { values: Vec::new(), definition: vec![1], repetition: None },
        ]],
    );
    let hub = LoopbackHub::with(&[("val.parquet", &file)]);
    let (bodies, _) = bodies(&hub, "--public-dataset mmstar --request-count 1");
    let parts = bodies[0]["messages"][0]["content"].as_array().unwrap();
    assert_eq!(parts[0]["text"], "what is it?");
    assert!(parts[1]["image_url"]["url"].as_str().unwrap().starts_with("data:image/jpeg;base64,/9j/"));
}

#[test]
fn turns_follow_live_replies() {
    let file = parquet_file(
        "message m { optional group prompt (LIST) { repeated group list { optional binary element (STRING); } } }",
        &[vec![TestColumn::lists(&[&["first", "second"]], 3)]],
    );
    let hub = LoopbackHub::with(&[("README.md", b"")]).converted(&[("default/train/0000.parquet", &file)]);
    let (bodies, _) = bodies(&hub, "--public-dataset spec_al_mtbench --request-count 2");
    assert_eq!(prompts(&bodies), ["first", "second"]);
    assert_eq!(bodies[1]["messages"][1]["role"], "assistant");
}

#[test]
fn speech_goes_out_as_wav() {
    let wav = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../dataset/tests/fixtures/media/tiny.wav")).unwrap();
    let file = parquet_file(
        "message m { optional group audio { optional binary bytes; optional binary path (STRING); } }",
        &[vec![
            TestColumn::flat(&[Some(&wav)], 2),
            TestColumn { values: Vec::new(), definition: vec![1], repetition: None },
        ]],
    );
    let hub = LoopbackHub::with(&[("en/test-0.parquet", &file)]);
    let (bodies, _) = bodies(&hub, "--public-dataset voxpopuli --request-count 1");
    let parts = bodies[0]["messages"][0]["content"].as_array().unwrap();
    assert_eq!(parts[1]["input_audio"]["format"], "wav");
}

#[test]
fn an_interrupted_download_goes_on_in_the_next_run() {
    let problems: Vec<String> = (0..20_000).map(|n| format!("problem {n} of {}", n * 7919)).collect();
    let file = math(&problems.iter().map(String::as_str).collect::<Vec<_>>());
    // The first answer stops in the middle and keeps the client waiting.
    let hub =
        LoopbackHub::with(&[("train.parquet", &file)]).then(HubFault::StallAfter(10_000, Duration::from_secs(300)));
    let (server, home) = (sim("ttft=0&itl=0&osl=2"), tempfile::tempdir().unwrap());
    let words = "--public-dataset aimo --request-count 1";
    // As shells start the background jobs of scripts: whoever does not ask for Ctrl-C does not get it.
    let running = program(&server, &hub, &home, words).after("trap '' INT").start();
    let blobs = home.path().join("hub/datasets--AI-MO--NuminaMath-TIR/blobs");
    wait_for("the first bytes", || {
        let mut files = fs::read_dir(&blobs).ok()?.flatten();
        files.any(|file| file.metadata().is_ok_and(|facts| facts.len() == 10_000)).then_some(())
    });
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(ended.stderr.contains("Interrupted before the run began"), "{}", ended.stderr);
    assert!(!ended.artifacts.exists(), "nothing was measured, so nothing is written");
    program(&server, &hub, &home, words).succeed();
    assert_eq!(prompts(&requests(&server)), ["problem 0 of 0"]);
    assert!(hub.requests().last().unwrap().to_lowercase().contains("range: bytes=10000-"));
}

#[test]
fn what_cannot_be_had_is_said_in_one_sentence() {
    let (server, home) = (sim("ttft=0"), tempfile::tempdir().unwrap());
    let gated = LoopbackHub::with(&[]).refusing(403, "Access is restricted");
    let ended = program(&server, &gated, &home, "--public-dataset spgispeech").run();
    ended.was_refused_with(&["--public-dataset spgispeech", "kensho/spgispeech", "HF_TOKEN", "Access is restricted"]);
    let ended = program(&server, &gated, &home, "--public-dataset aimo").env("HF_HUB_OFFLINE", "1").run();
    ended.was_refused_with(&["--public-dataset aimo", "AI-MO/NuminaMath-TIR", "HF_HUB_OFFLINE", "hf download"]);
    let ended = program(&server, &gated, &home, "--hf-weka-dataset org/traces").run();
    ended.was_refused_with(&["weka_hf", "org/traces", "HF_TOKEN"]);
    let large = LoopbackHub::with(&[("train.parquet", &vec![0; 2_000_000])]);
    let limited = program(&server, &large, &home, "--public-dataset aimo_aime");
    let ended = limited.env("AIPERF_DATASET_PUBLIC_DATASET_MAX_GB", "0.001").run();
    ended.was_refused_with(&["aimo_aime", "1.9 MiB", "AIPERF_DATASET_PUBLIC_DATASET_MAX_GB", "--num-dataset-entries"]);
}

#[test]
fn a_scenario_takes_a_pinned_set_and_says_whether_its_time_was_kept() {
    let call = |at: f64, input: u64, ids: &[u64]| json!({"t": at, "type": "n", "model": "big", "in": input, "out": 4, "hash_ids": ids, "api_time": 0.1});
    let row = json!({"id": "w1", "models": ["big"], "block_size": 64, "hash_id_scope": "local", "tool_tokens": 64,
        "system_tokens": 0, "requests": [call(0.0, 140, &[1, 2]), call(0.2, 200, &[1, 2, 3])]});
    let hub = LoopbackHub::with(&[("data/train.jsonl", row.to_string().as_bytes())]);
    let words = "--scenario inferencex-agentx-mvp --public-dataset semianalysis_cc_traces_weka_062126";
    let (bodies, artifacts) = bodies(&hub, &format!("{words} --request-count 5"));
    assert!(bodies.iter().all(|body| body["stream"] == true && body["ignore_eos"] == true));
    let metadata = &artifacts.summary()["metadata"];
    assert_eq!(metadata["submission_valid"], false, "five requests are no half hour");
    assert_eq!(metadata["submission_invalid_reasons"], json!(["ended_before_duration"]));
}
