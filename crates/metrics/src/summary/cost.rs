//! What the work of a phase cost, from the price of the GPUs and the throughput.

use crate::summary::Confidence;
use crate::summary::energy::PhaseWork;
use crate::{Metric, MetricContext};

const SECONDS_PER_HOUR: f64 = 3_600.0;

/// The rate that a metric of cost is divided by, and how many of its units the cost is for.
fn rate_of(metric: Metric) -> Option<(Metric, f64)> {
    match metric {
        Metric::CostPerMillionOutputTokens => Some((Metric::OutputTokenThroughput, 1e6)),
        Metric::CostPerThousandRequests => Some((Metric::RequestThroughput, 1e3)),
        _ => None,
    }
}

/// A metric of cost; `None` for all others, and if something is missing.
pub(crate) fn value(metric: Metric, cost_per_hour: Option<f64>, work: &PhaseWork) -> Option<f64> {
    let (rate, amount) = rate_of(metric)?;
    let per_second = match rate {
        Metric::OutputTokenThroughput => work.output_tokens_per_second?,
        _ => work.requests_per_second?,
    };
    (per_second > 0.0).then_some(cost_per_hour? / SECONDS_PER_HOUR / per_second * amount)
}

/// The interval of a metric of cost: that of its throughput, turned round.
pub(crate) fn confidence(
    metric: Metric,
    context: &MetricContext,
    rates: &[(Metric, Confidence)],
) -> Option<Confidence> {
    let (rate, amount) = rate_of(metric)?;
    let per_second = context.cost_per_hour? / SECONDS_PER_HOUR;
    let known = rates.iter().find(|(known, _)| *known == rate).map(|(_, confidence)| confidence)?;
    // A throughput that may be zero says nothing about the cost.
    known
        .avg
        .interval()
        .is_none_or(|interval| interval.low > 0.0)
        .then(|| known.derived(|interval| interval.map(|rate| per_second / rate * amount)))
}

#[cfg(test)]
mod tests {
    use aiperf_protocol::EndpointKind;
    use aiperf_stats::{Estimate, Interval, Support};

    use super::*;
    use crate::{IntervalSupport, Level};

    #[test]
    fn cost_has_the_interval_of_the_throughput() {
        let context = MetricContext { cost_per_hour: Some(36.0), ..MetricContext::new(EndpointKind::Chat, true) };
        let estimate = Estimate {
            value: 100.0,
            interval: Some(Interval { low: 80.0, high: 125.0 }),
            support: Support::Enough,
            effective_samples: 50.0,
        };
        let rates = [(Metric::OutputTokenThroughput, Confidence::single(&estimate, Level::P95))];
        let found = confidence(Metric::CostPerMillionOutputTokens, &context, &rates).unwrap();
        let IntervalSupport::Within(interval) = found.avg else { panic!("{found:?}") };
        assert!((interval.low - 80.0).abs() < 1e-9 && (interval.high - 125.0).abs() < 1e-9, "{interval:?}");
        assert_eq!(confidence(Metric::CostPerThousandRequests, &context, &rates), None);
    }
}
