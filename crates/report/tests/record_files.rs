//! The per-request files: their shape against recorded ones of the reference.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

mod runs;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use aiperf_clock::{EpochNanos, Nanos};
use aiperf_metrics::{Cause, Failure, MetricContext, Observation, RecordValues, RequestOutcome};
use aiperf_report::{
    Chunks, Headers, OutputText, OutputsFile, RawExchange, RawResponse, RawWriter, Record, RecordMetadata,
    RecordWriter, StampCounts, TraceData,
};
use serde_json::Value;

fn recorded(file: &str, line: usize) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(file);
    serde_json::from_str(fs::read_to_string(path).unwrap().lines().nth(line).unwrap()).unwrap()
}

fn written(seen: &Observation, trace: Option<&TraceData<'_>>) -> Value {
    written_in(&[runs::streaming()], seen, &runs::metadata(seen), trace)
}

fn written_in(
    phases: &[MetricContext],
    seen: &Observation,
    metadata: &RecordMetadata<'_>,
    trace: Option<&TraceData<'_>>,
) -> Value {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("profile_export.jsonl");
    let writer = RecordWriter::create(&path, phases).unwrap();
    let values = RecordValues::compute(seen);
    let record = Record { metadata, values: &values, failure: seen.failure.as_ref(), spec_decode: None, trace };
    writer.write(&mut Vec::new(), &record).unwrap();
    assert_eq!(writer.finish().written, 1);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.ends_with("}\n") && text.lines().count() == 1);
    serde_json::from_str(&text).unwrap()
}

fn keys(value: &Value) -> Vec<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

/// Tags with their units and whether the value is a whole number, a fraction or a list.
fn metric_shapes(record: &Value) -> BTreeSet<(String, String, &'static str)> {
    let metrics = record["metrics"].as_object().unwrap().iter();
    let shape = |value: &Value| match value {
        Value::Array(_) => "list",
        value if value.is_u64() => "whole",
        _ => "fraction",
    };
    metrics.map(|(tag, m)| (tag.clone(), m["unit"].as_str().unwrap().to_owned(), shape(&m["value"]))).collect()
}

#[test]
fn a_success_has_the_fields_and_metrics_of_the_reference() {
    let (ours, theirs) = (written(&runs::streamed(1), None), recorded("chat_streaming/profile_export.jsonl", 0));
    assert_eq!(keys(&ours), keys(&theirs));
    assert_eq!(keys(&ours["metadata"]), keys(&theirs["metadata"]));
    assert_eq!(metric_shapes(&ours), metric_shapes(&theirs));
    assert_eq!(ours["metrics"]["inter_chunk_latency"]["value"].as_array().unwrap().len(), 7);
    assert_eq!(ours["metrics"]["output_sequence_length"]["value"], 8);
}

#[test]
fn a_failure_has_the_fields_of_the_reference_and_a_true_end() {
    let seen = runs::failed(1, Some(500), "Internal Server Error", "a \"quoted\" body\nof two lines");
    let (ours, theirs) = (written(&seen, None), recorded("errors_mixed/profile_export.jsonl", 0));
    assert_eq!(keys(&ours), keys(&theirs));
    assert_eq!(keys(&ours["metadata"]), keys(&theirs["metadata"]));
    assert_eq!(keys(&ours["error"]), keys(&theirs["error"]));
    assert_eq!(metric_shapes(&ours), metric_shapes(&theirs));
    assert_ne!(ours["metadata"]["request_end_ns"], ours["metadata"]["request_start_ns"]);
}

#[test]
fn a_request_cancelled_on_purpose_has_the_fields_of_the_reference() {
    let failure = Failure::cancelled(RequestOutcome::CancelledOnPurpose, "cancelled 0.1 s after it was sent");
    let seen = Observation { failure: Some(failure), ..runs::failed(1, None, "", "") };
    let plain = runs::metadata(&seen);
    let cancelled_at = Some(plain.request_end_ns);
    let metadata = RecordMetadata { was_cancelled: true, cancellation_time_ns: cancelled_at, ..plain };
    let ours = written_in(&[runs::streaming()], &seen, &metadata, None);
    let theirs = recorded("cancellation/profile_export.jsonl", 0);
    assert_eq!(keys(&ours), keys(&theirs));
    assert_eq!(keys(&ours["metadata"]), keys(&theirs["metadata"]));
    assert_eq!(metric_shapes(&ours), metric_shapes(&theirs));
    for key in ["code", "type"] {
        assert_eq!(ours["error"][key], theirs["error"][key]);
    }
}

#[test]
fn only_records_of_an_open_loop_phase_are_counted_from_their_due_time() {
    let phases = [runs::streaming(), MetricContext { open_loop: true, ..runs::streaming() }];
    let seen = Observation { due: runs::at(100), ..runs::streamed(1) };
    let of_phase = |phase_index| {
        let metadata = RecordMetadata { phase_index, ..runs::metadata(&seen) };
        written_in(&phases, &seen, &metadata, None)["metrics"].clone()
    };
    let (closed, open) = (of_phase(0), of_phase(1));
    for tag in ["schedule_lag", "request_latency_from_due", "time_to_first_token_from_due"] {
        assert!(closed.get(tag).is_none() && open[tag]["unit"] == "ms");
    }
    assert_eq!(open["schedule_lag"]["value"], 10.0);
    assert!(open.get("replay_send_schedule_offset").is_none());
}

#[test]
fn a_failure_without_a_status_names_its_causes_like_the_reference() {
    let mut seen = runs::failed(1, None, "ClientPayloadError", "the response broke off");
    let cause = Cause { kind: "TransferEncodingError".into(), message: "bytes are missing".into() };
    seen.failure.as_mut().unwrap().cause = Some(cause);
    let error = &written(&seen, None)["error"];
    assert_eq!(keys(error), ["type", "message", "cause", "cause_chain"]);
    assert_eq!(error["cause"], "bytes are missing");
    assert_eq!(error["cause_chain"], serde_json::json!(["ClientPayloadError", "TransferEncodingError"]));

    let bare = &written(&runs::failed(1, None, "ServerDisconnectedError", "gone"), None)["error"];
    assert_eq!(keys(bare), ["type", "message", "cause_chain"]);
}

#[test]
fn a_trace_has_the_fields_of_the_reference_and_its_chunks() {
    let headers = [("Content-Type".to_owned(), "application/json".to_owned())];
    let at = |nanos: u64| EpochNanos(1_794_704_517_719_151_859 + nanos);
    let trace = TraceData {
        trace_type: "aiperf",
        request_send_start_ns: at(0),
        request_headers: Headers(&headers),
        request_headers_sent_ns: Some(at(1)),
        request_chunks: Chunks(&[(at(2), 227)]),
        request_send_end_ns: Some(at(2)),
        request_chunks_count: 1,
        request_bytes_total: 227,
        response_status_code: Some(200),
        response_reason: Some("OK"),
        response_receive_start_ns: Some(at(4)),
        response_headers: Headers(&headers),
        response_headers_received_ns: Some(at(3)),
        response_chunks: Chunks(&[(at(4), 100), (at(5), 20)]),
        response_chunks_count: 2,
        response_bytes_total: 120,
        response_receive_end_ns: Some(at(5)),
        dns_lookup_start_ns: None,
        dns_lookup_end_ns: None,
        tcp_connect_start_ns: Some(at(0)),
        tcp_connect_end_ns: Some(at(1)),
        tls_handshake_start_ns: None,
        tls_handshake_end_ns: None,
        connection_reused_ns: None,
        local_ip: Some("127.0.0.1"),
        local_port: Some(35_816),
        remote_ip: Some("127.0.0.1"),
        remote_port: Some(8_000),
        sending_ns: Nanos(1),
        waiting_ns: Nanos(2),
        receiving_ns: Nanos(1),
        duration_ns: Nanos(4),
        connecting_ns: Some(Nanos(1)),
        lost_ns: None,
        stamp_source: StampCounts { kernel: 2, user: 0, coalesced: 1 },
    };
    let (ours, theirs) = (written(&runs::streamed(1), Some(&trace)), recorded("trace_timing/profile_export.jsonl", 0));
    assert_eq!(keys(&ours), keys(&theirs));
    let with_ours = [keys(&theirs["trace_data"]), vec!["stamp_source".to_owned()]].concat();
    assert_eq!(keys(&ours["trace_data"]), with_ours);
    assert_eq!(ours["trace_data"]["stamp_source"], serde_json::json!({"kernel": 2, "user": 0, "coalesced": 1}));
    assert_eq!(ours["trace_data"]["response_chunks"][1][1], 20);
}

#[test]
fn a_raw_exchange_has_the_fields_of_the_reference() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("profile_export_raw.jsonl");
    let writer = RawWriter::create(&path).unwrap();
    let seen = runs::streamed(1);
    let metadata = runs::metadata(&seen);
    let headers = [("Authorization".to_owned(), "<redacted>".to_owned())];
    let exchange = RawExchange {
        metadata: &metadata,
        start: seen.start,
        request_headers: &headers,
        status: Some(200),
        responses: &[RawResponse::Event { at: runs::at(120), fields: vec![("data", "[DONE]")] }],
        payload: b"{\n  \"model\": \"m\"\n}",
        failure: None,
    };
    let body = RawResponse::Body { at: runs::at(130), content_type: Some("application/json"), text: "{}" };
    writer.write(&mut Vec::new(), &exchange).unwrap();
    let other = RawExchange { responses: &[body], payload: b"not json", ..exchange };
    writer.write(&mut Vec::new(), &other).unwrap();
    assert_eq!(writer.finish().written, 2);

    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let theirs = recorded("raw_export/profile_export_raw.jsonl", 0);
    assert_eq!(keys(&lines[0]), keys(&theirs));
    assert_eq!(keys(&lines[0]["responses"][0]), keys(&theirs["responses"][0]));
    assert_eq!(keys(&lines[0]["responses"][0]["packets"][0]), keys(&theirs["responses"][0]["packets"][0]));
    assert_eq!(lines[0]["payload"]["model"], "m");
    assert_eq!(lines[1]["payload"], "not json");
    assert_eq!(keys(&lines[1]["responses"][0]), ["perf_ns", "content_type", "text"]);
}

#[test]
fn outputs_are_in_the_order_of_permission_and_laid_out_like_other_json() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("deep/outputs.json");
    let file = OutputsFile::create(&path, &runs::streaming()).unwrap();
    let mut scratch = Vec::new();
    let seen = [runs::streamed(0), runs::failed(1, Some(500), "HTTPError", "no"), runs::streamed(0)];
    for (number, text) in [(2, Some("a \"b\"\n\u{1}\u{e9}")), (1, None), (0, Some(""))] {
        let values = RecordValues::compute(&seen[number]);
        let metadata = RecordMetadata { session_num: number as u64, ..runs::metadata(&seen[number]) };
        file.write(&mut scratch, &OutputText { metadata: &metadata, values: &values, text }).unwrap();
    }
    file.finish().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(text, format!("{value:#}"));
    assert_eq!(keys(&value), ["schema_version", "data"]);
    let numbers: Vec<_> = value["data"].as_array().unwrap().iter().map(|reply| reply["session_num"].as_u64()).collect();
    assert_eq!(numbers, [Some(0), Some(1), Some(2)]);
    let fields = ["session_num", "conversation_id", "turn_index", "x_request_id", "request_start_ns", "request_end_ns"];
    assert_eq!(keys(&value["data"][1]), [&fields[..], &["metrics", "response_text"]].concat());
    let metrics = keys(&value["data"][0]["metrics"]);
    assert!(
        metrics[0] == "input_sequence_length" && metrics.contains(&"time_to_first_token".to_owned()),
        "{metrics:?}"
    );
    assert_eq!(value["data"][1]["response_text"], Value::Null);
    assert_eq!(value["data"][2]["response_text"], "a \"b\"\n\u{1}\u{e9}");
}
