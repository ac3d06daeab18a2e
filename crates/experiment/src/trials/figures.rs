//! The numbers of one run that runs are compared by.

use aiperf_metrics::{Confidence, Interval, Percentile, Stats, Summary};

/// All metrics of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figures {
    pub(crate) metrics: Vec<MetricFigures>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MetricFigures {
    pub(crate) tag: String,
    pub(crate) unit: String,
    pub(crate) stats: Stats,
    /// Confidence intervals, if the run has them.
    pub(crate) confidence: Option<Confidence>,
}

impl Figures {
    pub fn of(summary: &Summary) -> Self {
        let metric = |result: &aiperf_metrics::MetricResult| MetricFigures {
            tag: result.metric.tag().to_owned(),
            unit: result.metric.definition().shown.label().to_owned(),
            stats: result.stats,
            confidence: result.confidence,
        };
        Self { metrics: summary.results.iter().map(metric).collect() }
    }

    /// One statistic of one metric, if it is finite.
    pub(crate) fn get(&self, tag: &str, stat: &str) -> Option<f64> {
        let metric = self.metrics.iter().find(|metric| metric.tag == tag)?;
        statistics(&metric.stats).find(|(name, _)| *name == stat).map(|(_, value)| value)
    }

    /// Where one statistic of one metric lies by the requests of this run.
    pub(crate) fn interval(&self, tag: &str, stat: &str) -> Option<Interval> {
        let confidence = self.metrics.iter().find(|metric| metric.tag == tag)?.confidence?;
        let percentile = Percentile::ALL.into_iter().find(|percentile| percentile.name() == stat);
        percentile.map_or(confidence.avg, |percentile| confidence.percentile(percentile)).interval()
    }
}

/// The finite statistics of a metric by name, in the order of the summary. The number of values is not one of them: it says
/// how much was measured, not what.
pub(crate) fn statistics(stats: &Stats) -> impl Iterator<Item = (&'static str, f64)> {
    let percentiles = Percentile::ALL.map(|percentile| (percentile.name(), stats.percentile(percentile)));
    let ends = [("min", stats.min), ("max", stats.max), ("std", stats.std), ("sum", stats.sum)];
    let all = [("avg", stats.avg)].into_iter().chain(percentiles).chain(ends);
    all.filter_map(|(name, value)| Some((name, value.filter(|value| value.is_finite())?)))
}
