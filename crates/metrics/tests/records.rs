//! What single requests and small phases give, case by case.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use aiperf_clock::{EpochNanos, Mono, WallAnchor};
use aiperf_endpoint::{ContentChunk, EndpointKind, Usage};
use aiperf_metrics::{
    Cancellation, Columns, Failure, Metric, MetricContext, Observation, PhaseWindow, RecordValues, Summary, TokenCounts,
};

const MS: u64 = 1_000_000;

fn at(millis: u64) -> Mono {
    Mono::from_nanos(millis * MS)
}

fn request(start: u64, contents: &[u64]) -> Observation {
    let chunk = |millis: &u64| ContentChunk {
        at: at(*millis),
        has_output: true,
        has_reasoning: false,
        usage_completion_tokens: None,
    };
    Observation {
        due: at(start),
        credit_issued: at(start),
        start: at(start),
        headers_received: Some(at(start + 1)),
        end: at(contents.last().copied().unwrap_or(start) + 1),
        chunks: contents.iter().map(chunk).collect(),
        tokens: TokenCounts { input: Some(8), output: Some(contents.len() as u64), reasoning: None },
        usage: None,
        http: None,
        failure: None,
        requested_output_tokens: None,
    }
}

fn failed(start: u64, end: u64, message: &str, cancelled: Option<Cancellation>) -> Observation {
    let failure = Failure {
        code: Some(500),
        kind: "Internal Server Error".into(),
        message: message.into(),
        cause: None,
        cancelled,
    };
    Observation { end: at(end), headers_received: None, failure: Some(failure), ..request(start, &[]) }
}

fn summarize(requests: &[Observation], context: &MetricContext) -> Summary {
    let mut columns = Columns::new();
    for seen in requests {
        columns.push(seen, &RecordValues::compute(seen));
    }
    let window = PhaseWindow { start: at(0), end: at(1_000) };
    Summary::compute(&columns, &window, context, &WallAnchor::at(at(0), EpochNanos(0)))
}

fn streaming() -> MetricContext {
    MetricContext::new(EndpointKind::Chat, true)
}

fn avg(summary: &Summary, metric: Metric) -> Option<f64> {
    summary.get(metric).and_then(|stats| stats.avg)
}

#[test]
fn one_token_has_a_decode_duration_of_zero_and_no_inter_token_latency() {
    let record = RecordValues::compute(&request(10, &[60]));
    let get = |metric| record.get(metric, &streaming());
    assert_eq!(get(Metric::DecodeDuration), Some(0.0));
    assert_eq!(get(Metric::InterTokenLatency), None);
    assert_eq!(get(Metric::OutputTokenThroughputPerUser), None);
    assert_eq!(get(Metric::TimeToSecondToken), None);
    assert_eq!(get(Metric::TimeToFirstToken), get(Metric::RequestLatency));
}

#[test]
fn chunks_read_together_have_no_rate_instead_of_an_infinite_one() {
    let record = RecordValues::compute(&request(10, &[60, 60]));
    assert_eq!(record.get(Metric::InterTokenLatency, &streaming()), Some(0.0));
    assert_eq!(record.get(Metric::OutputTokenThroughputPerUser, &streaming()), None);
}

#[test]
fn a_failed_request_gives_its_input_length_and_nothing_else() {
    let context = streaming();
    let record = RecordValues::compute(&failed(0, 5, "no", None));
    let given: Vec<_> = context.record_metrics().into_iter().filter(|m| record.get(*m, &context).is_some()).collect();
    assert_eq!(given, [Metric::ErrorIsl]);
}

#[test]
fn reasoning_sets_the_first_token_and_text_the_first_output_token() {
    let mut seen = request(0, &[50, 60, 70]);
    seen.chunks[0].has_output = false;
    seen.tokens = TokenCounts { input: Some(8), output: Some(2), reasoning: Some(1) };
    let record = RecordValues::compute(&seen);
    assert_eq!(record.get(Metric::TimeToFirstToken, &streaming()), Some(50e6));
    assert_eq!(record.get(Metric::TimeToFirstOutputToken, &streaming()), Some(60e6));
    assert_eq!(record.get(Metric::OutputSequenceLength, &streaming()), Some(3.0));
}

#[test]
fn a_phase_in_which_nothing_succeeded_has_counts_but_no_rates() {
    let overflow = "This model's maximum context length is 128 tokens";
    let summary = summarize(&[failed(0, 5, "no", None), failed(0, 5, overflow, None)], &streaming());
    assert_eq!(avg(&summary, Metric::RequestCount), Some(0.0));
    assert_eq!(avg(&summary, Metric::ErrorRequestCount), Some(2.0));
    assert_eq!(avg(&summary, Metric::ContextOverflowCount), Some(1.0));
    assert_eq!(avg(&summary, Metric::RequestErrorRate), Some(100.0));
    assert_eq!(avg(&summary, Metric::RequestThroughput), None);
    assert_eq!(avg(&summary, Metric::EffectiveConcurrency), None);
    assert_eq!(summary.failures.len(), 2);
}

#[test]
fn requests_that_the_end_of_the_run_cut_off_are_no_failures_of_the_server() {
    let cut = failed(10, 900, "still in flight when the run ended", Some(Cancellation::RunEnded));
    let summary = summarize(&[request(0, &[50, 60]), cut], &streaming());
    assert_eq!(avg(&summary, Metric::CancelledRequestCount), Some(1.0));
    assert_eq!(avg(&summary, Metric::ErrorRequestCount), None);
    assert_eq!(avg(&summary, Metric::RequestErrorRate), Some(0.0));
    assert!(summary.get(Metric::AdjRequestLatency).is_none());
    assert_eq!((summary.successful, summary.failed, summary.cut_off), (1, 0, 1));
    assert_eq!(summary.failures[0].count, 1);
}

#[test]
fn throughput_divides_by_the_window_and_not_by_the_busy_time() {
    let summary = summarize(&[request(100, &[150, 160]), request(200, &[250, 260])], &streaming());
    assert_eq!(avg(&summary, Metric::RequestThroughput), Some(2.0));
    assert_eq!(avg(&summary, Metric::OutputTokenThroughput), Some(4.0));
    assert!((avg(&summary, Metric::BenchmarkDuration).unwrap() - 0.16).abs() < 1e-12);
}

#[test]
fn curves_follow_requests_through_prefill_and_decode() {
    let summary = summarize(&[request(0, &[500, 999])], &streaming());
    assert!((avg(&summary, Metric::EffectiveConcurrency).unwrap() - 1.0).abs() < 1e-9);
    assert!((avg(&summary, Metric::EffectivePrefillConcurrency).unwrap() - 0.5).abs() < 1e-9);
    // 8 tokens in half a second, for half of the window.
    assert!((avg(&summary, Metric::EffectivePrefillThroughput).unwrap() - 8.0).abs() < 1e-9);
    assert!((avg(&summary, Metric::ActivePrefillThroughput).unwrap() - 16.0).abs() < 1e-9);
    let tokens = summary.get(Metric::TokensInFlight).unwrap();
    assert_eq!((tokens.min, tokens.max), (Some(8.0), Some(10.0)));
}

#[test]
fn embeddings_read_usage_and_count_a_prompt_that_differs() {
    let context = MetricContext::new(EndpointKind::Embeddings, false);
    let mut seen = request(0, &[50]);
    seen.tokens = TokenCounts { input: Some(10), output: None, reasoning: None };
    seen.usage = Some(Usage { prompt_tokens: Some(12), total_tokens: Some(12), ..Usage::default() });
    let summary = summarize(&[seen], &context);
    assert_eq!(avg(&summary, Metric::UsagePromptTokens), Some(12.0));
    assert_eq!(avg(&summary, Metric::UsageDiscrepancyCount), Some(1.0));
    assert!(summary.get(Metric::OutputSequenceLength).is_none());
    assert!(summary.get(Metric::TimeToFirstToken).is_none());
    assert!(summary.get(Metric::ActiveDecodeThroughput).is_some(), "the tag stays for scripts that expect it");
}

#[test]
fn a_good_request_meets_every_objective_and_a_missing_value_meets_none() {
    let mut context = streaming();
    context.slos.push(context.slo("time_to_first_token", 55.0).unwrap());
    context.slos.push(context.slo("inter_token_latency", 20.0).unwrap());
    let summary = summarize(&[request(0, &[50, 60]), request(0, &[60, 70]), request(0, &[50])], &context);
    assert_eq!(avg(&summary, Metric::GoodRequestCount), Some(1.0));
    assert_eq!(avg(&summary, Metric::Goodput), Some(1.0));
    assert!((avg(&summary, Metric::GoodRequestFraction).unwrap() - 1.0 / 3.0).abs() < 1e-12);
}
