//! What single requests and small phases give, case by case.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

mod phase;

use aiperf_metrics::{
    Failure, Metric, MetricContext, Observation, PrefixBlocks, RecordValues, RequestOutcome, TokenCounts,
};
use aiperf_protocol::{EndpointKind, Usage};
use phase::{at, avg, failed, request, streaming, summarize};

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
    let cut = failed(10, 900, "still in flight when the run ended", Some(RequestOutcome::CutOff));
    let summary = summarize(&[request(0, &[50, 60]), cut], &streaming());
    assert_eq!(avg(&summary, Metric::CancelledRequestCount), Some(1.0));
    assert_eq!(avg(&summary, Metric::ErrorRequestCount), None);
    assert_eq!(avg(&summary, Metric::RequestErrorRate), Some(0.0));
    assert!(summary.get(Metric::AdjRequestLatency).is_none());
    assert_eq!((summary.successful, summary.failed, summary.cut_off), (1, 0, 1));
    assert_eq!(summary.failures[0].count, 1);
}

#[test]
fn requests_cancelled_on_purpose_are_failures() {
    let on_purpose = Failure::cancelled(RequestOutcome::CancelledOnPurpose, "cancelled 0.1 s after it was sent");
    assert_eq!((on_purpose.code, on_purpose.kind.name()), (Some(499), "RequestCancellationError"));
    let cancelled = Observation { failure: Some(on_purpose), ..failed(10, 110, "", None) };
    let summary = summarize(&[request(0, &[50, 60]), cancelled], &streaming());
    assert_eq!(avg(&summary, Metric::ErrorRequestCount), Some(1.0));
    assert_eq!(avg(&summary, Metric::CancelledRequestCount), None);
    assert_eq!(avg(&summary, Metric::RequestErrorRate), Some(50.0));
    assert!(summary.get(Metric::AdjRequestLatency).is_some());
    assert_eq!((summary.successful, summary.failed, summary.cut_off), (1, 1, 0));
}

#[test]
fn open_loop_counts_from_the_scheduled_instant_what_closed_loop_counts_from_the_start() {
    let late = Observation { due: at(0), ..request(300, &[350, 360]) };
    let lost = Observation { due: at(100), ..failed(120, 130, "no", None) };
    let open = MetricContext { open_loop: true, ..streaming() };
    let record = RecordValues::compute(&late);
    assert_eq!(record.get(Metric::ScheduleLag, &open), Some(300e6));
    assert_eq!(record.get(Metric::TimeToFirstTokenFromDue, &open), Some(350e6));
    assert_eq!(record.get(Metric::RequestLatencyFromDue, &open), Some(360e6));
    assert_eq!(record.get(Metric::RequestLatency, &open), Some(60e6));

    let requests = [late, lost];
    let summary = summarize(&requests, &open);
    let lag = summary.get(Metric::ScheduleLag).unwrap();
    assert_eq!((lag.min, lag.max, lag.count), (Some(20.0), Some(300.0), Some(2)), "failed requests were late too");
    assert_eq!(summary.get(Metric::RequestLatencyFromDue).unwrap().count, Some(1));
    assert!(summary.get(Metric::ReplaySchedLagP50).is_none());
    let closed = summarize(&requests, &streaming());
    for metric in [Metric::ScheduleLag, Metric::TimeToFirstTokenFromDue, Metric::RequestLatencyFromDue] {
        assert!(closed.get(metric).is_none());
        assert!(!streaming().record_metrics().contains(&metric) && open.record_metrics().contains(&metric));
    }
}

#[test]
fn the_hits_of_a_cache_without_end_are_those_of_all_blocks_together() {
    let with = |blocks, reused| Observation { prefix: Some(PrefixBlocks { blocks, reused }), ..request(0, &[5]) };
    let lost = Observation { prefix: Some(PrefixBlocks { blocks: 9, reused: 9 }), ..failed(0, 5, "no", None) };
    let summary = summarize(&[with(1, 0), with(3, 3), lost], &streaming());
    let hits = summary.get(Metric::TheoreticalPrefixCacheHit).unwrap();
    assert_eq!((hits.avg, hits.count, hits.sum), (Some(75.0), Some(4), Some(3.0)));
    let without = summarize(&[request(0, &[5])], &streaming());
    assert!(without.get(Metric::TheoreticalPrefixCacheHit).is_none());
}

#[test]
fn a_replay_that_falls_half_a_second_behind_is_degraded() {
    let replay = MetricContext { fixed_schedule: true, open_loop: true, ..streaming() };
    let behind = |by: u64| Observation { due: at(100), ..request(100 + by, &[900]) };
    let near = summarize(&[behind(300), behind(700)], &replay);
    assert_eq!(avg(&near, Metric::ReplaySchedDegraded), Some(0.0), "late as a whole, but true to its trace");
    let torn = summarize(&[behind(0), behind(600)], &replay);
    assert_eq!(avg(&torn, Metric::ReplaySchedDegraded), Some(1.0));
    assert!((avg(&torn, Metric::ReplaySchedLagP50).unwrap() - 300.0).abs() < 1e-9);
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
