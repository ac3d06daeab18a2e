//! Recomputes the summaries of recorded runs of the reference from their per-request records, and compares.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

mod recorded;

use aiperf_clock::{EpochNanos, Mono, Nanos, WallAnchor};
use aiperf_metrics::{
    Columns, GpuEnergy, GpuVendor, Metric, MetricContext, NetworkRtt, PhaseWindow, RecordValues, Summary,
};
use aiperf_protocol::EndpointKind;
use recorded::{compare, observe, recompute, run, window_edge};

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
fn chunks_of_several_tokens_give_the_recorded_statistics() {
    compare("chunk_merge", &chat(), Some(16), &[]);
}

#[test]
fn tool_calls_give_the_recorded_statistics() {
    compare("tool_calls", &chat(), Some(8), &[]);
}

#[test]
fn images_give_the_recorded_statistics() {
    compare("image_in", &chat(), Some(8), &[]);
}

#[test]
fn speculative_decoding_gives_the_recorded_statistics() {
    compare("spec_decode", &chat(), Some(10), &[]);
    let run = run("spec_decode");
    let ours = recompute(&run, &chat(), Some(10));
    let pooled = &run.summary["pooled_spec_decode_acceptance_histogram"];
    for (drafts, steps) in ours.spec_decode_acceptance.iter().enumerate() {
        assert_eq!(pooled[drafts.to_string()], *steps);
    }
    assert_eq!(pooled.as_object().unwrap().len(), ours.spec_decode_acceptance.len());
}

#[test]
fn a_given_round_trip_gives_the_recorded_adjusted_latencies() {
    for (case, nanos) in [("network_latency", 5_000_000), ("network_latency_auto", 751_662)] {
        let context = MetricContext { network_rtt: Some(NetworkRtt::given(Nanos(nanos))), ..chat() };
        compare(case, &context, Some(8), &[]);
    }
}

#[test]
fn gpu_energy_gives_the_recorded_efficiency() {
    let recorded = run("gpu_telemetry").summary;
    let average = |tag: &str| recorded[tag]["avg"].as_f64();
    let reading = GpuEnergy {
        watts: average("nvidia_total_gpu_power"),
        joules: average("nvidia_total_gpu_energy"),
        ..GpuEnergy::unknown(GpuVendor::Nvidia)
    };
    let context = MetricContext { gpu_energy: vec![reading], concurrency: Some(2), ..chat() };
    compare("gpu_telemetry", &context, Some(16), &[]);
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
    let window = PhaseWindow::new(window_edge(&run, "start_time"), window_edge(&run, "end_time"));
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
    let window = PhaseWindow::new(window_edge(&run, "start_time"), window_edge(&run, "end_time"));
    let anchor = WallAnchor::at(Mono::from_nanos(0), EpochNanos(0));
    let merged = Summary::compute(&first, &window, &context, &anchor);
    assert_eq!(merged.results, whole.results);
    assert_eq!(merged.failures, whole.failures);
}
