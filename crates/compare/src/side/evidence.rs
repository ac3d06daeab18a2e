//! What a run has to say about a number: the values, events or outcomes of its requests, or only what its summary states.

use aiperf_artifact::RunSeries;
use aiperf_metrics::{Metric, MetricKind, RequestOutcome, Sending};
use aiperf_stats::{
    CountedEvent, Estimate, HeldSlot, Level, RunEnd, Support, TimeSpan, closed_loop_rate, effective_samples, floor,
    mean, quantile, rate, share,
};

use crate::side::known::{Growth, Known};
use crate::side::stated::Stated;
use crate::verdict::bounds::Bounds;
use crate::{Quantity, Statistic};

const NANOS: f64 = 1e9;

#[derive(Debug)]
pub(crate) enum RunEvidence {
    /// Values in the order of time.
    Values {
        values: Vec<f64>,
        statistic: Statistic,
        requests: u64,
    },
    Rate {
        events: Vec<CountedEvent>,
        span: TimeSpan,
    },
    /// A rate of a closed loop.
    ClosedLoop {
        held: Vec<HeldSlot>,
        span: TimeSpan,
        end: RunEnd,
    },
    /// Which requests are counted, in the order of time; the number is their share, times `unit`.
    Outcomes {
        counted: Vec<bool>,
        unit: f64,
    },
    Stated(Stated),
}

/// Metrics of requests that a number is made from.
pub(crate) fn sources(metric: Metric) -> &'static [Metric] {
    match metric {
        Metric::OutputTokenThroughput => &[Metric::OutputSequenceLength],
        Metric::InputTokenThroughput => &[Metric::InputSequenceLength],
        Metric::TotalTokenThroughput => &[Metric::InputSequenceLength, Metric::OutputSequenceLength],
        Metric::Goodput | Metric::GoodRequestFraction => &[Metric::GoodRequestCount],
        _ => &[],
    }
}

impl RunEvidence {
    /// `None` if the requests do not say.
    pub(crate) fn of_requests(series: &RunSeries, quantity: Quantity) -> Option<Self> {
        let Quantity { metric, statistic } = quantity;
        let sources = sources(metric);
        if !sources.iter().all(|source| series.present.contains(source)) {
            return None;
        }
        match metric {
            Metric::RequestThroughput
            | Metric::OutputTokenThroughput
            | Metric::InputTokenThroughput
            | Metric::TotalTokenThroughput
            | Metric::Goodput => Some(rate_of(series, sources)),
            Metric::RequestErrorRate => {
                let ended = series.outcomes().filter(|outcome| *outcome != RequestOutcome::CutOff);
                Some(Self::Outcomes { counted: ended.map(RequestOutcome::is_failure).collect(), unit: 100.0 })
            }
            Metric::GoodRequestFraction => {
                let good = series.values(Metric::GoodRequestCount).into_iter().map(|good| good > 0.5);
                let failed = series.outcomes().filter(|outcome| outcome.is_failure()).map(|_| false);
                Some(Self::Outcomes { counted: good.chain(failed).collect(), unit: 1.0 })
            }
            _ if matches!(metric.definition().kind, MetricKind::Record | MetricKind::RecordList) => {
                let values = series.values(metric);
                (!values.is_empty()).then(|| Self::Values { values, statistic, requests: series.len() as u64 })
            }
            _ => None,
        }
        .filter(|evidence| evidence.value().is_some())
    }

    pub(crate) fn value(&self) -> Option<f64> {
        match self {
            Self::Stated(stated) => Some(stated.value),
            // Bounds of a loop cost much more than the number itself.
            Self::ClosedLoop { held, span, .. } => {
                let length = span.end - span.start;
                (length > 0.0 && !held.is_empty()).then(|| held.iter().map(|held| held.amount).sum::<f64>() / length)
            }
            evidence => evidence.known(Level::P95).map(|known| known.value),
        }
    }

    /// Requests below which there would be no bounds at this level; of percentiles only, whose floors are high.
    pub(crate) fn floor(&self, level: Level) -> u64 {
        match self {
            Self::Values { values, statistic: Statistic::Percentile(percent), requests } => {
                let samples_per_request = values.len() as f64 / (*requests).max(1) as f64;
                (floor(percent / 100.0, level) as f64 / samples_per_request).ceil() as u64
            }
            _ => 0,
        }
    }

    /// `None` if there is nothing to take a number of.
    pub(crate) fn known(&self, level: Level) -> Option<Known> {
        match self {
            Self::Values { values, statistic, requests } => {
                let estimate = match statistic {
                    Statistic::Average => mean(values, level),
                    Statistic::Percentile(percent) => quantile(values, percent / 100.0, level),
                };
                estimate.map(|estimate| bounds(&estimate, *requests, 0.0))
            }
            Self::Rate { events, span } => {
                rate(events.iter().copied(), *span, level).map(|estimate| bounds(&estimate, events.len() as u64, 0.0))
            }
            Self::ClosedLoop { held, span, end } => {
                let found = closed_loop_rate(held, *span, *end, level)?;
                Some(bounds(&found.estimate, held.len() as u64, found.end_share))
            }
            Self::Outcomes { counted, unit } => of_share(counted, *unit, level),
            Self::Stated(stated) => Some(stated.known(level)),
        }
    }

    /// Outcomes of which none is counted.
    pub(crate) fn counts_nothing(&self) -> bool {
        matches!(self, Self::Outcomes { counted, .. } if !counted.iter().any(|counted| *counted))
    }

    /// Outcomes of several runs as those of one; anything else as it is.
    pub(crate) fn together(runs: Vec<Self>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::with_capacity(runs.len());
        for run in runs {
            match (all.first_mut(), run) {
                (Some(Self::Outcomes { counted, .. }), Self::Outcomes { counted: more, .. }) => counted.extend(more),
                (_, run) => all.push(run),
            }
        }
        all
    }

    /// With the bounds that a difference needs: of the later side, its own ones; of the earlier side, the other way round.
    pub(crate) fn known_between(&self, bounds: &Bounds, place: ComparedSide) -> Option<Known> {
        let (low, high) = match place {
            ComparedSide::Baseline => (bounds.high, bounds.low),
            ComparedSide::Candidate => (bounds.low, bounds.high),
        };
        let lower = self.known(low)?;
        Some(if low == high { lower } else { Known::between(lower, self.known(high)?) })
    }
}

/// Which side of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ComparedSide {
    Baseline,
    Candidate,
}

fn rate_of(series: &RunSeries, sources: &[Metric]) -> RunEvidence {
    let (start, end) = series.window;
    // From the start on: seconds since 1970 would cost digits.
    let seconds = |at: u64| at.saturating_sub(start) as f64 / NANOS;
    let span = TimeSpan { start: 0.0, end: seconds(end) };
    let requests = series.timed(sources);
    let end = match series.sending {
        Sending::Scheduled => {
            let successful = requests.filter(|request| request.outcome.is_success());
            let events = successful.map(|request| CountedEvent { at: seconds(request.end_ns), amount: request.amount });
            return RunEvidence::Rate { events: events.collect(), span };
        }
        Sending::UntilCount => RunEnd::Count,
        Sending::UntilTime => RunEnd::Time,
    };
    let held = requests.map(|request| HeldSlot {
        start: seconds(request.start_ns),
        end: seconds(request.end_ns),
        amount: request.amount,
    });
    RunEvidence::ClosedLoop { held: held.collect(), span, end }
}

fn bounds(estimate: &Estimate, requests: u64, end_share: f64) -> Known {
    let (low, high) =
        estimate.interval.map_or((f64::NEG_INFINITY, f64::INFINITY), |interval| (interval.low, interval.high));
    let floor = match estimate.support {
        Support::Enough => None,
        Support::TooFew { needed } => {
            let worth = (estimate.effective_samples / requests.max(1) as f64).clamp(1e-3, 1e3);
            Some((needed as f64 / worth).ceil() as u64)
        }
    };
    let growth = Growth::Root { end_share };
    Known { value: estimate.value, low, high, requests: Some(requests), floor, growth }
}

/// The exact interval for as many independent requests as these are worth.
fn of_share(counted: &[bool], unit: f64, level: Level) -> Option<Known> {
    if counted.is_empty() {
        return None;
    }
    let series: Vec<f64> = counted.iter().map(|counted| f64::from(u8::from(*counted))).collect();
    let value = series.iter().sum::<f64>() / series.len() as f64;
    let count = series.len() as f64;
    let independent = effective_samples(&series).clamp(1.0, count);
    let interval = share(value, independent, level);
    Some(Known {
        value: value * unit,
        low: interval.low * unit,
        high: interval.high * unit,
        requests: Some(counted.len() as u64),
        floor: None,
        growth: Growth::Share { worth: independent / count, unit },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_none_in_a_thousand_has_a_bound() {
        let known = of_share(&[false; 1000], 100.0, Level::P95).unwrap();
        assert_eq!((known.value, known.low), (0.0, 0.0));
        assert!((known.high - 100.0 * (1.0 - 0.025_f64.powf(0.001))).abs() < 1e-6, "{known:?}");
    }

    #[test]
    fn a_share_has_the_exact_bounds() {
        let counted: Vec<bool> = (0..100).map(|index| index * 37 % 100 < 10).collect();
        let known = of_share(&counted, 100.0, Level::P95).unwrap();
        assert!((known.value - 10.0).abs() < 1e-9);
        assert!((known.low - 4.90).abs() < 0.3 && (known.high - 17.62).abs() < 0.3, "{known:?}");
    }

    #[test]
    fn too_few_values_say_how_many_would_do() {
        let values: Vec<f64> = (0..100).map(|index| f64::from(index * 37 % 100)).collect();
        let evidence = RunEvidence::Values { values, statistic: Statistic::Percentile(99.0), requests: 100 };
        let known = evidence.known(Level::P95).unwrap();
        assert!(!known.is_bounded());
        assert!(known.floor.is_some_and(|floor| floor >= 368), "{known:?}");
    }
}
