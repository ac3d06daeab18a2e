//! The points of a sweep side by side, and which of them is best.

use aiperf_report::{Aggregate, BestCell, SweepCell, SweepMetric};
use serde_json::{Map, Value};

use super::figures::Figures;

const THROUGHPUT: (&str, &str) = ("request_throughput", "avg");
/// What latency is judged by: the first that all points have.
const LATENCY: [(&str, &str); 2] = [("time_to_first_token", "p99"), ("request_latency", "p99")];

/// A point by the two figures that it is judged by.
struct Judged<'a> {
    parameters: &'a Map<String, Value>,
    throughput: f64,
    latency: f64,
}

/// What makes one sweep cell of each point: with one trial its own statistics, with several those over trials.
pub(crate) fn cell(parameters: Map<String, Value>, aggregate: Option<&Aggregate>, only: Option<&Figures>) -> SweepCell {
    let metrics = match (aggregate, only) {
        (_, Some(figures)) => figures
            .metrics
            .iter()
            .filter_map(|metric| SweepMetric::of_one_run(&metric.tag, &metric.unit, metric.stats))
            .collect(),
        (Some(aggregate), None) => aggregate.metrics.iter().map(SweepMetric::over_trials).collect(),
        (None, None) => Vec::new(),
    };
    SweepCell { parameters, metrics }
}

/// A point with its figures over trials.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point<'a> {
    pub(crate) parameters: &'a Map<String, Value>,
    pub(crate) aggregate: &'a Aggregate,
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Best {
    pub(crate) throughput: Option<BestCell>,
    pub(crate) latency: Option<BestCell>,
    pub(crate) pareto: Vec<Map<String, Value>>,
}

/// The points with most requests a second and with least latency, and those that no other one beats in both.
pub(crate) fn best(points: &[Point<'_>]) -> Best {
    let mean = |point: &Point<'_>, (tag, stat): (&str, &str)| Some(point.aggregate.get(tag, stat)?.spread.mean);
    let figure = LATENCY.into_iter().find(|figure| points.iter().any(|point| mean(point, *figure).is_some()));
    let by = |figure: (&str, &str), better: fn(f64, f64) -> bool| {
        let mut best: Option<(&Point<'_>, f64)> = None;
        for point in points {
            if let Some(value) = mean(point, figure)
                && best.is_none_or(|(_, known)| better(value, known))
            {
                best = Some((point, value));
            }
        }
        best.map(|(point, value)| BestCell {
            parameters: point.parameters.clone(),
            value,
            unit: point.aggregate.get(figure.0, figure.1).map(|metric| metric.unit.clone()).unwrap_or_default(),
        })
    };
    let judged: Vec<Judged<'_>> = points
        .iter()
        .filter_map(|point| {
            Some(Judged {
                parameters: point.parameters,
                throughput: mean(point, THROUGHPUT)?,
                latency: mean(point, figure?)?,
            })
        })
        .collect();
    Best {
        throughput: by(THROUGHPUT, |value, known| value > known),
        latency: figure.and_then(|figure| by(figure, |value, known| value < known)),
        pareto: judged
            .iter()
            .filter(|point| !judged.iter().any(|other| beats(other, point)))
            .map(|p| p.parameters.clone())
            .collect(),
    }
}

/// At least as good in both and better in one.
fn beats(one: &Judged<'_>, other: &Judged<'_>) -> bool {
    one.throughput >= other.throughput
        && one.latency <= other.latency
        && (one.throughput > other.throughput || one.latency < other.latency)
}
