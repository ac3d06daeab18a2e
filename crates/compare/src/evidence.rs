//! What a run has to say about a number: the values, events or outcomes of its requests, or only what its summary states.

use aiperf_artifact::{Outcome, RunSeries};
use aiperf_metrics::{Kind, Metric};
use aiperf_stats::distribution::normal_quantile;
use aiperf_stats::{Estimate, Event, Level, Span, Support, effective_samples, floor, mean, quantile, rate};

use crate::known::Known;
use crate::stated::Stated;
use crate::{Quantity, Statistic};

const NANOS: f64 = 1e9;

#[derive(Debug)]
pub(crate) enum Evidence {
    /// Values in the order of time.
    Values {
        values: Vec<f64>,
        statistic: Statistic,
        requests: u64,
    },
    Rate {
        events: Vec<Event>,
        span: Span,
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

impl Evidence {
    /// `None` where the requests do not say.
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
                let ended = series.outcomes().filter(|outcome| *outcome != Outcome::CutOff);
                Some(Self::Outcomes { counted: ended.map(|outcome| outcome == Outcome::Failed).collect(), unit: 100.0 })
            }
            Metric::GoodRequestFraction => {
                let good = series.values(Metric::GoodRequestCount).into_iter().map(|good| good > 0.5);
                let failed = series.outcomes().filter(|outcome| *outcome == Outcome::Failed).map(|_| false);
                Some(Self::Outcomes { counted: good.chain(failed).collect(), unit: 1.0 })
            }
            _ if matches!(metric.definition().kind, Kind::Record | Kind::RecordList) => {
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

    /// `None` where there is nothing to take a number of.
    pub(crate) fn known(&self, level: Level) -> Option<Known> {
        match self {
            Self::Values { values, statistic, requests } => {
                let estimate = match statistic {
                    Statistic::Average => mean(values, level),
                    Statistic::Percentile(percent) => quantile(values, percent / 100.0, level),
                };
                estimate.map(|estimate| bounds(&estimate, *requests))
            }
            Self::Rate { events, span } => {
                rate(events.iter().copied(), *span, level).map(|estimate| bounds(&estimate, events.len() as u64))
            }
            Self::Outcomes { counted, unit } => share(counted, *unit, level),
            Self::Stated(stated) => Some(stated.known(level)),
        }
    }
}

fn rate_of(series: &RunSeries, sources: &[Metric]) -> Evidence {
    let (start, end) = series.window;
    // From the start on: seconds since 1970 would cost digits.
    let seconds = |at: u64| at.saturating_sub(start) as f64 / NANOS;
    let events = series.ends(sources).into_iter().map(|(at, amount)| Event { at: seconds(at), amount }).collect();
    Evidence::Rate { events, span: Span { start: 0.0, end: seconds(end) } }
}

fn bounds(estimate: &Estimate, requests: u64) -> Known {
    let (low, high) =
        estimate.interval.map_or((f64::NEG_INFINITY, f64::INFINITY), |interval| (interval.low, interval.high));
    let floor = match estimate.support {
        Support::Enough => None,
        Support::TooFew { needed } => {
            let worth = (estimate.effective_samples / requests.max(1) as f64).clamp(1e-3, 1e3);
            Some((needed as f64 / worth).ceil() as u64)
        }
    };
    Known { value: estimate.value, low, high, requests: Some(requests), floor }
}

/// Wilson's score interval (1927) for as many independent requests as these are worth.
fn share(counted: &[bool], unit: f64, level: Level) -> Option<Known> {
    if counted.is_empty() {
        return None;
    }
    let series: Vec<f64> = counted.iter().map(|counted| f64::from(u8::from(*counted))).collect();
    let share = series.iter().sum::<f64>() / series.len() as f64;
    let n = effective_samples(&series).clamp(1.0, series.len() as f64);
    let z = normal_quantile(1.0 - level.tail());
    let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let reach = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    Some(Known {
        value: share * unit,
        low: (middle - reach).max(0.0).min(share) * unit,
        high: (middle + reach).min(1.0).max(share) * unit,
        requests: Some(counted.len() as u64),
        floor: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_none_in_a_thousand_has_a_bound() {
        let known = share(&[false; 1000], 100.0, Level::P95).unwrap();
        assert_eq!((known.value, known.low), (0.0, 0.0));
        // Wilson: z² / (n + z²)
        assert!((known.high - 0.382_68).abs() < 1e-3, "{known:?}");
    }

    #[test]
    fn a_share_is_bounded_as_wilson_says() {
        let counted: Vec<bool> = (0..100).map(|index| index * 37 % 100 < 10).collect();
        let known = share(&counted, 100.0, Level::P95).unwrap();
        assert!((known.value - 10.0).abs() < 1e-9);
        assert!((known.low - 5.52).abs() < 0.3 && (known.high - 17.44).abs() < 0.3, "{known:?}");
    }

    #[test]
    fn too_few_values_say_how_many_would_do() {
        let values: Vec<f64> = (0..100).map(|index| f64::from(index * 37 % 100)).collect();
        let evidence = Evidence::Values { values, statistic: Statistic::Percentile(99.0), requests: 100 };
        let known = evidence.known(Level::P95).unwrap();
        assert!(!known.is_bounded());
        assert!(known.floor.is_some_and(|floor| floor >= 368), "{known:?}");
    }
}
