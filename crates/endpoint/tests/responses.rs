//! Every recorded response body, read as it was cut on the wire. `expected.json` next to the bodies says what a careful reader
//! finds in each, and where the reference makes something else of it, why.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod recorded;

use aiperf_clock::Mono;
use aiperf_endpoint::{EndpointSettings, ReadMark, ResponseBody, of};
use aiperf_protocol::{EndpointKind, Reply, ReplyError, Usage};
use recorded::{Fixture, fixtures};
use serde_json::{Map, Value, json};

fn read(fixture: &Fixture, marks: &[ReadMark]) -> Result<Reply, ReplyError> {
    // Answers of the KServe protocol are read by the type that speaks Triton's extension of it.
    let kind = EndpointKind::from_name(&fixture.endpoint).unwrap_or(EndpointKind::Generate);
    let content_type = Some(fixture.content_type.as_str());
    of(kind, &EndpointSettings::default()).read(ResponseBody { content_type, bytes: &fixture.body, marks })
}

fn expectations() -> Map<String, Value> {
    serde_json::from_str(include_str!("fixtures/responses/expected.json")).unwrap()
}

#[test]
fn something_is_expected_of_every_fixture_and_every_body_is_there() {
    let expected = expectations();
    let mut names: Vec<&String> = expected.keys().collect();
    let fixtures = fixtures();
    let mut found: Vec<&String> = fixtures.iter().map(|fixture| &fixture.name).collect();
    names.sort();
    found.sort();
    assert_eq!(names, found);
    assert_eq!(found.len(), 141);
    for fixture in &fixtures {
        assert_eq!(fixture.body.len() as u64, fixture.length, "{}", fixture.name);
    }
}

#[test]
fn every_fixture_is_read_as_a_careful_reader_reads_it() {
    let expected = expectations();
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        let mut expected = expected[&fixture.name].clone();
        for beside in ["differs", "counted_otherwise", "on_the_wire"] {
            expected.as_object_mut().unwrap().remove(beside);
        }
        let found = summed_up(read(&fixture, &fixture.marks()));
        if found != expected {
            wrong.push(format!("{}\n  expected {expected}\n  found    {found}", fixture.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// All that a reply says, in the form of `expected.json`.
fn summed_up(reply: Result<Reply, ReplyError>) -> Value {
    let mut found = Map::new();
    let reply = match reply {
        Ok(reply) => reply,
        Err(error) => {
            let mut failure = Map::new();
            failure.extend(error.code().map(|code| ("code".to_owned(), json!(code))));
            failure.insert("type".to_owned(), json!(error.kind().name()));
            // What a parser says of its input is the parser's.
            let unreadable = matches!(error, ReplyError::Unreadable(_));
            let message = if unreadable { "could not be read".to_owned() } else { error.to_string() };
            failure.insert("message".to_owned(), json!(message));
            return json!({"error": failure});
        }
    };
    found.insert("chunks".to_owned(), json!(reply.chunks.len()));
    found.insert("text".to_owned(), json!(reply.plain_text));
    let calls: Vec<Value> = reply
        .tool_calls
        .iter()
        .map(|call| json!({"id": call.id, "name": call.name, "arguments": call.arguments}))
        .collect();
    let video = reply
        .video
        .map(|video| json!({"inference_seconds": video.inference_seconds, "peak_memory_mb": video.peak_memory_mb}));
    let beside = [
        ("reasoning", (!reply.reasoning_text.is_empty()).then(|| json!(reply.reasoning_text))),
        ("tool_calls", (!calls.is_empty()).then(|| json!(calls))),
        ("output", (reply.output_text != reply.plain_text).then(|| json!(reply.output_text))),
        ("finish_reason", reply.finish_reason.as_ref().map(|reason| json!(reason))),
        ("usage", reply.usage.map(|usage| json!(usage_map(usage)))),
        ("choices", (reply.choices > 1).then(|| json!(reply.choices))),
        ("undecodable_events", (reply.undecodable_events > 0).then(|| json!(reply.undecodable_events))),
        ("video", video),
    ];
    found.extend(beside.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    Value::Object(found)
}

fn usage_map(usage: Usage) -> Map<String, Value> {
    let counts = [
        ("prompt_tokens", usage.prompt_tokens),
        ("completion_tokens", usage.completion_tokens),
        ("total_tokens", usage.total_tokens),
        ("reasoning_tokens", usage.reasoning_tokens),
        ("prompt_cache_read_tokens", usage.cache_read_tokens),
        ("prompt_cache_write_tokens", usage.cache_write_tokens),
        ("prompt_cache_miss_tokens", usage.cache_miss_tokens),
        ("prompt_audio_tokens", usage.prompt_audio_tokens),
        ("completion_audio_tokens", usage.completion_audio_tokens),
        ("accepted_prediction_tokens", usage.accepted_prediction_tokens),
        ("rejected_prediction_tokens", usage.rejected_prediction_tokens),
        ("tool_use_prompt_tokens", usage.tool_use_prompt_tokens),
    ];
    counts.into_iter().filter_map(|(name, count)| Some((name.to_owned(), json!(count?)))).collect()
}

/// What the reference and we both can say of a body: chunks, text, reasoning, usage; `null` for a failure.
fn gist(reply: &Result<Reply, ReplyError>, produces_tokens: bool) -> Value {
    let Ok(reply) = reply else { return Value::Null };
    let mut usage = reply.usage.map(usage_map).unwrap_or_default();
    if !produces_tokens {
        // Not among the metrics of such endpoints.
        usage.remove("total_tokens");
    }
    json!([reply.chunks.len(), [reply.output_text, reply.reasoning_text], usage])
}

#[test]
fn exactly_the_differences_from_the_reference_are_named() {
    let expected = expectations();
    for fixture in fixtures().into_iter().filter(Fixture::was_put_to_the_reference) {
        let produces_tokens = EndpointKind::from_name(&fixture.endpoint).unwrap().facts().produces_tokens;
        let ours = gist(&read(&fixture, &fixture.marks()), produces_tokens);
        let theirs = fixture.reference_gist();
        let named = expected[&fixture.name].get("differs").is_some();
        assert_eq!(ours == theirs, !named, "{}: {ours} and {theirs}", fixture.name);
    }
}

/// The page says of each body that is read otherwise how, under the name of the body.
#[test]
fn the_page_on_compatibility_has_a_line_for_every_difference() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/compatibility.md");
    let page = std::fs::read_to_string(page).unwrap();
    for (name, row) in expectations() {
        let otherwise = row.get("differs").or_else(|| row.get("counted_otherwise")).is_some();
        let named = page.contains(&format!("`{name}`"));
        assert_eq!(named, otherwise, "docs/compatibility.md and `{name}`");
    }
}

#[test]
fn a_chunk_has_the_time_of_the_write_that_completed_it() {
    let fixtures = fixtures();
    let times = |name: &str| -> Vec<u64> {
        let fixture = fixtures.iter().find(|f| f.name == name).unwrap();
        read(fixture, &fixture.marks()).unwrap().chunks.iter().map(|c| c.at.as_nanos()).collect()
    };
    // Write 0 brings the role; each later write brings one content event.
    assert_eq!(times("chat-vllm"), [1, 2, 3]);
    assert_eq!(times("chat-crlf"), [1, 2, 3]);
    assert_eq!(times("chat-cr-only"), [1, 2, 3]);
    assert_eq!(times("chat-all-in-one-write"), [0, 0, 0]);
    assert_eq!(times("chat-full"), [0]);
}

#[test]
fn no_cut_into_reads_changes_what_is_read() {
    for fixture in fixtures() {
        let whole = read(&fixture, &fixture.marks());
        let every_byte: Vec<ReadMark> =
            (1..=fixture.body.len()).map(|end| ReadMark::user(end, Mono::from_nanos(end as u64))).collect();
        let by_byte = read(&fixture, &every_byte);
        if let Ok(reply) = &by_byte {
            assert!(reply.chunks.is_sorted_by_key(|c| c.at), "{}", fixture.name);
        }
        assert_eq!(summed_up(by_byte), summed_up(whole), "{}", fixture.name);
    }
}
