//! Small phases whose every metric was computed by hand. A metric that stands in none of them fails the test.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

mod counts;
mod exchange;
#[path = "../phase/mod.rs"]
mod phase;
mod server;
mod streams;

use aiperf_metrics::{Metric, MetricContext, Observation, Percentile, Stats};

/// A phase of one second, and numbers that it must give, in the units of the files.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) requests: Vec<Observation>,
    pub(crate) context: MetricContext,
    pub(crate) expected: Vec<(Metric, &'static str, f64)>,
}

pub(crate) fn mean<const N: usize>(values: [f64; N]) -> f64 {
    values.iter().sum::<f64>() / N as f64
}

fn cases() -> Vec<Case> {
    [streams::cases(), counts::cases(), exchange::cases(), server::cases()].into_iter().flatten().collect()
}

fn statistic(stats: &Stats, name: &str) -> Option<f64> {
    match name {
        "avg" => stats.avg,
        "min" => stats.min,
        "max" => stats.max,
        "std" => stats.std,
        "sum" => stats.sum,
        "count" => stats.count.map(|count| count as f64),
        _ => Percentile::ALL.into_iter().find(|p| p.name() == name).and_then(|p| stats.percentile(p)),
    }
}

#[test]
fn every_number_is_what_a_person_computed() {
    for case in cases() {
        let summary = phase::summarize(&case.requests, &case.context);
        for (metric, name, expected) in case.expected {
            let tag = metric.tag();
            let stats = summary.get(metric).unwrap_or_else(|| panic!("{}: {tag} is missing", case.name));
            let value = statistic(stats, name).unwrap_or_else(|| panic!("{}: {tag} has no {name}", case.name));
            let close =
                (value - expected).abs() <= 1e-9 * expected.abs().max(1.0) || value.total_cmp(&expected).is_eq();
            assert!(close, "{}: {tag} {name} is {value}, by hand {expected}", case.name);
        }
    }
}

#[test]
fn every_metric_was_computed_by_hand_somewhere() {
    let cases = cases();
    let lacking: Vec<_> = Metric::ALL
        .iter()
        .filter(|metric| !cases.iter().any(|case| case.expected.iter().any(|(tested, ..)| tested == *metric)))
        .map(|metric| metric.tag())
        .collect();
    assert!(lacking.is_empty(), "no worked example for {lacking:?}");
}
