//! Percentiles: intervals between order statistics, which hold for any distribution (Wilks 1948), at fractional ranks
//! (Hutson 1999), for as many independent samples as the values are worth at this percentile.

use crate::distribution::{beta_cdf, bisect, normal_quantile, student_t_quantile};
use crate::long_run::LongRun;
use crate::{Estimate, Interval, Level, Sample, Support, order};

/// Degrees of freedom that each cluster of rare values brings.
const CLUSTER_FREEDOM: f64 = 1.0;

/// The percentile at `q` (0 to 1) of values in the order of time; `None` when there are none.
pub fn quantile(series: &[f64], q: f64, level: Level) -> Option<Estimate> {
    let mut sorted = series.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let threshold = order::linear(&sorted, q)?;
    Sample::of(series, &[threshold]).quantile(&sorted, 0, q, level)
}

/// Independent samples below which no two of them enclose the percentile with this confidence: the largest (or smallest)
/// must lie beyond it with chance `1 - tail` (Wilks 1941).
pub fn floor(q: f64, level: Level) -> u64 {
    let rarer = q.max(1.0 - q).clamp(0.5, 1.0 - 1e-12);
    (level.tail().ln() / rarer.ln()).ceil() as u64
}

/// `run`: of the batch means of whether values are at most the percentile; `share`: of those that are.
pub(crate) fn between_ranks(
    sorted: &[f64],
    q: f64,
    level: Level,
    share: f64,
    run: Option<(LongRun, usize)>,
) -> Option<Estimate> {
    let value = order::linear(sorted, q)?;
    let worth = worth(sorted.len() as f64, level, share, run);
    let needed = floor(q, level);
    if worth < needed as f64 {
        let support = Support::TooFew { needed };
        return Some(Estimate { value, interval: None, effective_samples: worth, support });
    }
    let scale = (sorted.len() as f64 + 1.0) / (worth + 1.0);
    let at = |chance: f64| order::at(sorted, fractional_rank(worth, q, chance) * scale - 1.0);
    let interval = Interval { low: at(1.0 - level.tail()).min(value), high: at(level.tail()).max(value) };
    Some(Estimate { value, interval: Some(interval), effective_samples: worth, support: Support::Enough })
}

/// The rank, counted from 1, whose order statistic of `samples` lies at or below the percentile with this chance.
fn fractional_rank(samples: f64, q: f64, chance: f64) -> f64 {
    bisect(1e-9, samples + 1.0 - 1e-9, |rank| beta_cdf(q, rank, samples + 1.0 - rank) > chance)
}

/// Independent samples, fewer if how few they are is not well known.
fn worth(count: f64, level: Level, share: f64, run: Option<(LongRun, usize)>) -> f64 {
    let Some((run, batches)) = run else { return count };
    let error = run.variance_of_mean(batches);
    let spread = share * (1.0 - share);
    if error <= 0.0 || spread <= 0.0 {
        return count;
    }
    let mut worth = spread / error;
    if !run.remembers {
        // An estimate that is cut off at the number of values is too low on average, by 0.4 of its spread, which follows from
        // the fourth moment of a share.
        let size = count / batches as f64;
        let excess = (1.0 - 6.0 * spread) / (size * spread);
        worth *= 1.0 + 0.4 * ((2.0 + excess).max(0.0) / batches as f64).sqrt();
    }
    // What is rare comes in clusters if values have memory, and the variance is known from as many clusters as there are.
    let clusters = CLUSTER_FREEDOM * worth * share.min(1.0 - share);
    let freedom = if run.remembers { run.freedom.min(clusters).max(1.0) } else { run.freedom };
    let tail = 1.0 - level.tail();
    let doubt = normal_quantile(tail) / student_t_quantile(tail, freedom);
    (worth * doubt * doubt).min(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_is_that_of_the_printed_tables() {
        // Two-sided, 95 %: 6 samples enclose the median, 72 the 95th percentile, 368 the 99th.
        assert_eq!([0.5, 0.95, 0.99, 0.01].map(|q| floor(q, Level::P95)), [6, 72, 368, 368]);
        assert_eq!([0.999, 0.9999].map(|q| floor(q, Level::P95)), [3688, 36_887]);
    }

    #[test]
    fn ranks_of_the_median_of_a_hundred_are_those_of_the_binomial() {
        // P(B <= 39) = 0.0176 and P(B <= 40) = 0.0284 for B of 100 fair coins: the rank lies between 40 and 41.
        let rank = fractional_rank(100.0, 0.5, 0.975);
        assert!((40.0..41.0).contains(&rank), "{rank}");
        let upper = fractional_rank(100.0, 0.5, 0.025);
        assert!((upper - (101.0 - rank)).abs() < 1e-6, "{upper}");
    }

    #[test]
    fn too_few_samples_are_said_to_be_too_few() {
        let series: Vec<f64> = (0..300).map(|i| f64::from(i * 7919 % 300)).collect();
        let rare = quantile(&series, 0.99, Level::P95).unwrap();
        assert_eq!((rare.interval, rare.support), (None, Support::TooFew { needed: 368 }));
        let median = quantile(&series, 0.5, Level::P95).unwrap();
        assert!(median.interval.unwrap().contains(149.5), "{median:?}");
        assert!(quantile(&[], 0.5, Level::P95).is_none());
    }

    #[test]
    fn values_that_are_all_alike_are_known_for_sure() {
        let estimate = quantile(&[128.0; 1000], 0.99, Level::P95).unwrap();
        assert_eq!(estimate.interval, Some(Interval { low: 128.0, high: 128.0 }));
    }
}
