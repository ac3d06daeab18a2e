//! What the server says of itself: usage, speculative decoding, and the energy of its GPUs.

use aiperf_clock::Nanos;
use aiperf_metrics::{GpuEnergy, GpuVendor, HttpTiming, Metric, MetricContext, Observation, SpecDecode, TokenCounts};
use aiperf_protocol::{ServerTimes, Usage};

use crate::phase::{request, streaming, summarize};
use crate::streams::two;
use crate::{Case, mean};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case { name: "usage", requests: reported(), context: streaming(), expected: usage() },
        Case { name: "speculative decoding", requests: speculated(), context: streaming(), expected: drafts() },
        Case { name: "times of the server", requests: timed(), context: streaming(), expected: times() },
        Case { name: "energy", requests: two(), context: powered(), expected: energy() },
    ]
}

/// The client counted 8 input tokens each, 3 of output and 1 of reasoning, then 2 of output.
fn reported() -> Vec<Observation> {
    let mut requests = two();
    requests[0].tokens = TokenCounts { input: Some(8), output: Some(3), reasoning: Some(1) };
    requests[0].usage = Some(Usage {
        prompt_tokens: Some(10),
        completion_tokens: Some(4),
        total_tokens: Some(14),
        reasoning_tokens: Some(2),
        cache_read_tokens: Some(5),
        cache_write_tokens: Some(2),
        cache_miss_tokens: Some(3),
        prompt_audio_tokens: Some(6),
        completion_audio_tokens: Some(7),
        accepted_prediction_tokens: Some(8),
        rejected_prediction_tokens: Some(9),
        tool_use_prompt_tokens: Some(11),
        prompt_audio_seconds: Some(1.5),
    });
    requests[1].usage =
        Some(Usage { prompt_tokens: Some(30), completion_tokens: Some(2), total_tokens: Some(32), ..Usage::default() });
    requests
}

fn usage() -> Vec<(Metric, &'static str, f64)> {
    vec![
        (Metric::UsagePromptTokens, "avg", 20.0),
        (Metric::UsageCompletionTokens, "avg", 3.0),
        (Metric::UsageTotalTokens, "avg", 23.0),
        (Metric::UsageReasoningTokens, "avg", 2.0),
        (Metric::UsagePromptCacheReadTokens, "avg", 5.0),
        (Metric::UsagePromptCacheWriteTokens, "avg", 2.0),
        (Metric::UsagePromptCacheMissTokens, "avg", 3.0),
        (Metric::UsagePromptAudioTokens, "avg", 6.0),
        (Metric::UsageCompletionAudioTokens, "avg", 7.0),
        (Metric::UsageAcceptedPredictionTokens, "avg", 8.0),
        (Metric::UsageRejectedPredictionTokens, "avg", 9.0),
        (Metric::UsageToolUsePromptTokens, "avg", 11.0),
        (Metric::UsagePromptAudioSeconds, "avg", 1.5),
        (Metric::UsagePromptTokensDiffPct, "avg", mean([25.0, 275.0])),
        (Metric::UsageCompletionTokensDiffPct, "avg", 0.0),
        (Metric::UsageReasoningTokensDiffPct, "avg", 100.0),
        (Metric::UsageDiscrepancyCount, "avg", 2.0),
        (Metric::TotalUsagePromptTokens, "avg", 40.0),
        (Metric::TotalUsageCompletionTokens, "avg", 6.0),
        (Metric::TotalUsageTotalTokens, "avg", 46.0),
        (Metric::TotalUsageReasoningTokens, "avg", 2.0),
        (Metric::TotalUsagePromptCacheReadTokens, "avg", 5.0),
        (Metric::OverallUsagePromptCacheReadPct, "avg", 5.0 / 40.0 * 100.0),
        (Metric::TotalUsagePromptCacheWriteTokens, "avg", 2.0),
        (Metric::TotalUsagePromptCacheMissTokens, "avg", 3.0),
        (Metric::TotalUsagePromptAudioTokens, "avg", 6.0),
        (Metric::TotalUsageCompletionAudioTokens, "avg", 7.0),
        (Metric::TotalUsageAcceptedPredictionTokens, "avg", 8.0),
        (Metric::TotalUsageRejectedPredictionTokens, "avg", 9.0),
        (Metric::TotalUsageToolUsePromptTokens, "avg", 11.0),
        (Metric::TotalUsagePromptAudioSeconds, "avg", 1.5),
    ]
}

/// First tokens after 50 and 60 ms, of which the server queued 15 and 5 and worked 25 on each; the client needed 3 ms to send the first request.
fn timed() -> Vec<Observation> {
    let ms = |millis: u64| Nanos(millis * 1_000_000);
    let mut requests = vec![request(0, &[50]), request(0, &[60])];
    let http = HttpTiming { blocked: ms(1), sending: ms(2), ..HttpTiming::default() };
    requests[0].http = Some(http);
    requests[1].http = Some(HttpTiming::default());
    let times =
        |queue, prefill| ServerTimes { queue: Some(ms(queue)), prefill: Some(ms(prefill)), inter_token: Some(ms(8)) };
    requests[0].server_times = times(15, 25);
    requests[1].server_times = times(5, 25);
    requests
}

fn times() -> Vec<(Metric, &'static str, f64)> {
    vec![
        (Metric::ServerTimeToFirstToken, "avg", mean([40.0, 30.0])),
        (Metric::ServerInterTokenLatency, "avg", 8.0),
        (Metric::TtftClientTime, "avg", mean([3.0, 0.0])),
        (Metric::TtftNetworkTime, "avg", mean([7.0, 30.0])),
        (Metric::ServerQueueTime, "avg", mean([15.0, 5.0])),
        (Metric::ServerPrefillTime, "avg", mean([25.0, 25.0])),
    ]
}

/// Four steps that accepted 0, 1, 2 and 3 of 3 drafts; two steps that accepted none.
fn speculated() -> Vec<Observation> {
    let spec = |histogram: &[u64], accepted, drafted, steps, length, rate| SpecDecode {
        mean_acceptance_length: length,
        draft_acceptance_rate: rate,
        acceptance_histogram: histogram.to_vec(),
        accepted_draft_tokens: accepted,
        draft_tokens: drafted,
        steps,
        spec_tokens: Some(3),
    };
    let mut requests = vec![request(0, &[50]), request(0, &[60])];
    requests[0].spec_decode = Some(spec(&[1, 1, 1, 1], 6, 12, 4, 2.5, 0.5));
    requests[1].spec_decode = Some(spec(&[2], 0, 6, 2, 1.0, 0.0));
    requests
}

fn drafts() -> Vec<(Metric, &'static str, f64)> {
    vec![
        (Metric::SpecDecodeAcceptanceLength, "avg", mean([2.5, 1.0])),
        (Metric::SpecDecodeDraftAcceptanceRate, "avg", mean([50.0, 0.0])),
        (Metric::SpecDecodeAcceptedPerVerified, "avg", mean([10.0 / 16.0, 2.0 / 8.0])),
        (Metric::SpecDecodeSteps, "avg", 3.0),
        (Metric::SpecDecodeAcceptedDraftTokens, "avg", 3.0),
        (Metric::SpecDecodeDraftTokens, "avg", 9.0),
        (Metric::TotalSpecDecodeSteps, "avg", 6.0),
        (Metric::TotalAcceptedDraftTokens, "avg", 6.0),
        (Metric::TotalDraftTokens, "avg", 18.0),
        // Six steps accepted six drafts.
        (Metric::SpecDecodeTokenWeightedAcceptanceLength, "avg", 2.0),
        (Metric::SpecDecodeOverallDraftAcceptanceRate, "avg", 6.0 / 18.0 * 100.0),
    ]
}

#[test]
fn steps_are_pooled_by_how_many_drafts_they_accepted() {
    let summary = summarize(&speculated(), &streaming());
    assert_eq!(summary.spec_decode_acceptance, [3, 1, 1, 1]);
    assert!(summarize(&two(), &streaming()).spec_decode_acceptance.is_empty());
}

/// NVIDIA's GPUs drew 500 J in the one second, and 100 W before it; AMD's drew 200 J. One of the two requests takes no more than
/// 60 ms. The server costs 3.60 an hour.
fn powered() -> MetricContext {
    let mut context = streaming();
    context.slos.push(context.slo("request_latency", 60.0).unwrap());
    context.concurrency = Some(4);
    context.gpu_energy = vec![
        GpuEnergy {
            watts: Some(400.0),
            joules: Some(500.0),
            idle_watts: Some(100.0),
            ..GpuEnergy::unknown(GpuVendor::Nvidia)
        },
        GpuEnergy {
            watts: Some(200.0),
            joules: Some(200.0),
            idle_watts: Some(50.0),
            ..GpuEnergy::unknown(GpuVendor::Amd)
        },
    ];
    context.cost_per_hour = Some(3.6);
    context
}

/// Two requests, 65 ms on average, with 16 input and 5 output tokens.
fn energy() -> Vec<(Metric, &'static str, f64)> {
    vec![
        (Metric::NvidiaTotalGpuPower, "avg", 400.0),
        (Metric::NvidiaTotalGpuEnergy, "avg", 500.0),
        (Metric::NvidiaAverageGpuPower, "avg", 500.0),
        (Metric::NvidiaEnergyPerRequest, "avg", 250.0),
        (Metric::NvidiaEnergyDelayProduct, "avg", 250.0 * 0.065),
        (Metric::NvidiaPerformancePerWatt, "avg", 2.0 / 500.0),
        (Metric::NvidiaOutputTpsPerWatt, "avg", 5.0 / 500.0),
        (Metric::NvidiaGoodputPerWatt, "avg", 1.0 / 500.0),
        (Metric::NvidiaEnergyPerTotalToken, "avg", 500_000.0 / 21.0),
        (Metric::NvidiaEnergyPerOutputToken, "avg", 500_000.0 / 5.0),
        (Metric::NvidiaOutputTokensPerJoule, "avg", 5.0 / 500.0),
        (Metric::NvidiaEnergyPerUser, "avg", 125.0),
        (Metric::NvidiaIdleGpuPower, "avg", 100.0),
        (Metric::NvidiaGpuEnergyAboveIdle, "avg", 400.0),
        (Metric::AmdTotalGpuPower, "avg", 200.0),
        (Metric::AmdTotalGpuEnergy, "avg", 200.0),
        (Metric::AmdAverageGpuPower, "avg", 200.0),
        (Metric::AmdEnergyPerRequest, "avg", 100.0),
        (Metric::AmdEnergyDelayProduct, "avg", 6.5),
        (Metric::AmdPerformancePerWatt, "avg", 0.01),
        (Metric::AmdOutputTpsPerWatt, "avg", 0.025),
        (Metric::AmdGoodputPerWatt, "avg", 0.005),
        (Metric::AmdEnergyPerTotalToken, "avg", 200_000.0 / 21.0),
        (Metric::AmdEnergyPerOutputToken, "avg", 40_000.0),
        (Metric::AmdOutputTokensPerJoule, "avg", 0.025),
        (Metric::AmdEnergyPerUser, "avg", 50.0),
        (Metric::AmdIdleGpuPower, "avg", 50.0),
        (Metric::AmdGpuEnergyAboveIdle, "avg", 150.0),
        (Metric::CostPerMillionOutputTokens, "avg", 200.0),
        (Metric::CostPerThousandRequests, "avg", 0.5),
    ]
}
