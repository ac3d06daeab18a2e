//! How sure the statistics of a metric are.

use aiperf_stats::{Estimate, Interval, Level, Sample, Support};

use crate::{Percentile, Stats};

/// Of one metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    pub level: Level,
    /// Of the average, or of the one number that the metric is.
    pub avg: IntervalSupport,
    percentiles: [IntervalSupport; Percentile::COUNT],
    /// As many independent values would say as much of the average.
    pub effective_samples: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum IntervalSupport {
    Within(Interval),
    /// `needed`: independent values that would do.
    TooFew {
        needed: u64,
    },
    /// The metric has no such statistic.
    Absent,
}

impl IntervalSupport {
    pub fn interval(&self) -> Option<Interval> {
        match self {
            Self::Within(interval) => Some(*interval),
            Self::TooFew { .. } | Self::Absent => None,
        }
    }

    pub fn is_unsupported(&self) -> bool {
        matches!(self, Self::TooFew { .. })
    }

    fn of(estimate: Option<Estimate>) -> Self {
        match estimate {
            Some(Estimate { interval: Some(interval), .. }) => Self::Within(interval),
            Some(Estimate { support: Support::TooFew { needed }, .. }) => Self::TooFew { needed },
            Some(_) | None => Self::Absent,
        }
    }

    fn map(self, convert: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Within(interval) => Self::Within(interval.map(convert)),
            other => other,
        }
    }
}

impl Confidence {
    /// `series`: the values in the order of time; `sorted`: by size; `stats`: theirs.
    pub(crate) fn of(series: impl Iterator<Item = f64>, sorted: &[f64], stats: &Stats, level: Level) -> Option<Self> {
        let thresholds: Vec<f64> = stats.percentiles.iter().copied().flatten().collect();
        if thresholds.len() != Percentile::COUNT {
            return None;
        }
        let mut sample = Sample::new(sorted.len(), &thresholds);
        series.for_each(|value| sample.push(value));
        let mean = sample.mean(level)?;
        let percentiles = Percentile::ALL.map(|percentile| {
            let index = percentile as usize;
            IntervalSupport::of(sample.quantile(sorted, index, percentile.percent() / 100.0, level))
        });
        let effective_samples = mean.effective_samples;
        Some(Self { level, avg: IntervalSupport::of(Some(mean)), percentiles, effective_samples })
    }

    /// Of a metric that is one number.
    pub(crate) fn single(estimate: &Estimate, level: Level) -> Self {
        Self {
            level,
            avg: IntervalSupport::of(Some(*estimate)),
            percentiles: [IntervalSupport::Absent; Percentile::COUNT],
            effective_samples: estimate.effective_samples,
        }
    }

    /// Of a number that is computed from the one that this is about; `convert` gives the new interval of an old one.
    pub(crate) fn derived(&self, convert: impl Fn(Interval) -> Interval) -> Self {
        let avg = match self.avg {
            IntervalSupport::Within(interval) => IntervalSupport::Within(convert(interval)),
            other => other,
        };
        Self { avg, ..*self }
    }

    pub fn percentile(&self, percentile: Percentile) -> IntervalSupport {
        self.percentiles[percentile as usize]
    }

    /// The statistics that there are too few values for, by name.
    pub fn unsupported(&self) -> impl Iterator<Item = &'static str> {
        let named = Percentile::ALL.map(|percentile| (percentile.name(), self.percentile(percentile)));
        let all = std::iter::once(("avg", self.avg)).chain(named);
        all.filter(|(_, surety)| surety.is_unsupported()).map(|(name, _)| name)
    }

    pub(crate) fn map(&self, convert: impl Fn(f64) -> f64) -> Self {
        Self { avg: self.avg.map(&convert), percentiles: self.percentiles.map(|surety| surety.map(&convert)), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confidence(count: usize) -> Confidence {
        let series: Vec<f64> = (0..count).map(|i| (i * 7919 % count) as f64).collect();
        let mut sorted = series.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let stats = Stats::of_sorted(&sorted, 0).unwrap();
        Confidence::of(series.into_iter(), &sorted, &stats, Level::P95).unwrap()
    }

    #[test]
    fn what_too_few_values_support_is_named() {
        assert_eq!(confidence(1000).unsupported().collect::<Vec<_>>(), ["p99_9", "p99_99"]);
        assert!(confidence(10).unsupported().any(|name| name == "avg"));
    }

    #[test]
    fn the_percentiles_that_intervals_are_about_are_those_of_the_statistics() {
        let values: Vec<f64> = (0..777_u64).map(|i| (i * i % 1009) as f64).collect();
        let stats = Stats::of(values.clone()).unwrap();
        for percentile in Percentile::ALL {
            let estimate = aiperf_stats::quantile(&values, percentile.percent() / 100.0, Level::P95).unwrap();
            let wanted = stats.percentile(percentile).unwrap();
            assert!((estimate.value - wanted).abs() < 1e-9, "{}: {} and {wanted}", percentile.name(), estimate.value);
        }
    }

    #[test]
    fn intervals_are_in_the_unit_of_the_values() {
        let shown = confidence(1000).map(|value| value / 1e3);
        let median = shown.percentile(Percentile::P50).interval().unwrap();
        assert!(median.contains(0.4995) && median.width() < 0.1, "{median:?}");
    }
}
