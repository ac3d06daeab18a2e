//! The mean of a series. Batch means with the variance of `long_run`, Student's t, and a correction for skewness (Johnson
//! 1978; Willink 2005), as in Skart (Tafazzoli, Wilson, Lada and Steiger 2011).

use crate::batches::{means, skewness};
use crate::distribution::student_t_quantile;
use crate::long_run::{Criterion, LongRun};
use crate::{Estimate, Interval, Level, Sample, Support};

/// Independent samples below which no interval is given for a mean.
pub(crate) const MEAN_FLOOR: u64 = 30;

/// The mean of values in the order of time; `None` when there are none.
pub fn mean(series: &[f64], level: Level) -> Option<Estimate> {
    Sample::of(series, &[]).mean(level)
}

/// As many independent samples would say as much of the mean.
pub fn effective_samples(series: &[f64]) -> f64 {
    mean(series, Level::P95).map_or(0.0, |estimate| estimate.effective_samples)
}

/// What is known of a series before its batches are looked at.
pub(crate) struct Moments {
    pub(crate) count: usize,
    pub(crate) mean: f64,
    pub(crate) variance: f64,
    /// The share of values that is in batches.
    pub(crate) covered: f64,
}

/// `batches`: means of equally many neighbours, which may leave a few values at the end out.
pub(crate) fn of_batches(moments: &Moments, batches: &[f64], criterion: Criterion, level: Level) -> Estimate {
    let few = |effective_samples| Estimate {
        value: moments.mean,
        interval: None,
        effective_samples,
        support: Support::TooFew { needed: MEAN_FLOOR },
    };
    let Some(run) = LongRun::by(batches, criterion) else { return few(moments.count as f64) };
    let count = moments.count as f64;
    // The values at the end that are in no batch belong to the mean as well.
    let error = (run.variance_of_mean(batches.len()) * moments.covered).sqrt();
    let worth = if error > 0.0 { (moments.variance / (error * error)).min(count) } else { count };
    if worth < MEAN_FLOOR as f64 || run.independent(batches.len()) < MEAN_FLOOR as f64 / 2.0 {
        return few(worth);
    }
    let critical = student_t_quantile(1.0 - level.tail(), run.freedom);
    let lean = lean(batches, &run);
    let interval = Interval {
        low: moments.mean - bend(critical, lean) * error,
        high: moments.mean - bend(-critical, lean) * error,
    };
    Estimate { value: moments.mean, interval: Some(interval), effective_samples: worth, support: Support::Enough }
}

/// Skewness of the mean, over six. Taken from means that are long enough to be nearly independent.
fn lean(batches: &[f64], run: &LongRun) -> f64 {
    let long = means(batches, (2.0 * run.inflation - 1.0).ceil().max(1.0) as usize);
    skewness(&long) / (6.0 * (long.len() as f64).sqrt())
}

/// Willink's cube-root form of Johnson's modified t: where on the skewed scale the symmetric quantile lies.
fn bend(quantile: f64, lean: f64) -> f64 {
    if lean.abs() < 1e-9 {
        return quantile;
    }
    ((1.0 + 6.0 * lean * (quantile - lean)).cbrt() - 1.0) / (2.0 * lean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_is_known_for_sure() {
        let estimate = mean(&[4.0; 100], Level::P95).unwrap();
        assert_eq!(estimate.interval, Some(Interval { low: 4.0, high: 4.0 }));
        assert_eq!(estimate.support, Support::Enough);
    }

    #[test]
    fn few_values_have_a_mean_and_no_interval() {
        let estimate = mean(&[1.0, 2.0, 3.0], Level::P95).unwrap();
        assert!((estimate.value - 2.0).abs() < 1e-12);
        assert_eq!((estimate.interval, estimate.support), (None, Support::TooFew { needed: MEAN_FLOOR }));
        assert!(mean(&[], Level::P95).is_none());
    }

    #[test]
    fn the_long_tail_gets_the_longer_side() {
        let skewed: Vec<f64> = (0..400).map(|i| if i % 40 == 0 { 50.0 } else { 1.0 + f64::from(i % 7) }).collect();
        let estimate = mean(&skewed, Level::P95).unwrap();
        let interval = estimate.interval.unwrap();
        assert!(interval.high - estimate.value > estimate.value - interval.low);
    }
}
