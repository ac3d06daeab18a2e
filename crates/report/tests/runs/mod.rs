//! Fixed runs that the tests of this folder report on.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]
#![allow(dead_code, reason = "each test file takes what it needs")]

mod metadata;

use aiperf_clock::{EpochNanos, Mono, Nanos, WallAnchor};
use aiperf_metrics::{
    ClientHealth, ClientLoad, Columns, Failure, HealthSample, HttpTiming, LostRecords, MetricContext, Observation,
    PhaseAccounting, PhaseWindow, RecordValues, Summary, Thresholds, TokenCounts,
};
use aiperf_protocol::{ContentChunk, EndpointKind, PhaseKind, RequestOutcome, RunEnding, Usage};
use aiperf_report::{
    AskedLoad, AskedPercentiles, ClientCpu, ErrorLimits, ErrorStatistic, ErrorStats, Grade, JoinCounts, LocalZone,
    Machine, PhaseReport, RecordMetadata, RunReport, SelfTestProblem, SelfTestReport, TimedError,
};
use serde_json::json;

const MS: u64 = 1_000_000;
const EPOCH: EpochNanos = EpochNanos(1_794_704_108_908_410_525);

pub(crate) fn anchor() -> WallAnchor {
    WallAnchor::at(Mono::from_nanos(0), EPOCH)
}

pub(crate) fn at(millis: u64) -> Mono {
    Mono::from_nanos(millis * MS)
}

/// Starts every 100 ms; later ones are a little slower.
pub(crate) fn streamed(index: u64) -> Observation {
    let start = at(10 + 100 * index);
    let first = start + Nanos(50 * MS + index * 333_333);
    let chunk = |n: u64| ContentChunk {
        at: first + Nanos(n * 10 * MS + n * index * 1_000),
        has_output: true,
        has_reasoning: false,
        usage_completion_tokens: None,
    };
    let chunks: Vec<_> = (0..8).map(chunk).collect();
    let end = chunks[7].at + Nanos(500_000);
    Observation {
        credit_issued: at(9 + 100 * index),
        headers_received: Some(start + Nanos(2 * MS)),
        chunks,
        tokens: TokenCounts { input: Some(32), output: Some(8), reasoning: None },
        usage: Some(Usage {
            prompt_tokens: Some(32),
            completion_tokens: Some(8),
            total_tokens: Some(40),
            cache_read_tokens: Some(8),
            ..Usage::default()
        }),
        http: Some(HttpTiming {
            connecting: Nanos(if index == 0 { 700_000 } else { 0 }),
            sending: Nanos(100_000),
            waiting: Nanos(2 * MS),
            receiving: Nanos(118 * MS),
            reused: index > 0,
            body_bytes_sent: 227,
            writes: 1,
            body_bytes_received: 2_214,
            reads: 8,
            ..HttpTiming::default()
        }),
        requested_output_tokens: Some(8),
        ..Observation::new(start, end)
    }
}

pub(crate) fn embedded(index: u64) -> Observation {
    let mut seen = streamed(index);
    seen.chunks.truncate(1);
    seen.end = seen.chunks[0].at + Nanos(10_000);
    seen.tokens = TokenCounts { input: Some(32), output: None, reasoning: None };
    seen.usage = None;
    seen.requested_output_tokens = None;
    seen
}

pub(crate) fn failed(index: u64, code: Option<u16>, kind: &str, message: &str) -> Observation {
    let failure = Failure::new(code, kind.into(), message);
    let seen = streamed(index);
    Observation {
        end: seen.start + Nanos(3 * MS),
        headers_received: None,
        chunks: Vec::new(),
        usage: None,
        http: None,
        resent: 0,
        failure: Some(failure),
        ..seen
    }
}

pub(crate) fn cut_off(index: u64) -> Observation {
    let mut seen = failed(index, Some(499), "RequestCancellationError", "in flight when the run ended");
    if let Some(failure) = &mut seen.failure {
        failure.outcome = RequestOutcome::CutOff;
    }
    seen
}

pub(crate) fn streaming() -> MetricContext {
    MetricContext::new(EndpointKind::Chat, true)
}

pub(crate) fn summary(requests: &[Observation], context: &MetricContext) -> Summary {
    let mut columns = Columns::new();
    for seen in requests {
        columns.push(seen, &RecordValues::compute(seen));
    }
    let last = requests.iter().map(|seen| seen.end).max().unwrap();
    Summary::compute(&columns, &PhaseWindow::new(at(0), last), context, &anchor())
}

pub(crate) fn phase(kind: PhaseKind, index: u32, summary: Summary) -> PhaseReport {
    PhaseReport {
        name: kind.name().to_owned(),
        kind,
        index,
        profiling_index: (kind == PhaseKind::Profiling).then_some(0),
        in_results: kind == PhaseKind::Profiling,
        was_cancelled: false,
        summary,
        percentiles: AskedPercentiles::default(),
    }
}

pub(crate) fn report(requests: &[Observation], context: &MetricContext) -> RunReport {
    let profiling = phase(PhaseKind::Profiling, 0, summary(requests, context));
    RunReport {
        aiperf_version: "0.1.0".to_owned(),
        benchmark_id: "7e404d9419f5".to_owned(),
        metrics_title: context.endpoint.facts().metrics_title,
        phases: vec![profiling.clone()],
        profiling,
        warmup: None,
        input_config: json!({"models": {"items": [{"name": "mock-model"}]}}),
        place: None,
        random_seed: Some(42),
        cli_command: "aiperf profile --url sim: --streaming".to_owned(),
        ending: RunEnding::COMPLETED,
        telemetry_data: None,
        server_metrics: None,
        branch_stats: None,
        lost: LostRecords::default(),
        rows_left_out: 0,
        agentic_replay: None,
        metadata: None,
        thresholds: Thresholds::default(),
        accuracy: None,
        client_health: None,
        selftest: None,
        timestamps: None,
        prefixes_repeat: false,
        waited_for_server: Nanos::ZERO,
        accounting: Vec::new(),
        remarks: Vec::new(),
        carried: serde_json::Map::new(),
        show_trace_timing: false,
        genai_perf: None,
        other_files: Vec::new(),
        log_file: Some("out/logs/aiperf.log".into()),
        zone: LocalZone::utc(),
    }
}

pub(crate) fn clean_run() -> RunReport {
    report(&(0..5).map(streamed).collect::<Vec<_>>(), &streaming())
}

pub(crate) fn mixed_run() -> RunReport {
    let body = r#"{"error": {"message": "mock internal failure", "type": "internal_error", "code": 500}}"#;
    let overflow = "This model's maximum context length is 128 tokens. However, you requested 999 tokens. Please reduce \
                    the length of the messages, or of the completion, or use another model with a longer context.";
    let mut requests: Vec<_> = (0..6).map(streamed).collect();
    requests.push(failed(6, Some(500), "Internal Server Error", body));
    requests.push(failed(7, None, "ConnectionReset", "connection reset by peer\u{1b}[31m"));
    requests.push(failed(8, Some(500), "Internal Server Error", body));
    requests.push(failed(9, Some(400), "Bad Request", overflow));
    requests.push(cut_off(10));
    requests[1].tokens.output = Some(4);
    report(&requests, &streaming())
}

pub(crate) fn failed_run() -> RunReport {
    let requests: Vec<_> = (0..4).map(|index| failed(index, Some(500), "Internal Server Error", "broken")).collect();
    report(&requests, &streaming())
}

/// Due every 100 ms under a ceiling; the server stalled for 3 s, so that the last two of ten were kept back, and the
/// client had no processor time to spare either.
pub(crate) fn stalled_run() -> RunReport {
    let kept_back = |index: u64| {
        let due = at(10 + 100 * index);
        Observation { due, ..streamed(if index < 8 { index } else { index + 30 }) }
    };
    let requests: Vec<_> = (0..10).map(kept_back).collect();
    let mut report = report(&requests, &MetricContext { open_loop: true, ..streaming() });
    report.accounting = vec![PhaseAccounting {
        phase: "profiling".to_owned(),
        started: report.profiling.summary.start,
        ended: report.profiling.summary.end,
        sent: 10,
        completed: 10,
        sessions_sent: 10,
        sessions_completed: 10,
        arrivals_delayed: 2,
        arrivals_dropped: 1,
        ..PhaseAccounting::default()
    }];
    let sample = |index: u64| HealthSample {
        at: at(250 * (index + 1)),
        worker_lag: Nanos(2 * MS),
        cpu_share: if index < 4 { 0.5 } else { 0.97 },
        record_queue_bytes: 3,
        record_queue_budget: 1_000,
        schedule_lag: Nanos(MS),
        in_flight: 8,
        ..HealthSample::default()
    };
    report.client_health = Some(ClientHealth::assess(at(0), &(0..16).map(sample).collect::<Vec<_>>()));
    report
}

/// A server that does not know the field for the number of tokens.
pub(crate) fn refused_run() -> RunReport {
    let words = r#"{"detail":[{"loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted"}]}"#;
    let refused = |index| failed(index, Some(422), "Unprocessable Entity", words);
    report(&(0..3).map(refused).collect::<Vec<_>>(), &streaming())
}

pub(crate) fn metadata(seen: &Observation) -> RecordMetadata<'static> {
    let epoch = |at: Mono| anchor().epoch(at);
    metadata::of_request(
        [epoch(seen.credit_issued), epoch(seen.start), epoch(seen.end)],
        seen.headers_received.map(epoch),
    )
}

/// A thousand streams on a machine that could not keep up with them.
pub(crate) fn selftest() -> SelfTestReport {
    let stats = |p50: f64, p99: f64| ErrorStats { count: 9_000, p50, p99, max: 3.0 * p99, mean: 0.9 * p50 };
    let usual = ErrorLimits { p50: 0.5, p99: 5.0 };
    let large = |value, limit| SelfTestProblem::ErrorLarge {
        error: TimedError::TimeToFirstToken,
        statistic: ErrorStatistic::P99,
        value,
        limit,
    };
    SelfTestReport {
        aiperf_version: "0.1.0".to_owned(),
        date: "2026-11-15T00:55:08Z".to_owned(),
        machine: Machine { host: "h".into(), cpu: "c".into(), processors: 2, kernel: "k".into() },
        asked: AskedLoad {
            streams: Some(1_000),
            request_rate: None,
            tokens_per_second: 100.0,
            ttft_ms: "lognormal:50,10".to_owned(),
            output_tokens: 100,
            duration_s: 10.0,
        },
        reached: ClientLoad { in_flight: 1_000, chunks_per_second: 87_654.4, requests_per_second: 876.54 },
        requests: JoinCounts { compared: 9_000, lost: 2, cut_off: 3, ..JoinCounts::default() },
        client_cpu: ClientCpu { cpu_seconds: 9.25, wall_seconds: 12.0, processors: 2, percent: 38.5 },
        simulator_lag: Some(stats(0.01, 3.5)),
        errors: [
            (TimedError::TimeToFirstToken, stats(0.212, 798.25)),
            (TimedError::InterTokenLatency, stats(0.001, 0.04)),
            (TimedError::InterChunkLatency, stats(0.05, 12.25)),
            (TimedError::RequestLatency, stats(0.3, 99.9)),
            (TimedError::ChunkArrival, stats(0.02, 1.0)),
            (TimedError::SendTime, stats(0.1, 2.0)),
            (TimedError::ScheduleLag, stats(0.1, 2.0)),
        ]
        .into(),
        limits: [
            (TimedError::TimeToFirstToken, usual),
            (TimedError::InterTokenLatency, ErrorLimits { p50: 0.1, p99: 0.5 }),
            (TimedError::RequestLatency, usual),
        ]
        .into(),
        verdict: Grade::Fail,
        problems: vec![
            SelfTestProblem::Lost(2),
            large(798.25, 5.0),
            SelfTestProblem::StreamsShort { reached: 470, asked: 1_000 },
        ],
        kept_in: Some("state/aiperf/selftest.json".into()),
    }
}
