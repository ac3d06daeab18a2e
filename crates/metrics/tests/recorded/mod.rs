//! Recorded runs of the reference: their records as observations, their summaries against ours.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::fs;
use std::path::PathBuf;

use aiperf_clock::{EpochNanos, Mono, Nanos, WallAnchor};
use aiperf_metrics::{
    Columns, Failure, HttpTiming, MediaFacts, Metric, MetricContext, MetricKind, Observation, OverflowSigns,
    Percentile, PhaseWindow, RecordValues, RequestOutcome, SpecDecode, Stats, Summary, TokenCounts,
};
use aiperf_protocol::{ContentChunk, Delivery, ServerTimes, Usage};
use serde_json::Value;

pub(crate) struct RecordedRun {
    pub(crate) records: Vec<Value>,
    pub(crate) summary: Value,
}

pub(crate) fn run(case: &str) -> RecordedRun {
    let crates = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let own = crates.join("metrics/tests/fixtures").join(case);
    // Runs whose whole folder is read back are kept there.
    let dir = if own.exists() { own } else { crates.join("artifact/tests/fixtures").join(case) };
    let records = fs::read_to_string(dir.join("profile_export.jsonl")).unwrap();
    let summary = fs::read_to_string(dir.join("profile_export_aiperf.json")).unwrap();
    RecordedRun {
        records: records.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        summary: serde_json::from_str(&summary).unwrap(),
    }
}

/// Epoch times stand in for monotonic ones: the anchor maps each to itself.
fn mono(epoch: u64) -> Mono {
    Mono::from_nanos(epoch)
}

pub(crate) fn observe(record: &Value, requested: Option<u32>) -> Observation {
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
        lost: None,
        blocked: stage("http_req_blocked"),
        dns_lookup: stage("http_req_dns_lookup"),
        connecting: stage("http_req_connecting"),
        tls: None,
        sending: stage("http_req_sending"),
        waiting: stage("http_req_waiting"),
        receiving: stage("http_req_receiving"),
        reused: whole("http_req_connection_reused") == Some(1),
        body_bytes_sent: kilobytes("http_req_data_sent"),
        writes: whole("http_req_chunks_sent").unwrap(),
        body_bytes_received: kilobytes("http_req_data_received"),
        reads: whole("http_req_chunks_received").unwrap(),
    });
    let failure = record.get("error").map(|error| {
        let message = error["message"].as_str().unwrap();
        if record["metadata"]["was_cancelled"] == true {
            return Failure::cancelled(RequestOutcome::CancelledOnPurpose, message);
        }
        let code = error["code"].as_u64().map(|code| u16::try_from(code).unwrap());
        Failure::new(code, error["type"].as_str().unwrap().into(), message)
            .recognize_overflow(&OverflowSigns::default())
    });
    Observation {
        due: time("credit_issued_ns").unwrap(),
        credit_issued: time("credit_issued_ns").unwrap(),
        start,
        client_send_delay: None,
        headers_received: time("request_ack_ns"),
        end: time("request_end_ns").unwrap(),
        chunks,
        tokens: TokenCounts {
            input: whole("input_sequence_length").or(whole("error_isl")),
            output: whole("output_token_count"),
            reasoning: whole("reasoning_token_count"),
        },
        usage: Some(usage),
        spec_decode: record.get("spec_decode_acceptance").map(spec_decode),
        server_times: ServerTimes::default(),
        http,
        resent: 0,
        failure,
        requested_output_tokens: requested,
        requested_input_tokens: None,
        undecodable_events: 0,
        delivery: Delivery::Events,
        prefix: None,
        media: MediaFacts { images: whole("num_images").unwrap_or(0), ..MediaFacts::default() },
    }
}

fn spec_decode(acceptance: &Value) -> SpecDecode {
    let count = |name: &str| acceptance[name].as_u64().unwrap();
    let buckets = acceptance["acceptance_histogram"].as_object().unwrap();
    SpecDecode {
        mean_acceptance_length: acceptance["mean_acceptance_length"].as_f64().unwrap(),
        draft_acceptance_rate: acceptance["draft_acceptance_rate"].as_f64().unwrap(),
        acceptance_histogram: (0..buckets.len()).map(|drafts| buckets[&drafts.to_string()].as_u64().unwrap()).collect(),
        accepted_draft_tokens: count("num_accepted_draft_tokens"),
        draft_tokens: count("num_draft_tokens"),
        steps: count("num_spec_steps"),
        spec_tokens: Some(count("num_spec_tokens")),
    }
}

pub(crate) fn recompute(run: &RecordedRun, context: &MetricContext, requested: Option<u32>) -> Summary {
    let mut columns = Columns::new();
    for record in &run.records {
        let seen = observe(record, requested);
        columns.push(&seen, &RecordValues::compute(&seen));
    }
    let window = PhaseWindow::new(window_edge(run, "start_time"), window_edge(run, "end_time"));
    let anchor = WallAnchor::at(Mono::from_nanos(0), EpochNanos(0));
    Summary::compute(&columns, &window, context, &anchor)
}

/// The recorded times are local and without a zone, but the run was recorded in UTC on one known day.
pub(crate) fn window_edge(run: &RecordedRun, key: &str) -> Mono {
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
    fields.extend(Percentile::REFERENCE.map(|p| (p.name(), stats.percentile(p))));
    fields.into_iter().map(|(name, value)| (name, value.filter(|value| value.is_finite()))).collect()
}

/// How far apart a field may be, relative to the metric's size; `None` where the definitions differ on purpose.
fn tolerance(metric: Metric, field: &str) -> Option<f64> {
    match metric.definition().kind {
        MetricKind::Record if matches!(metric, Metric::CreditToStartLatency | Metric::EffectiveLatency) => Some(1e-4),
        MetricKind::Record | MetricKind::RecordList | MetricKind::Network => Some(1e-9),
        // The reference rounds the window to microseconds in its file, and its own times to 256 ns.
        MetricKind::Aggregate | MetricKind::Derived => Some(1e-5),
        // Nearest rank there, linear interpolation here.
        MetricKind::ErrorAdjusted => None,
        // The reference's rounding of times makes neighbouring gaps overlap or leaves holes between them.
        MetricKind::TimeWeighted if ["min", "max", "p99", "std"].contains(&field) => None,
        MetricKind::TimeWeighted => Some(2e-3),
    }
}

pub(crate) fn compare(case: &str, context: &MetricContext, requested: Option<u32>, skip: &[Metric]) {
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
    let extra = |metric: &Metric| *metric == Metric::OverallOutputTokenThroughputPerUser;
    for result in ours.results.iter().filter(|result| !extra(&result.metric)) {
        assert!(run.summary.get(result.metric.tag()).is_some(), "{case}: {} is extra", result.metric.tag());
    }
    assert!(compared > 300, "{case}: only {compared} numbers compared");
}
