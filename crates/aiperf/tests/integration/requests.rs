//! What reaches the server: models, addresses, headers, bodies and data, as the server saw them.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::support::{Program, requests, sim};

const FAST: &str = "ttft=0&itl=0&osl=3";

fn header<'a>(truth: &'a aiperf_sim::TruthRecord, name: &str) -> Option<&'a str> {
    truth.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

fn user_text(body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap();
    let last = messages.iter().rfind(|message| message["role"] == "user").unwrap();
    last["content"].as_str().unwrap_or_else(|| panic!("{last}")).to_owned()
}

#[test]
fn several_models_take_turns() {
    let sim = sim(FAST);
    let program = Program::profile("--model one,two --tokenizer builtin --isl 8 --request-count 6 --url");
    let artifacts = program.word(sim.url()).succeed();
    let models: Vec<Value> = requests(&sim).iter().map(|body| body["model"].clone()).collect();
    assert_eq!(models, ["one", "two", "one", "two", "one", "two"]);
    assert_eq!(artifacts.summary()["input_config"]["models"]["items"].as_array().unwrap().len(), 2);
}

#[test]
fn several_addresses_take_turns() {
    let servers = [sim(FAST), sim(FAST)];
    let program = Program::against(&servers[0], "--request-count 6 --url");
    let artifacts = program.word(servers[1].url()).succeed();
    let ids = |server: usize| -> Vec<String> {
        servers[server].truth().iter().map(|truth| truth.request_id.clone().unwrap()).collect()
    };
    let sent: Vec<String> = artifacts.records().iter().map(|r| r.word("x_request_id").to_owned()).collect();
    assert_eq!(ids(0), [&*sent[0], &sent[2], &sent[4]]);
    assert_eq!(ids(1), [&*sent[1], &sent[3], &sent[5]]);
}

#[test]
fn keys_reach_the_server_and_no_file() {
    let sim = sim(FAST);
    let ended = Program::against(&sim, "--request-count 2 --export-level raw --export-http-trace --log-level trace")
        .with("--api-key SECRET-KEY-1 -H X-Api-Key:SECRET-KEY-2 -H X-Plain:seen --session-header X-My-Session")
        .run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for truth in sim.truth() {
        assert_eq!(header(&truth, "authorization"), Some("Bearer SECRET-KEY-1"));
        assert_eq!(header(&truth, "x-api-key"), Some("SECRET-KEY-2"));
        assert_eq!(header(&truth, "x-plain"), Some("seen"));
        assert_eq!((header(&truth, "x-my-session").map(str::len), &truth.correlation_id), (Some(36), &None));
        assert_eq!(header(&truth, "content-type"), Some("application/json"));
        assert!(header(&truth, "user-agent").unwrap().starts_with("aiperf/"));
    }
    let artifacts = &ended.artifacts;
    for name in artifacts.names() {
        assert!(!artifacts.text(&name).contains("SECRET-KEY"), "a key is in {name}");
    }
    assert!(!ended.stdout.contains("SECRET-KEY") && !ended.stderr.contains("SECRET-KEY"));
    let raw = artifacts.text("profile_export_raw.jsonl");
    assert!(raw.contains("<redacted>") && raw.contains("seen"), "{raw}");
}

#[test]
fn a_bad_key_or_header_does_not_show_it() {
    let ended = Program::profile("--url sim: -H").word("Authorization Bearer SECRET-KEY").run();
    assert_eq!(ended.code, Some(1));
    assert!(!ended.stderr.contains("SECRET-KEY"), "{}", ended.stderr);
}

#[test]
fn extra_inputs_in_both_notations_are_in_every_body() {
    let sim = sim(FAST);
    Program::against(&sim, "--request-count 2 --extra-inputs temperature:0.5 ignore_eos:true --extra-inputs")
        .word(r#"{"top_k": 3, "nested": {"a": [1, 2]}, "stop": null}"#)
        .succeed();
    for body in requests(&sim) {
        assert_eq!(body["temperature"], json!(0.5));
        assert_eq!(body["ignore_eos"], json!(true));
        assert_eq!(body["top_k"], json!(3));
        assert_eq!(body["nested"], json!({"a": [1, 2]}));
    }
}

#[test]
fn a_file_of_single_turns_is_sent_row_by_row() {
    let sim = sim(FAST);
    let rows = [
        r#"{"text": "first words", "output_length": 4}"#,
        "",
        r#"{"texts": ["look at", "this"], "image": "https://example.com/cat.png"}"#,
        r#"{"session_id": "talk", "text": "turn one"}"#,
        r#"{"text": "in between", "extra": {"seed": 7}}"#,
        r#"{"session_id": "talk", "text": "turn two", "delay": 5}"#,
    ];
    let program =
        Program::profile("--model test-model --tokenizer builtin --input-file rows.jsonl --url").word(sim.url());
    let artifacts = program
        .with("--custom-dataset-type single_turn --num-sessions 4")
        .file("rows.jsonl", &rows.join("\n"))
        .succeed();
    let seen = requests(&sim);
    assert_eq!(seen.len(), 5);
    assert_eq!(seen[0]["max_completion_tokens"], 4);
    assert!(seen[1].to_string().contains(r#""image_url":{"url":"https://example.com/cat.png""#), "{}", seen[1]);
    assert!(seen[1].to_string().contains("look at"));
    let of_text = |text: &str| {
        let at = seen.iter().position(|body| body["messages"].as_array().unwrap().last().unwrap()["content"] == text);
        at.unwrap_or_else(|| panic!("{text:?} was not sent: {seen:?}"))
    };
    assert_eq!(of_text("first words"), 0);
    assert!(of_text("turn one") < of_text("turn two"));
    assert_eq!(seen[of_text("in between")]["seed"], 7);

    // Both turns of the session are one conversation, everything else is one of its own.
    let records = artifacts.records();
    let talk: Vec<_> = records.iter().filter(|record| record.word("conversation_id") == "talk").collect();
    assert_eq!(talk.iter().map(|record| record.number("turn_index")).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(talk[0].word("x_correlation_id"), talk[1].word("x_correlation_id"));
    assert!(talk[1].number("request_start_ns") >= talk[0].number("request_end_ns") + 5_000_000);
    let correlations: HashSet<&str> = records.iter().map(|record| record.word("x_correlation_id")).collect();
    assert_eq!(correlations.len(), 4);
    assert_eq!(artifacts.inputs().iter().map(|(_, payloads)| payloads.len()).collect::<Vec<_>>(), [1, 1, 2, 1]);
}

#[test]
fn prefixes_of_the_pool_stand_in_front() {
    let sim = sim(FAST);
    let artifacts = Program::against(&sim, "--request-count 8 --num-prefix-prompts 2 --prefix-prompt-length 30")
        .with("--random-seed 5")
        .succeed();
    let texts: Vec<String> = requests(&sim).iter().map(user_text).collect();
    let starts: HashSet<&str> = texts.iter().map(|text| &text[..60]).collect();
    assert_eq!(starts.len(), 2, "{starts:?}");
    assert_eq!(texts.iter().collect::<HashSet<_>>().len(), 8);
    assert!(artifacts.stat("input_sequence_length", "min") >= 50.0);
}

#[test]
fn a_system_prompt_is_the_first_message_of_every_chat() {
    let (own, generated) = (sim(FAST), sim(FAST));
    Program::against(&own, "--request-count 2 --system-prompt").word("Be brief.").succeed();
    for body in requests(&own) {
        assert_eq!(body["messages"][0], json!({"role": "system", "content": "Be brief."}));
    }
    Program::against(&generated, "--request-count 2 --shared-system-prompt-length 12 --random-seed 1").succeed();
    let systems: HashSet<String> = requests(&generated).iter().map(|body| body["messages"][0].to_string()).collect();
    assert_eq!(systems.len(), 1);
    // Joined for counting, the two texts may lose a token at their seam.
    let tokens: Vec<u32> = generated.truth().iter().filter_map(|truth| truth.prompt_tokens).collect();
    assert!(tokens.len() == 2 && tokens.iter().all(|tokens| tokens.abs_diff(32) <= 2), "{tokens:?}");
}

#[test]
fn a_key_in_the_address_is_in_no_file_either() {
    let sim = sim(FAST);
    let address = format!("http://me:SECRET-KEY@{}", sim.addr());
    let ended = Program::profile("--model m --tokenizer builtin --isl 8 --request-count 1 --url").word(address).run();
    assert!(!ended.stdout.contains("SECRET-KEY") && !ended.stderr.contains("SECRET-KEY"), "{}", ended.stderr);
    if ended.artifacts.exists() {
        for name in ended.artifacts.names() {
            assert!(!ended.artifacts.text(&name).contains("SECRET-KEY"), "the key is in {name}");
        }
    }
}

#[test]
fn a_number_of_sessions_ends_the_run_too() {
    let sim = sim(FAST);
    let artifacts = Program::against(&sim, "--num-sessions 4").succeed();
    assert_eq!((sim.truth().len(), artifacts.inputs().len()), (4, 4));
}

#[test]
fn what_is_sent_is_what_inputs_json_says() {
    let sim = sim(FAST);
    let artifacts = Program::against(&sim, "--request-count 5 --isl-stddev 4 --osl 3 --osl-stddev 1").succeed();
    let inputs: Vec<Value> = artifacts.inputs().into_iter().flat_map(|(_, payloads)| payloads).collect();
    assert_eq!(requests(&sim), inputs);
}
