//! Recomputes the summaries of recorded runs of the reference from their per-request records, and compares.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::fs;
use std::path::PathBuf;

use aiperf_clock::{EpochNanos, Mono, Nanos, WallAnchor};
use aiperf_endpoint::{ContentChunk, EndpointKind, Usage};
use aiperf_metrics::{
    Cancellation, Columns, Failure, HttpTiming, Kind, MediaFacts, Metric, MetricContext, Observation, Percentile,
    PhaseWindow, RecordValues, Stats, Summary, TokenCounts,
};
use serde_json::Value;

struct Run {
    records: Vec<Value>,
    summary: Value,
}

fn run(case: &str) -> Run {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(case);
    let records = fs::read_to_string(dir.join("profile_export.jsonl")).unwrap();
    let summary = fs::read_to_string(dir.join("profile_export_aiperf.json")).unwrap();
    Run {
        records: records.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        summary: serde_json::from_str(&summary).unwrap(),
    }
}

/// Epoch times stand in for monotonic ones: the anchor maps each to itself.
fn mono(epoch: u64) -> Mono {
    Mono::from_nanos(epoch)
}

fn observe(record: &Value, requested: Option<u32>) -> Observation {
    let time = |name: &str| record["metadata"][name].as_u64().map(mono);
    let metric = |tag: &str| record["metrics"].get(tag).map(|metric| &metric["value"]);
    let number = |tag: &str| metric(tag).and_then(Value::as_f64);
    let nanos = |tag: &str| number(tag).map(|ms| (ms * 1e6).round() as u64);
    let whole = |tag: &str| metric(tag).and_then(Value::as_u64);
    let start = time("request_start_ns").unwrap();

    let mut chunks = Vec::new();
    if let Some(first) = nanos("time_to_first_token").or(nanos("request_latency")) {
        let output_at = nanos("time_to_first_output_token");
        let gaps = metric("inter_chunk_latency").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut at = first;
        let mut ats = vec![at];
        for gap in gaps {
            at += (gap.as_f64().unwrap() * 1e6).round() as u64;
            ats.push(at);
        }
        chunks.extend(ats.into_iter().map(|at| ContentChunk {
            at: start + Nanos(at),
            has_output: output_at.is_none_or(|output| at >= output),
            has_reasoning: false,
            // What the server of the one run with per-chunk usage reported; the others do not look at it.
            usage_completion_tokens: Some(4),
        }));
    }
    let usage = Usage {
        prompt_tokens: whole("usage_prompt_tokens"),
        completion_tokens: whole("usage_completion_tokens"),
        total_tokens: whole("usage_total_tokens"),
        reasoning_tokens: whole("usage_reasoning_tokens"),
        cache_read_tokens: whole("usage_prompt_cache_read_tokens"),
        ..Usage::default()
    };
    let kilobytes = |tag: &str| number(tag).map_or(0, |kb| (kb * 1024.0).round() as u64);
    let stage = |tag: &str| Nanos(nanos(tag).unwrap_or(0));
    let http = metric("http_req_sending").map(|_| HttpTiming {
        blocked: stage("http_req_blocked"),
        dns_lookup: stage("http_req_dns_lookup"),
        connecting: stage("http_req_connecting"),
        sending: stage("http_req_sending"),
        waiting: stage("http_req_waiting"),
        receiving: stage("http_req_receiving"),
        reused: whole("http_req_connection_reused") == Some(1),
        body_bytes_sent: kilobytes("http_req_data_sent"),
        writes: whole("http_req_chunks_sent").unwrap(),
        body_bytes_received: kilobytes("http_req_data_received"),
        reads: whole("http_req_chunks_received").unwrap(),
    });
    let failure = record.get("error").map(|error| Failure {
        code: error["code"].as_u64().map(|code| u16::try_from(code).unwrap()),
        kind: error["type"].as_str().unwrap().to_owned(),
        message: error["message"].as_str().unwrap().to_owned(),
        cause: None,
        cancelled: (record["metadata"]["was_cancelled"] == true).then_some(Cancellation::OnPurpose),
    });
    Observation {
        due: time("credit_issued_ns").unwrap(),
        credit_issued: time("credit_issued_ns").unwrap(),
        start,
        headers_received: time("request_ack_ns"),
        end: time("request_end_ns").unwrap(),
        chunks,
        tokens: TokenCounts {
            input: whole("input_sequence_length").or(whole("error_isl")),
            output: whole("output_token_count"),
            reasoning: whole("reasoning_token_count"),
        },
        usage: Some(usage),
        http,
        failure,
        requested_output_tokens: requested,
        undecodable_events: 0,
        prefix: None,
        media: MediaFacts::default(),
    }
}

fn recompute(run: &Run, context: &MetricContext, requested: Option<u32>) -> Summary {
    let mut columns = Columns::new();
    for record in &run.records {
        let seen = observe(record, requested);
        columns.push(&seen, &RecordValues::compute(&seen));
    }
    let window = PhaseWindow { start: window_edge(run, "start_time"), end: window_edge(run, "end_time") };
    let anchor = WallAnchor::at(Mono::from_nanos(0), EpochNanos(0));
    Summary::compute(&columns, &window, context, &anchor)
}

/// The recorded times are local and without a zone, but the run was recorded in UTC on one known day.
fn window_edge(run: &Run, key: &str) -> Mono {
    let text = run.summary[key].as_str().unwrap();
    let first = run.records[0]["metadata"]["request_start_ns"].as_u64().unwrap();
    let day = first / 86_400_000_000_000 * 86_400_000_000_000;
    let field = |from: usize, to: usize| text[from..to].parse::<u64>().unwrap();
    let seconds = field(11, 13) * 3600 + field(14, 16) * 60 + field(17, 19);
    mono(day + seconds * 1_000_000_000 + field(20, 26) * 1_000)
}

fn fields(stats: &Stats) -> Vec<(&'static str, Option<f64>)> {
    let mut fields = vec![
        ("avg", stats.avg),
        ("min", stats.min),
        ("max", stats.max),
        ("std", stats.std),
        ("sum", stats.sum),
        ("count", stats.count.map(|count| count as f64)),
    ];
    fields.extend(Percentile::ALL.map(|p| (p.name(), stats.percentile(p))));
    fields.into_iter().map(|(name, value)| (name, value.filter(|value| value.is_finite()))).collect()
}

/// How far apart a field may be, relative to the metric's size; `None` where the definitions differ on purpose.
fn tolerance(metric: Metric, field: &str) -> Option<f64> {
    match metric.definition().kind {
        Kind::Record if matches!(metric, Metric::CreditToStartLatency | Metric::EffectiveLatency) => Some(1e-4),
        Kind::Record | Kind::RecordList => Some(1e-9),
        // The reference rounds the window to microseconds in its file, and its own times to 256 ns.
        Kind::Aggregate | Kind::Derived => Some(1e-5),
        // Nearest rank there, linear interpolation here.
        Kind::ErrorAdjusted => None,
        // The reference's rounding of times makes neighbouring gaps overlap or leaves holes between them.
        Kind::TimeWeighted if ["min", "max", "p99", "std"].contains(&field) => None,
        Kind::TimeWeighted => Some(2e-3),
    }
}

fn compare(case: &str, context: &MetricContext, requested: Option<u32>, skip: &[Metric]) {
    let run = run(case);
    let ours = recompute(&run, context, requested);
    let mut compared = 0;
    for (tag, theirs) in run.summary.as_object().unwrap().iter().filter(|(_, value)| value["unit"].is_string()) {
        let metric = Metric::from_tag(tag).unwrap_or_else(|| panic!("{case}: {tag} is not in the catalogue"));
        if skip.contains(&metric) {
            continue;
        }
        let stats = ours.get(metric).unwrap_or_else(|| panic!("{case}: {tag} is missing"));
        assert_eq!(theirs["unit"], metric.definition().shown.label(), "{case}: unit of {tag}");
        let size = theirs["max"].as_f64().or(theirs["avg"].as_f64()).unwrap_or(1.0).abs().max(1e-12);
        for (field, value) in fields(stats) {
            let Some(tolerance) = tolerance(metric, field) else { continue };
            let expected = theirs.get(field).and_then(Value::as_f64);
            match (value, expected) {
                (Some(value), Some(expected)) => {
                    let apart = (value - expected).abs() / size;
                    assert!(apart <= tolerance, "{case}: {tag}.{field} is {value}, recorded {expected}");
                    compared += 1;
                }
                (value, expected) => assert_eq!(value, expected, "{case}: {tag}.{field}"),
            }
        }
    }
    for result in &ours.results {
        assert!(run.summary.get(result.metric.tag()).is_some(), "{case}: {} is extra", result.metric.tag());
    }
    assert!(compared > 300, "{case}: only {compared} numbers compared");
}

fn chat() -> MetricContext {
    MetricContext::new(EndpointKind::Chat, true)
}

#[test]
fn streaming_chat_gives_the_recorded_statistics() {
    compare("chat_streaming", &chat(), Some(16), &[]);
}

#[test]
fn completions_give_the_recorded_statistics() {
    compare("completions_streaming", &MetricContext::new(EndpointKind::Completions, true), Some(16), &[]);
}

#[test]
fn chat_without_streaming_gives_the_recorded_statistics_but_counts_input_tokens_in_flight() {
    let skip = [Metric::TokensInFlight, Metric::HttpReqDuration];
    compare("chat_nonstreaming", &MetricContext::new(EndpointKind::Chat, false), Some(16), &skip);
}

#[test]
fn embeddings_give_the_recorded_statistics_without_an_output_length() {
    let skip = [Metric::TokensInFlight, Metric::HttpReqDuration, Metric::OutputSequenceLength];
    compare("embeddings", &MetricContext::new(EndpointKind::Embeddings, false), None, &skip);
}

#[test]
fn reasoning_gives_the_recorded_statistics() {
    compare("reasoning", &chat(), Some(16), &[]);
}

#[test]
fn goodput_gives_the_recorded_statistics() {
    let mut context = chat();
    for (tag, limit) in [("time_to_first_token", 60.0), ("request_latency", 500.0), ("inter_token_latency", 10.0)] {
        context.slos.push(context.slo(tag, limit).unwrap());
    }
    compare("goodput", &context, Some(16), &[]);
}

#[test]
fn server_token_counts_give_the_recorded_statistics() {
    compare("server_tokens", &MetricContext { server_token_count: true, ..chat() }, Some(16), &[]);
}

#[test]
fn per_chunk_usage_gives_the_recorded_statistics() {
    let context = MetricContext { server_token_count: true, per_chunk_usage: true, ..chat() };
    compare("per_chunk_usage", &context, Some(16), &[]);
}

#[test]
fn one_token_responses_give_the_recorded_statistics() {
    compare("one_token", &chat(), Some(1), &[]);
}

#[test]
fn an_output_length_that_differs_gives_the_recorded_statistics() {
    compare("osl_mismatch", &chat(), Some(16), &[]);
}

#[test]
fn failures_give_the_recorded_statistics_but_stay_out_of_effective_latency() {
    // A recorded failure has zero length there, which also touches the concurrency curve; here it is only as recorded.
    compare("errors_mixed", &chat(), Some(16), &[Metric::EffectiveLatency]);
}

#[test]
fn cancelled_requests_give_the_recorded_statistics() {
    compare("cancellation", &chat(), Some(32), &[Metric::EffectiveLatency]);
}

#[test]
fn a_fixed_schedule_gives_the_recorded_replay_lag() {
    const SCHEDULE_MS: [u64; 5] = [0, 200, 500, 700, 1_000];
    let run = run("fixed_schedule");
    let mut requests: Vec<_> = run.records.iter().map(|record| observe(record, Some(8))).collect();
    requests.sort_by_key(|seen| seen.start);
    // The file does not say when the replay began. Any instant before the first request will do: the lag is relative.
    let began = requests[0].start - Nanos(10_000_000);
    let mut columns = Columns::new();
    for (seen, millis) in requests.iter_mut().zip(SCHEDULE_MS) {
        seen.due = began + Nanos(millis * 1_000_000);
        columns.push(seen, &RecordValues::compute(seen));
    }
    let context = MetricContext { open_loop: true, fixed_schedule: true, ..chat() };
    let window = PhaseWindow { start: window_edge(&run, "start_time"), end: window_edge(&run, "end_time") };
    let anchor = WallAnchor::at(Mono::from_nanos(0), EpochNanos(0));
    let ours = Summary::compute(&columns, &window, &context, &anchor);
    for tag in ["replay_sched_lag_p50", "replay_sched_lag_p90", "replay_sched_lag_p99", "replay_sched_degraded"] {
        let value = ours.get(Metric::from_tag(tag).unwrap()).and_then(|stats| stats.avg).unwrap();
        let recorded = run.summary[tag]["avg"].as_f64().unwrap();
        // There, times pass through floating-point epoch nanoseconds, in steps of 256 ns.
        assert!((value - recorded).abs() < 1e-3, "{tag} is {value}, recorded {recorded}");
        assert!(run.summary.get("replay_send_schedule_offset").is_none() && ours.results.len() > 50);
    }
}

#[test]
fn merging_threads_gives_what_one_thread_gives() {
    let run = run("errors_mixed");
    let context = chat();
    let whole = recompute(&run, &context, Some(16));
    let mut parts = [Columns::new(), Columns::new(), Columns::new()];
    for (index, record) in run.records.iter().enumerate() {
        let seen = observe(record, Some(16));
        parts[(index * 7) % 3].push(&seen, &RecordValues::compute(&seen));
    }
    let [mut first, second, third] = parts;
    first.merge(third);
    first.merge(second);
    let window = PhaseWindow { start: window_edge(&run, "start_time"), end: window_edge(&run, "end_time") };
    let anchor = WallAnchor::at(Mono::from_nanos(0), EpochNanos(0));
    let merged = Summary::compute(&first, &window, &context, &anchor);
    assert_eq!(merged.results, whole.results);
    assert_eq!(merged.failures, whole.failures);
}
