//! Every recorded response over a socket, in the writes that the manifest names: the records say what `expected.json` says of it.

use std::collections::BTreeMap;

use aiperf_protocol::{EndpointFacts, EndpointKind};
use aiperf_tokenizer::{HubEnvironment, Tokenizer, TokenizerRequest};
use serde_json::{Map, Value, json};

use crate::support::{Artifacts, Program, Record, RecordedReply, TestServer, manifest, recordings};

fn expectations() -> Map<String, Value> {
    serde_json::from_slice(&std::fs::read(recordings().join("responses/expected.json")).unwrap()).unwrap()
}

fn tokenizer() -> std::sync::Arc<dyn Tokenizer> {
    let nowhere = HubEnvironment::from_variables(|_| None);
    aiperf_tokenizer::load(&TokenizerRequest::named("builtin"), &nowhere).unwrap()
}

/// The type that reads the answers of an endpoint of the manifest. Those of the `KServe` protocol are read by the one that speaks
/// Triton's extension of it, which asks for nothing before the requests.
fn facts_of(endpoint: &str) -> &'static EndpointFacts {
    match EndpointKind::from_name(endpoint) {
        None | Some(EndpointKind::Kserve) => EndpointKind::Generate.facts(),
        Some(kind) => kind.facts(),
    }
}

/// The fewest words that make a type send something.
fn words_for(facts: &EndpointFacts) -> &'static str {
    match facts.name {
        "image_retrieval" => "--image-width-mean 4 --image-height-mean 4 --image-format png",
        "audio_transcription" => "--audio-length-mean 0.02 --audio-sample-rates 8",
        name if name.ends_with("rankings") => "--tokenizer builtin --rankings-passages-mean 2",
        _ => "--tokenizer builtin --isl 8",
    }
}

/// One request for each of the recorded responses, answered in their order.
fn answered_with(facts: &EndpointFacts, streaming: bool, names: &[String], words: &str) -> Artifacts {
    let answers: Vec<RecordedReply> = names.iter().map(|name| RecordedReply::recorded(name)).collect();
    let count = answers.len();
    let server = TestServer::start(move |number, _| answers[number].clone());
    let url = server.url();
    let program = Program::profile(&format!("--url {url} --model m --endpoint-type {}", facts.name))
        .with(words_for(facts))
        .with(&format!("--request-count {count} --concurrency 1 --ui none {words}"))
        .with(if streaming { "--streaming" } else { "" });
    let ended = program.run();
    assert_eq!(server.received().len(), count, "{}", ended.stderr);
    ended.artifacts
}

#[test]
fn every_recorded_response_is_in_the_records_as_expected() {
    let expected = expectations();
    let manifest = manifest();
    let mut groups: BTreeMap<(&str, bool), Vec<String>> = BTreeMap::new();
    for (name, row) in manifest["fixtures"].as_object().unwrap() {
        let endpoint = row["endpoint"].as_str().unwrap();
        // A job is asked after: its answers belong together, and have a test of their own.
        if facts_of(endpoint).name != "video_generation" {
            let streaming = row["streaming"] == true;
            groups.entry((facts_of(endpoint).name, streaming)).or_default().push(name.clone());
        }
    }
    let tokenizer = tokenizer();
    let mut wrong = Vec::new();
    let mut checked = 0;
    for ((endpoint, streaming), names) in groups {
        let facts = facts_of(endpoint);
        let artifacts = answered_with(facts, streaming, &names, "");
        let records = artifacts.records();
        assert_eq!(records.len(), names.len(), "{endpoint}");
        for (name, record) in names.iter().zip(&records) {
            let (wanted, found) = compared(&expected[name], record, facts, streaming, &*tokenizer);
            if wanted != found {
                wrong.push(format!("{name}\n  expected {}\n  found    {}", json!(wanted), json!(found)));
            }
            checked += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(checked, 137);
}

/// What the record should say and what it says, as far as each of them mentions it.
fn compared(
    expected: &Value,
    record: &Record,
    facts: &EndpointFacts,
    streaming: bool,
    tokenizer: &dyn Tokenizer,
) -> (Map<String, Value>, Map<String, Value>) {
    let (mut wanted, mut found) = (Map::new(), Map::new());
    let error = expected.get("on_the_wire").or_else(|| expected.get("error"));
    if let Some(error) = error.filter(|_| expected.get("error").is_some()) {
        for part in ["code", "type", "message"].into_iter().filter(|part| error.get(part).is_some()) {
            let said = record.0["error"][part].clone();
            // The words of a parser and of a socket are their own.
            let own_words = error["message"] == "could not be read" && part == "message";
            wanted.insert(part.to_owned(), if own_words { said.clone() } else { error[part].clone() });
            found.insert(part.to_owned(), said);
        }
        assert!(record.failed(), "{expected}: {record:?}");
        return (wanted, found);
    }
    found.extend(record.0.get("error").map(|error| ("error".to_owned(), error.clone())));
    let mut both = |tag: &str, value: Option<f64>| {
        wanted.insert(tag.to_owned(), json!(value));
        found.insert(tag.to_owned(), json!(record.value(tag)));
    };
    if facts.produces_tokens {
        let text = expected.get("output").unwrap_or(&expected["text"]).as_str().unwrap();
        let count = |text: &str| (!text.is_empty()).then(|| tokenizer.count(text) as f64);
        both("output_token_count", count(text));
        both("reasoning_token_count", expected["reasoning"].as_str().and_then(count));
        for (name, value) in expected["usage"].as_object().into_iter().flatten() {
            both(&format!("usage_{name}"), value.as_f64());
        }
    }
    if facts.produces_tokens && streaming {
        let gaps = record.0["metrics"]["inter_chunk_latency"]["value"].as_array().map_or(0, Vec::len);
        wanted.insert("chunks".to_owned(), expected["chunks"].clone());
        found.insert("chunks".to_owned(), json!(gaps + 1));
    }
    (wanted, found)
}

#[test]
fn a_job_is_asked_after_until_its_last_answer() {
    for (last, fails) in [("video-completed", false), ("video-failed", true)] {
        let polls = ["video-queued", "video-queued", "video-in-progress", last];
        let server = TestServer::start(move |number, _| RecordedReply::recorded(polls[number]));
        let words = "--model m --endpoint-type video_generation --tokenizer builtin --isl 8 --request-count 1 --url";
        let ended = Program::profile(words).word(server.url()).run();
        assert_eq!(server.received().len(), polls.len(), "{}", ended.stderr);
        let record = ended.artifacts.records().swap_remove(0);
        let expected = &expectations()[last];
        if fails {
            assert_eq!(record.0["error"]["message"], expected["error"]["message"]);
            assert_eq!(record.error(), (Some(500), "VideoGenerationError"));
        } else {
            let seconds = expected["video"]["inference_seconds"].as_f64().unwrap();
            let metric = &record.0["metrics"]["video_inference_time"];
            let shown = if metric["unit"] == "ms" { 1e3 * seconds } else { seconds };
            assert!((metric["value"].as_f64().unwrap() - shown).abs() < 1e-9, "{record:?}");
            let memory = expected["video"]["peak_memory_mb"].as_f64().unwrap();
            assert!((record.metric("video_peak_memory") - memory).abs() < 1e-9, "{record:?}");
        }
    }
}

/// The server waits before each write, so that these spans are at least as long as its waiting.
#[test]
fn latency_ends_with_the_last_content_and_first_output_is_not_reasoning() {
    const GAP_MS: f64 = 60.0;
    // Role, two of reasoning, two of text, usage, the end mark.
    let names = ["chat-vllm-reasoning".to_owned()];
    let artifacts = answered_with(EndpointKind::Chat.facts(), true, &names, "--export-http-trace");
    let record = artifacts.records().swap_remove(0);
    let nearly = 0.9 * GAP_MS;
    let (first, output) = (record.metric("time_to_first_token"), record.metric("time_to_first_output_token"));
    assert!(output - first >= 2.0 * nearly, "{record:?}");
    assert!(record.metric("request_latency") - output >= nearly, "{record:?}");
    // Usage and end mark come later, and are not part of the latency.
    assert!(record.metric("http_req_duration") - record.metric("request_latency") >= 2.0 * nearly, "{record:?}");

    // Reasoning, then a call and no text: the call is the first output.
    let event = |delta: &str, finish: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n")
    };
    let events = [
        event(r#"{"role":"assistant","content":null}"#, "null"),
        event(r#"{"reasoning_content":"Hm","content":null}"#, "null"),
        event(r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"look","arguments":"{}"}}]}"#, "null"),
        event("{}", r#""tool_calls""#),
    ];
    let mut answer = RecordedReply::of("text/event-stream", events.concat());
    let ends = events.iter().scan(0, |end, event| {
        *end += event.len();
        Some(*end)
    });
    answer.splits = ends.take(events.len() - 1).collect();
    answer.gap = std::time::Duration::from_millis(60);
    let server = TestServer::start(move |_, _| answer.clone());
    let words = "--model m --tokenizer builtin --isl 8 --streaming --request-count 1 --url";
    let artifacts = Program::profile(words).word(server.url()).succeed();
    let record = artifacts.records().swap_remove(0);
    assert!(record.metric("time_to_first_output_token") - record.metric("time_to_first_token") >= nearly, "{record:?}");
    assert!((record.metric("request_latency") - record.metric("time_to_first_output_token")).abs() < 1e-6);
}

#[test]
fn what_could_not_be_read_of_a_stream_is_in_the_notes_and_on_the_console() {
    let names = ["chat-vllm", "chat-invalid-json-event"].map(str::to_owned);
    let artifacts = answered_with(EndpointKind::Chat.facts(), true, &names, "");
    let summary = artifacts.summary();
    let note =
        summary["validity"].as_array().unwrap().iter().find(|note| note["code"] == "undecodable_events").unwrap();
    assert_eq!((&note["figure"], &note["threshold"]), (&json!(1.0), &json!(0.0)));
    let message = note["message"].as_str().unwrap();
    assert!(message.contains("1 event") && message.contains("1 of 2 requests"), "{message}");
    assert!(artifacts.text("profile_export_console.txt").contains("could not be parsed"));
}
