//! `dynamic_grpc` against a service of the tests: every kind of call, every source of descriptors, and what can go wrong.

use serde_json::{Value, json};

use crate::support::grpc_service::{
    GrpcService, NO_REFLECTION, OLD_REFLECTION, PROTO, REFLECTION, ReceivedCall, descriptor_set, grpc_service,
};
use crate::support::{Ended, Program, Record};

const MS: f64 = 1e6;

fn calling(service: &GrpcService, method: &str, rows: &[Value], words: &str) -> Program {
    let lines: Vec<String> = rows.iter().map(ToString::to_string).collect();
    Program::profile(&format!("--url {} --model m --tokenizer builtin --endpoint-type dynamic_grpc", service.url()))
        .with(&format!("--grpc-method words.Words/{method} --export-level raw"))
        .with("--input-file rows.jsonl --custom-dataset-type raw_payload")
        .with(words)
        .file("rows.jsonl", &lines.join("\n"))
        .file("words.proto", PROTO)
}

/// The call that a record is about, by the id that it carried.
fn seen<'a>(calls: &'a [ReceivedCall], record: &Record) -> &'a ReceivedCall {
    calls.iter().find(|call| call.header("x-request-id") == Some(record.word("x_request_id"))).unwrap()
}

/// What the client says of each message against when the service wrote it.
fn check_times(service: &GrpcService, artifacts: &crate::support::Artifacts, messages: usize) {
    let calls = service.calls();
    let (records, raw) = (artifacts.records(), artifacts.raw_records());
    assert!(!records.is_empty() && records.len() == calls.len());
    for (record, raw) in records.iter().zip(&raw) {
        assert!(!record.failed(), "{record:?}");
        let call = seen(&calls, record);
        let start = raw.0["start_perf_ns"].as_u64().unwrap();
        let stamps: Vec<u64> =
            raw.0["responses"].as_array().unwrap().iter().map(|it| it["perf_ns"].as_u64().unwrap()).collect();
        assert_eq!((stamps.len(), call.written.len()), (messages, messages));
        assert!(start <= call.arrived.as_nanos(), "sent after it had arrived");
        for (stamp, written) in stamps.iter().zip(&call.written) {
            assert!(*stamp >= written.as_nanos(), "seen before it was written");
        }
        let latency = (stamps[messages - 1] - start) as f64 / MS;
        assert!((record.metric("request_latency") - latency).abs() < 1e-5, "{latency} {record:?}");
        let took = call.written[messages - 1].since(call.arrived).0 as f64 / MS;
        assert!(record.metric("request_latency") >= took);
    }
}

fn ask(text: &str, count: u32) -> Value {
    json!({"text": text, "count": count, "tone": "LOUD", "blob": "AQL/"})
}

#[test]
fn each_kind_of_call_is_timed_as_the_service_wrote_it_whoever_describes_it() {
    let many = json!([ask("a", 2), ask("b", 1)]);
    for (reflection, source) in [
        (REFLECTION, ""),
        (OLD_REFLECTION, ""),
        (NO_REFLECTION, "--grpc-proto words.proto"),
        (NO_REFLECTION, "--grpc-descriptor-set words.bin"),
    ] {
        for (method, row, words, messages, text) in [
            ("Say", ask("hi", 1), "", 1, "hi"),
            ("Count", ask("w", 4), "--streaming --extra-inputs response_field:text", 4, " w0 w1 w2 w3"),
            ("Gather", many.clone(), "", 1, "a b"),
            ("Chat", many.clone(), "--streaming", 3, " a0 a1 b0"),
        ] {
            let service = grpc_service(reflection);
            let program =
                calling(&service, method, &[row], "--request-count 3 --concurrency 2").with(words).with(source);
            let artifacts = program.bytes("words.bin", &descriptor_set()).succeed();
            check_times(&service, &artifacts, messages);
            for call in service.calls() {
                let first = &call.asks[0];
                assert_eq!((first.tone, first.blob.as_slice()), (1, &[1, 2, 255][..]), "bytes and enums");
                assert_eq!(
                    (call.header("content-type"), call.header("te")),
                    (Some("application/grpc"), Some("trailers"))
                );
            }
            for raw in artifacts.raw_records() {
                let answer = |it: &Value| serde_json::from_str::<Value>(it["text"].as_str().unwrap()).unwrap();
                let answers: Vec<Value> = raw.0["responses"].as_array().unwrap().iter().map(answer).collect();
                let said: String = answers.iter().map(|it| it["text"].as_str().unwrap()).collect();
                assert_eq!((said.as_str(), &answers[0]["blob"]), (text, &json!("/wIB")));
                assert_eq!(answers[0]["tone"], "LOUD");
            }
            if messages > 1 {
                assert_eq!(artifacts.stat("time_to_first_token", "count") as usize, 3);
                assert!(artifacts.stat("time_to_first_token", "min") >= 5.0);
            }
        }
    }
}

#[test]
fn a_template_makes_the_request_and_a_selector_finds_the_text() {
    let service = grpc_service(REFLECTION);
    let extra = json!({
        "payload_template": r#"{"text": {{ text|tojson }}, "count": {{ max_tokens }}}"#,
        "response_field": "text",
        "tone": "LOUD",
    });
    let program = Program::profile(&format!("--url {} --model m --tokenizer builtin", service.url()))
        .with("--endpoint-type dynamic_grpc --grpc-method words.Words/Count --streaming --isl 12 --osl 3")
        .with("--request-count 2 --header X-Tenant:blue --header trace-bin:AQID/w== --api-key k --extra-inputs")
        .word(extra.to_string());
    let artifacts = program.succeed();
    assert_eq!(artifacts.average("input_sequence_length") as u32, 12);
    assert!(artifacts.average("output_sequence_length") > 0.0);
    for call in service.calls() {
        assert_eq!((call.asks[0].count, call.asks[0].tone), (3, 1));
        assert_eq!((call.header("x-tenant"), call.header("trace-bin")), (Some("blue"), Some("AQID/w==")));
        assert_eq!((call.header("authorization"), call.header("grpc-timeout")), (Some("Bearer k"), None));
    }
    let inputs = artifacts.json("inputs.json");
    assert_eq!(inputs["data"][0]["payloads"][0]["count"], 3);
    assert_eq!(service.connections(), 2, "one for the question before the run, one for all calls");
}

fn refused(program: Program) -> String {
    let Ended { code, stderr, .. } = program.run();
    assert_eq!(code, Some(1), "{stderr}");
    stderr
}

#[test]
fn what_cannot_be_called_is_one_clear_error() {
    let (mute, open) = (grpc_service(NO_REFLECTION), grpc_service(REFLECTION));
    let rows = [ask("hi", 1)];
    let check = |program: Program, parts: &[&str]| {
        let text = refused(program);
        for part in parts {
            assert!(text.contains(part), "{text:?} without {part:?}");
        }
    };
    check(calling(&mute, "Say", &rows, ""), &["does not offer reflection", "UNIMPLEMENTED", "--grpc-proto"]);
    check(calling(&open, "Shout", &rows, ""), &["words.Words/Shout", "no method Shout", "Say, Count, Gather, Chat"]);
    let elsewhere = calling(&open, "Say", &rows, "");
    check(elsewhere.with("--grpc-method words.Sounds/Say"), &["--grpc-method"]);
    let other = Program::profile(&format!("--url {} --model m --tokenizer builtin", open.url()))
        .with("--endpoint-type dynamic_grpc --grpc-method words.Sounds/Say --input-file r --custom-dataset-type raw_payload")
        .file("r", "{}");
    check(other, &["no service words.Sounds", "words.Words"]);
    let wrong_proto =
        calling(&mute, "Say", &rows, "--grpc-proto bad.proto").file("bad.proto", "syntax = \"proto3\";\nmessage {");
    check(wrong_proto, &["--grpc-proto", "bad.proto:2"]);
    check(calling(&mute, "Say", &rows, "--grpc-proto none.proto"), &["--grpc-proto", "none.proto"]);
    let wrong_set = calling(&mute, "Say", &rows, "--grpc-descriptor-set bad.bin").bytes("bad.bin", b"\xff\xffno set");
    check(wrong_set, &["--grpc-descriptor-set", "this is not a descriptor set"]);
    check(calling(&mute, "Say", &rows, "--grpc-descriptor-set none.bin"), &["--grpc-descriptor-set", "none.bin"]);
    check(calling(&open, "Say", &rows, "--streaming"), &["--streaming", "one message"]);
    check(calling(&open, "Say", &[json!({"txt": "a"})], ""), &["words.Ask", "txt"]);
    check(calling(&open, "Say", &[json!({"tone": "SHY"})], ""), &["words.Ask"]);
    check(calling(&open, "Say", &[json!([{"text": "a"}])], ""), &["takes one message"]);
    let nobody =
        Program::profile("--url grpc://127.0.0.1:1 --model m --tokenizer builtin --endpoint-type dynamic_grpc")
            .with("--grpc-method a.B/C --input-file r --custom-dataset-type raw_payload")
            .file("r", "{}");
    check(nobody, &["grpc://127.0.0.1:1", "cannot connect"]);
}

/// The error of the only record.
fn failure(program: Program) -> Value {
    let Ended { code, stderr, artifacts, .. } = program.run();
    assert_eq!(code, Some(1), "{stderr}");
    let records = artifacts.records();
    assert_eq!(records.len(), 1);
    records[0].0["error"].clone()
}

#[test]
fn what_goes_wrong_in_a_call_is_a_failed_record() {
    let service = grpc_service(REFLECTION);
    let call = |method: &str, text: &str, words: &str| {
        failure(calling(&service, method, &[ask(text, 3)], "--request-count 1").with(words))
    };
    let no_text = call("Say", "no bytes", "");
    assert_eq!(no_text["type"], "InvalidInferenceResultError");
    assert!(no_text["message"].as_str().unwrap().contains("UTF-8"), "{no_text}");
    let refused = call("Say", "refuse", "");
    assert_eq!((&refused["code"], &refused["type"]), (&json!(9), &json!("FAILED_PRECONDITION")));
    assert_eq!(refused["message"], "not now: €");
    let reset = call("Count", "reset", "--streaming");
    assert_eq!(reset["type"], "ClientPayloadError", "{reset}");
    let late = call("Say", "sleep", "--request-timeout-seconds 0.2");
    assert_eq!((&late["code"], &late["type"]), (&json!(4), &json!("DEADLINE_EXCEEDED")));
    let long = call("Say", "long", "--grpc-max-message-size 4096");
    assert_eq!((&long["code"], &long["type"]), (&json!(8), &json!("RESOURCE_EXHAUSTED")));
    assert!(long["message"].as_str().unwrap().contains("--grpc-max-message-size"), "{long}");
    let told = service.calls().into_iter().filter(|call| call.header("grpc-timeout").is_some()).count();
    assert!(told <= 1, "only the user's own limit is told");
}

#[test]
fn a_cancelled_call_is_reset_and_the_connection_stays() {
    let service = grpc_service(REFLECTION);
    let words = "--streaming --request-count 4 --concurrency 2 --request-cancellation-rate 100 --request-cancellation-delay 0.7";
    let ended = calling(&service, "Count", &[ask("slow", 50)], words).run();
    let records = ended.artifacts.records();
    assert_eq!(records.len(), 4);
    assert!(records.iter().all(|record| record.0["error"]["code"] == 499), "{records:?}");
    let left = crate::support::wait_for("the service to notice", || {
        let calls = service.calls();
        (calls.len() == 4).then(|| calls.iter().all(|call| call.ended_by_client))
    });
    assert!(left);
    assert!(service.connections() <= 3, "one before the run, one for each of two workers at most");
}
