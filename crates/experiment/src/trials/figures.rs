//! The numbers of one run that runs are compared by.

use std::borrow::Cow;

use aiperf_metrics::{Confidence, Interval, Percentile, Stats, Summary};

/// All metrics of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figures {
    pub(crate) metrics: Vec<MetricFigures>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MetricFigures {
    /// Names are those of the catalogue, except in tests: a sweep may have a thousand of these.
    pub(crate) tag: Cow<'static, str>,
    pub(crate) unit: Cow<'static, str>,
    pub(crate) stats: Stats,
    /// Confidence intervals of the statistics that points of a sweep are compared by, as far as the run has them.
    pub(crate) intervals: Vec<(&'static str, Interval)>,
}

impl Figures {
    pub fn of(summary: &Summary) -> Self {
        let metric = |result: &aiperf_metrics::MetricResult| MetricFigures {
            tag: result.metric.tag().into(),
            unit: result.metric.definition().shown.label().into(),
            stats: result.stats,
            intervals: result.confidence.as_ref().map(intervals).unwrap_or_default(),
        };
        Self { metrics: summary.results.iter().map(metric).collect() }
    }

    /// One statistic of one metric, if it is finite.
    pub fn get(&self, tag: &str, stat: &str) -> Option<f64> {
        let metric = self.metrics.iter().find(|metric| metric.tag == tag)?;
        statistics(&metric.stats).find(|(name, _)| *name == stat).map(|(_, value)| value)
    }

    /// Where one statistic of one metric lies by the requests of this run.
    pub(crate) fn interval(&self, tag: &str, stat: &str) -> Option<Interval> {
        let metric = self.metrics.iter().find(|metric| metric.tag == tag)?;
        metric.intervals.iter().find(|(name, _)| *name == stat).map(|(_, interval)| *interval)
    }
}

fn intervals(confidence: &Confidence) -> Vec<(&'static str, Interval)> {
    let p99 = confidence.percentile(Percentile::P99);
    let compared = [("avg", confidence.avg), (Percentile::P99.name(), p99)];
    compared.into_iter().filter_map(|(name, support)| Some((name, support.interval()?))).collect()
}

/// The finite statistics of a metric by name, in the order of the summary. The number of values is not one of them: it says
/// how much was measured, not what.
pub(crate) fn statistics(stats: &Stats) -> impl Iterator<Item = (&'static str, f64)> {
    let percentiles = Percentile::ALL.map(|percentile| (percentile.name(), stats.percentile(percentile)));
    let ends = [("min", stats.min), ("max", stats.max), ("std", stats.std), ("sum", stats.sum)];
    let all = [("avg", stats.avg)].into_iter().chain(percentiles).chain(ends);
    all.filter_map(|(name, value)| Some((name, value.filter(|value| value.is_finite())?)))
}
