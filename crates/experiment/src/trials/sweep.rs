//! The points of a sweep side by side, and which of them is best.

use aiperf_metrics::Interval;
use aiperf_report::{Aggregate, BestCell, SweepCell, SweepMetric};
use serde_json::{Map, Value};

use super::figures::Figures;

const THROUGHPUT: (&str, &str) = ("request_throughput", "avg");
/// What latency is judged by: the first that all points have.
const LATENCY: [(&str, &str); 2] = [("time_to_first_token", "p99"), ("request_latency", "p99")];

/// One number of a point, and where it lies. Bounds are infinite if its spread is unknown.
#[derive(Debug, Clone, Copy)]
struct Located {
    value: f64,
    interval: Interval,
}

impl Located {
    fn is_surely_off(&self, other: &Self) -> bool {
        !self.interval.overlaps(&other.interval)
    }
}

/// A point by the two figures that it is judged by.
struct Judged<'a> {
    parameters: &'a Map<String, Value>,
    throughput: Located,
    latency: Located,
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
    SweepCell { parameters, metrics, breaches: None }
}

/// A point with its figures over trials, and those of its only run.
#[derive(Debug)]
pub(crate) struct SweepPoint<'a> {
    parameters: &'a Map<String, Value>,
    aggregate: &'a Aggregate,
    /// Only the metrics that points are compared by.
    only: Option<Figures>,
}

impl<'a> SweepPoint<'a> {
    pub(crate) fn new(parameters: &'a Map<String, Value>, aggregate: &'a Aggregate, only: Option<Figures>) -> Self {
        let compared = |tag: &str| LATENCY.into_iter().chain([THROUGHPUT]).any(|(known, _)| known == tag);
        let only = only.map(|mut figures| {
            figures.metrics.retain(|metric| compared(&metric.tag));
            figures.metrics.shrink_to_fit();
            figures
        });
        Self { parameters, aggregate, only }
    }

    fn find(&self, (tag, stat): (&str, &str)) -> Option<Located> {
        let spread = self.aggregate.get(tag, stat)?.spread;
        let between_runs = spread.t_critical.map(|_| Interval { low: spread.ci_low, high: spread.ci_high });
        let within = || self.only.as_ref().and_then(|figures| figures.interval(tag, stat));
        let unknown = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
        Some(Located { value: spread.mean, interval: between_runs.or_else(within).unwrap_or(unknown) })
    }
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Best {
    pub(crate) throughput: Option<BestCell>,
    pub(crate) latency: Option<BestCell>,
    pub(crate) pareto: Vec<Map<String, Value>>,
}

/// The points with most requests a second and with least latency, each with those that may be as good, and the points that no
/// other one beats.
pub(crate) fn best(points: &[SweepPoint<'_>]) -> Best {
    let figure = LATENCY.into_iter().find(|figure| points.iter().any(|point| point.find(*figure).is_some()));
    let by = |figure: (&str, &str), better: fn(f64, f64) -> bool| {
        let located: Vec<(&SweepPoint<'_>, Located)> =
            points.iter().filter_map(|point| Some((point, point.find(figure)?))).collect();
        let mut best: Option<(&SweepPoint<'_>, Located)> = None;
        for (point, found) in &located {
            if best.is_none_or(|(_, known)| better(found.value, known.value)) {
                best = Some((point, *found));
            }
        }
        best.map(|(point, found)| {
            let others = located.iter().filter(|(other, _)| other.parameters != point.parameters);
            let tied = others.filter(|(_, other)| !other.is_surely_off(&found));
            BestCell {
                parameters: point.parameters.clone(),
                statistic: format!("{}_{}", figure.0, figure.1),
                value: found.value,
                unit: point.aggregate.get(figure.0, figure.1).map(|metric| metric.unit.clone()).unwrap_or_default(),
                tied_with: tied.map(|(other, _)| other.parameters.clone()).collect(),
            }
        })
    };
    let judged: Vec<Judged<'_>> = points
        .iter()
        .filter_map(|point| {
            Some(Judged {
                parameters: point.parameters,
                throughput: point.find(THROUGHPUT)?,
                latency: point.find(figure?)?,
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

/// At least as good in both, and better in one by more than noise.
fn beats(one: &Judged<'_>, other: &Judged<'_>) -> bool {
    let more = one.throughput.value > other.throughput.value && one.throughput.is_surely_off(&other.throughput);
    let sooner = one.latency.value < other.latency.value && one.latency.is_surely_off(&other.latency);
    one.throughput.value >= other.throughput.value && one.latency.value <= other.latency.value && (more || sooner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(throughput: (f64, f64), latency: (f64, f64)) -> Judged<'static> {
        static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
        let located = |(value, margin): (f64, f64)| Located {
            value,
            interval: Interval { low: value - margin, high: value + margin },
        };
        Judged { parameters: &NONE, throughput: located(throughput), latency: located(latency) }
    }

    #[test]
    fn a_point_is_not_dropped_for_a_difference_inside_the_noise() {
        // 41.78 and 40.64 ms with an interval of several milliseconds, and nearly the same throughput.
        let (one, four) = (point((24.0, 1.0), (41.78, 5.0)), point((24.2, 1.0), (40.64, 5.0)));
        assert!(!beats(&four, &one) && !beats(&one, &four));
        let surely = point((92.0, 3.0), (40.64, 5.0));
        assert!(beats(&surely, &one), "more throughput for sure, and no more latency");
        let unknown = point((92.0, f64::INFINITY), (40.0, f64::INFINITY));
        assert!(!beats(&unknown, &one), "without intervals nothing is sure");
    }
}
