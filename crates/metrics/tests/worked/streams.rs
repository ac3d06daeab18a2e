//! Two streams, three and two tokens long: all that follows from their times, also over time.

use aiperf_clock::Nanos;
use aiperf_metrics::{Metric, MetricContext, NetworkRtt, Observation};

use crate::phase::{at, request, streaming};
use crate::{Case, mean};

/// Starts at 0 and 100 ms; contents at 50, 60, 80 and at 140, 150 ms; over at 81 and 151 ms. The second got its permission
/// 10 ms before it started. Their first bytes left 1 and 2 ms after they started. Eight input tokens each.
pub(crate) fn two() -> Vec<Observation> {
    let mut second = request(100, &[140, 150]);
    second.credit_issued = at(90);
    second.client_send_delay = Some(Nanos(12_000_000));
    let first = Observation { client_send_delay: Some(Nanos(1_000_000)), ..request(0, &[50, 60, 80]) };
    vec![first, second]
}

fn developers() -> MetricContext {
    MetricContext { show_internal: true, show_experimental: true, ..streaming() }
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case { name: "times of a stream", requests: two(), context: developers(), expected: times() },
        Case { name: "over time", requests: two(), context: developers(), expected: over_time() },
        Case { name: "due times", requests: replayed(), context: replay(), expected: due() },
        Case { name: "round trip", requests: with_short_one(), context: far_away(), expected: adjusted() },
    ]
}

fn times() -> Vec<(Metric, &'static str, f64)> {
    vec![
        (Metric::TimeToFirstToken, "avg", mean([50.0, 40.0])),
        (Metric::TimeToFirstToken, "std", 5.0),
        (Metric::TimeToFirstToken, "p90", 49.0),
        (Metric::TimeToSecondToken, "avg", 10.0),
        (Metric::TimeToFirstOutputToken, "avg", 45.0),
        (Metric::RequestLatency, "avg", mean([80.0, 50.0])),
        (Metric::RequestLatency, "max", 80.0),
        (Metric::DecodeDuration, "avg", mean([30.0, 10.0])),
        (Metric::InterTokenLatency, "avg", mean([30.0 / 2.0, 10.0])),
        (Metric::InterChunkLatency, "avg", (10.0 + 20.0 + 10.0) / 3.0),
        (Metric::InterChunkLatency, "count", 3.0),
        (Metric::OutputTokenThroughputPerUser, "avg", mean([1000.0 / 15.0, 1000.0 / 10.0])),
        (Metric::OverallOutputTokenThroughputPerUser, "avg", (2.0 + 1.0) / (0.030 + 0.010)),
        (Metric::E2eOutputTokenThroughput, "avg", mean([3.0 / 0.08, 2.0 / 0.05])),
        (Metric::PrefillThroughputPerUser, "avg", mean([8.0 / 0.05, 8.0 / 0.04])),
        (Metric::StreamSetupLatency, "avg", 1.0),
        (Metric::StreamPrefillLatency, "avg", mean([49.0, 39.0])),
        (Metric::CreditToStartLatency, "avg", mean([0.0, 10.0])),
        // Only of those that waited.
        (Metric::CreditDropLatency, "avg", 10.0),
        (Metric::ClientSendDelay, "avg", mean([1.0, 12.0])),
        (Metric::EffectiveLatency, "avg", mean([81.0, 10.0 + 51.0])),
        (Metric::BenchmarkDuration, "avg", 0.150),
        (Metric::MinRequestTimestamp, "avg", 0.0),
        (Metric::MaxResponseTimestamp, "avg", 150e6),
    ]
}

/// The window is one second long, so that an average is an integral in seconds.
fn over_time() -> Vec<(Metric, &'static str, f64)> {
    let (in_flight, prefill, decode) = (0.081 + 0.051, 0.050 + 0.040, 0.031 + 0.011);
    // All tokens but the first of each request; the first ends the prefill.
    let (prefilled, decoded) = (8.0 + 8.0, 2.0 + 1.0);
    // Input tokens, and one more with each chunk.
    let first = 8.0 * 0.050 + 9.0 * 0.010 + 10.0 * 0.020 + 11.0 * 0.001;
    let second = 8.0 * 0.040 + 9.0 * 0.010 + 10.0 * 0.001;
    vec![
        (Metric::EffectiveConcurrency, "avg", in_flight),
        (Metric::EffectiveConcurrency, "max", 1.0),
        (Metric::EffectiveConcurrency, "p50", 0.0),
        (Metric::EffectiveConcurrency, "p90", 1.0),
        (Metric::EffectiveDecodeConcurrency, "avg", decode),
        (Metric::EffectivePrefillConcurrency, "avg", prefill),
        (Metric::EffectivePrefillThroughput, "avg", prefilled),
        (Metric::EffectivePrefillThroughput, "max", 8.0 / 0.040),
        (Metric::EffectiveDecodeThroughput, "avg", decoded),
        (Metric::EffectiveDecodeThroughput, "max", 1.0 / 0.010),
        (Metric::EffectiveTotalThroughput, "avg", prefilled + decoded),
        (Metric::EffectiveDecodeThroughputPerUser, "avg", decoded),
        (Metric::EffectivePrefillThroughputPerUser, "avg", prefilled),
        (Metric::TokensInFlight, "avg", first + second),
        (Metric::TokensInFlight, "max", 11.0),
        (Metric::ActiveDecodeThroughput, "avg", decoded / decode),
        (Metric::ActivePrefillThroughput, "avg", prefilled / prefill),
        (Metric::ActiveDecodeThroughputPerUser, "avg", decoded / decode),
        (Metric::ActivePrefillThroughputPerUser, "avg", prefilled / prefill),
        (Metric::ActiveTotalThroughput, "avg", (prefilled + decoded) / in_flight),
    ]
}

/// Due at 0 and 100 ms, sent 10 and 30 ms later.
fn replayed() -> Vec<Observation> {
    let mut requests = vec![request(10, &[60]), request(130, &[170])];
    requests[0].due = at(0);
    requests[1].due = at(100);
    requests
}

fn replay() -> MetricContext {
    MetricContext { open_loop: true, fixed_schedule: true, ..developers() }
}

fn due() -> Vec<(Metric, &'static str, f64)> {
    vec![
        (Metric::ScheduleLag, "avg", mean([10.0, 30.0])),
        (Metric::TimeToFirstTokenFromDue, "avg", mean([60.0, 70.0])),
        (Metric::RequestLatencyFromDue, "avg", mean([60.0, 70.0])),
        (Metric::ReplaySendScheduleOffset, "avg", 20e6),
        // Of 0 and 20 ms, which is how far each fell behind the one most in time.
        (Metric::ReplaySchedLagP50, "avg", 10.0),
        (Metric::ReplaySchedLagP90, "avg", 18.0),
        (Metric::ReplaySchedLagP99, "avg", 19.8),
        (Metric::ReplaySchedDegraded, "avg", 0.0),
    ]
}

/// A third request is quicker than the network's round trip is said to be.
fn with_short_one() -> Vec<Observation> {
    let mut requests = two();
    requests.push(request(500, &[501]));
    requests
}

fn far_away() -> MetricContext {
    let samples = [1, 6, 2].map(|millis| Nanos(millis * 1_000_000));
    MetricContext { network_rtt: NetworkRtt::measured(&samples), ..developers() }
}

/// The median, 2 ms, is taken off, and nothing becomes negative.
fn adjusted() -> Vec<(Metric, &'static str, f64)> {
    vec![
        (Metric::NetworkRtt, "avg", 3.0),
        (Metric::NetworkRtt, "p50", 2.0),
        (Metric::NetworkRtt, "max", 6.0),
        (Metric::NetworkAdjustedRequestLatency, "avg", (78.0 + 48.0 + 0.0) / 3.0),
        (Metric::NetworkAdjustedRequestLatency, "min", 0.0),
        (Metric::NetworkAdjustedTimeToFirstToken, "avg", (48.0 + 38.0 + 0.0) / 3.0),
        (Metric::NetworkAdjustedTimeToFirstOutputToken, "sum", 48.0 + 38.0 + 0.0),
    ]
}
