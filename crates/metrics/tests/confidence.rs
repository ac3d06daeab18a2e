//! Intervals and the steady state of phases whose truth is known.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

mod phase;

use aiperf_metrics::{Columns, Metric, Observation, Percentile, PhaseWindow, RecordValues, Summary, Unsteady};
use phase::{at, failed, request, streaming};

/// Four slots, one request after the other in each; `latency` says how long the n-th of a slot takes, in milliseconds.
fn closed_loop(rounds: u64, latency: impl Fn(u64) -> u64) -> Vec<Observation> {
    let mut requests = Vec::new();
    for slot in 0..4_u64 {
        let mut now = slot;
        for round in 0..rounds {
            // A little disorder that repeats every 7 requests.
            let length = latency(round) + (round * 5 + slot * 3) % 7;
            requests.push(request(now, &[now + length / 2, now + length]));
            now += length + 2;
        }
    }
    requests
}

fn summary(requests: &[Observation]) -> Summary {
    let mut columns = Columns::new();
    for seen in requests {
        columns.push(seen, &RecordValues::compute(seen));
    }
    let end = requests.iter().map(|seen| seen.end).max().unwrap();
    let anchor = aiperf_clock::WallAnchor::at(at(0), aiperf_clock::EpochNanos(0));
    Summary::compute(&columns, &PhaseWindow::new(at(0), end), &streaming(), &anchor)
}

#[test]
fn averages_rates_and_percentiles_have_intervals_in_the_unit_that_is_shown() {
    let summary = summary(&closed_loop(100, |_| 50));
    let result = |metric: Metric| summary.results.iter().find(|result| result.metric == metric).unwrap();
    let latency = result(Metric::RequestLatency);
    let confidence = latency.confidence.unwrap();
    assert!(confidence.avg.interval().unwrap().contains(53.0), "{confidence:?}");
    assert!(confidence.percentile(Percentile::P50).interval().unwrap().contains(53.0), "{confidence:?}");
    assert_eq!(confidence.unsupported().collect::<Vec<_>>(), ["p99_9", "p99_99"]);
    let rate = result(Metric::RequestThroughput);
    assert!(rate.confidence.unwrap().avg.interval().unwrap().contains(rate.stats.avg.unwrap()));
    assert!(result(Metric::InterChunkLatency).confidence.is_some());
    assert!(result(Metric::EffectiveConcurrency).confidence.is_none());
    assert!(result(Metric::RequestCount).confidence.is_none());
}

#[test]
fn a_phase_without_drift_is_steady_between_ramp_and_drain() {
    let summary = summary(&closed_loop(100, |_| 50));
    let steady = summary.steady.unwrap();
    assert_eq!(steady.watched, [Metric::TimeToFirstToken, Metric::RequestLatency, Metric::RequestThroughput]);
    let window = steady.outcome.unwrap();
    assert!(window.requests > 350 && window.requests < 400, "{}", window.requests);
    let throughput = window.results.iter().find(|result| result.metric == Metric::RequestThroughput).unwrap();
    let seconds = (window.end_offset.0 - window.start_offset.0) as f64 / 1e9;
    assert!((throughput.stats.avg.unwrap() - window.requests as f64 / seconds).abs() < 1e-6);
}

#[test]
fn a_slow_beginning_is_cut_off() {
    let summary = summary(&closed_loop(200, |round| if round < 40 { 150 - 2 * round } else { 70 }));
    let whole = summary.get(Metric::RequestLatency).unwrap().avg.unwrap();
    let window = summary.steady.unwrap().outcome.unwrap();
    let steady = window.results.iter().find(|result| result.metric == Metric::RequestLatency).unwrap();
    assert!((steady.stats.avg.unwrap() - 73.0).abs() < 1.0 && whole > 78.0, "{whole} {:?}", steady.stats.avg);
}

#[test]
fn a_phase_that_gets_slower_and_slower_is_not_steady() {
    let outcome = summary(&closed_loop(200, |round| 50 + round)).steady.unwrap().outcome;
    assert!(matches!(outcome, Err(Unsteady::Drifts { .. })), "{outcome:?}");
}

#[test]
fn a_handful_of_requests_cannot_tell() {
    let outcome = summary(&closed_loop(5, |_| 50)).steady.unwrap().outcome;
    assert!(matches!(outcome, Err(Unsteady::TooShort { needed: 100, .. })), "{outcome:?}");
    assert!(summary(&[failed(0, 10, "no", None)]).steady.is_none());
}
