//! Requests, tokens, objectives and failures, counted.

use aiperf_metrics::{Metric, MetricContext, Observation, PrefixBlocks, RequestOutcome, TokenCounts};

use crate::phase::{failed, request, streaming};
use crate::streams::two;
use crate::{Case, mean};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case { name: "counts and rates", requests: two(), context: streaming(), expected: totals() },
        Case { name: "reasoning", requests: reasoning(), context: developers(), expected: thoughts() },
        Case { name: "objectives", requests: judged(), context: objectives(), expected: goodput() },
        Case { name: "prefixes", requests: repeated(), context: streaming(), expected: prefixes() },
        Case { name: "failures", requests: with_failures(), context: streaming(), expected: failures() },
    ]
}

fn developers() -> MetricContext {
    MetricContext { show_internal: true, show_experimental: true, ..streaming() }
}

/// Over a window of one second.
fn totals() -> Vec<(Metric, &'static str, f64)> {
    vec![
        (Metric::RequestCount, "avg", 2.0),
        (Metric::CompletedRequestCount, "avg", 2.0),
        (Metric::RequestErrorRate, "avg", 0.0),
        (Metric::InputSequenceLength, "avg", 8.0),
        (Metric::OutputSequenceLength, "avg", mean([3.0, 2.0])),
        (Metric::OutputTokenCount, "sum", 5.0),
        (Metric::TotalIsl, "avg", 16.0),
        (Metric::TotalOsl, "avg", 5.0),
        (Metric::TotalOutputTokens, "avg", 5.0),
        (Metric::RequestThroughput, "avg", 2.0),
        (Metric::InputTokenThroughput, "avg", 16.0),
        (Metric::OutputTokenThroughput, "avg", 5.0),
        (Metric::TotalTokenThroughput, "avg", 21.0),
    ]
}

/// Two output tokens after one of reasoning, and four without; four were asked for each time.
fn reasoning() -> Vec<Observation> {
    let mut thinker = request(0, &[50, 60, 70]);
    thinker.chunks[0].has_output = false;
    thinker.tokens = TokenCounts { input: Some(8), output: Some(2), reasoning: Some(1) };
    let mut requests = vec![thinker, request(100, &[150, 160, 170, 180])];
    for seen in &mut requests {
        seen.requested_output_tokens = Some(4);
    }
    requests
}

fn thoughts() -> Vec<(Metric, &'static str, f64)> {
    vec![
        (Metric::TimeToFirstToken, "avg", 50.0),
        (Metric::TimeToFirstOutputToken, "avg", mean([60.0, 50.0])),
        (Metric::OutputSequenceLength, "avg", mean([3.0, 4.0])),
        (Metric::ReasoningTokenCount, "avg", 1.0),
        (Metric::ReasoningTokenCount, "count", 1.0),
        (Metric::TotalReasoningTokens, "avg", 1.0),
        (Metric::ThinkingEfficiency, "avg", 1.0 / 2.0),
        (Metric::OverallThinkingEfficiency, "avg", 1.0 / 6.0),
        (Metric::RequestedOsl, "avg", 4.0),
        (Metric::OslMismatchDiffPct, "avg", mean([-25.0, 0.0])),
        // One token off is more than 5 % of four.
        (Metric::OslMismatchCount, "avg", 1.0),
    ]
}

/// Good; first token too late; no inter-token latency to judge; failed.
fn judged() -> Vec<Observation> {
    vec![request(0, &[50, 60]), request(0, &[60, 70]), request(0, &[50]), failed(0, 5, "no", None)]
}

fn objectives() -> MetricContext {
    let mut context = streaming();
    context.slos.push(context.slo("time_to_first_token", 55.0).unwrap());
    context.slos.push(context.slo("inter_token_latency", 20.0).unwrap());
    context
}

fn goodput() -> Vec<(Metric, &'static str, f64)> {
    vec![
        (Metric::GoodRequestCount, "avg", 1.0),
        (Metric::Goodput, "avg", 1.0),
        (Metric::GoodRequestFraction, "avg", 1.0 / 4.0),
    ]
}

/// Prompts of one block, and of three that all came before.
fn repeated() -> Vec<Observation> {
    let with = |blocks, reused| Observation { prefix: Some(PrefixBlocks { blocks, reused }), ..request(0, &[5]) };
    vec![with(1, 0), with(3, 3)]
}

fn prefixes() -> Vec<(Metric, &'static str, f64)> {
    vec![(Metric::TheoreticalPrefixCacheHit, "avg", 3.0 / 4.0 * 100.0)]
}

/// In addition to two good ones: the prompt was too long, one was cancelled on purpose, one was cut off by the end of the run.
fn with_failures() -> Vec<Observation> {
    let mut requests = two();
    requests.push(failed(200, 205, "This model's maximum context length is 4096 tokens", None));
    requests.push(failed(200, 300, "cancelled", Some(RequestOutcome::CancelledOnPurpose)));
    requests.push(failed(900, 1_000, "in flight", Some(RequestOutcome::CutOff)));
    requests[0].resent = 1;
    requests[2].resent = 2;
    requests
}

/// Twins have four values, two of them infinite: p25 lies at rank 0.75, p50 at rank 1.5.
fn failures() -> Vec<(Metric, &'static str, f64)> {
    vec![
        (Metric::ErrorRequestCount, "avg", 2.0),
        (Metric::ContextOverflowCount, "avg", 1.0),
        (Metric::CancelledRequestCount, "avg", 1.0),
        (Metric::ResentRequestCount, "avg", 3.0),
        (Metric::CompletedRequestCount, "avg", 4.0),
        (Metric::RequestErrorRate, "avg", 50.0),
        (Metric::ErrorIsl, "avg", 8.0),
        (Metric::TotalErrorIsl, "avg", 16.0),
        (Metric::AdjRequestLatency, "count", 4.0),
        (Metric::AdjRequestLatency, "p25", 50.0 + 0.75 * 30.0),
        (Metric::AdjRequestLatency, "p50", f64::INFINITY),
        (Metric::AdjRequestLatency, "avg", f64::INFINITY),
        (Metric::AdjRequestLatency, "min", 50.0),
        (Metric::AdjTimeToFirstToken, "p25", 40.0 + 0.75 * 10.0),
        (Metric::AdjInterTokenLatency, "p25", 10.0 + 0.75 * 5.0),
        (Metric::AdjDecodeDuration, "p25", 10.0 + 0.75 * 20.0),
        (Metric::AdjDecodeDuration, "max", f64::INFINITY),
        (Metric::EffectiveLatency, "count", 2.0),
    ]
}
