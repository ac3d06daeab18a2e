//! The share of things of one kind among those that were looked at: the exact interval (Clopper and Pearson, "The use of
//! confidence or fiducial limits illustrated in the case of the binomial", 1934). Of none in n its upper end is 1 - tail^(1/n),
//! which at 95% on one side is about 3 / n ("rule of three"; Hanley and Lippman-Hand 1983).

use crate::distribution::{beta_cdf, bisect};
use crate::{Interval, Level};

/// `share` of `of` independent ones, which need not be whole numbers; each end holds with a chance of at least `1 - level.tail()`.
pub fn share(share: f64, of: f64, level: Level) -> Interval {
    let tail = level.tail();
    let count = (share * of).clamp(0.0, of);
    let quantile = |chance: f64, a: f64, b: f64| bisect(0.0, 1.0, |x| beta_cdf(x, a, b) < chance);
    // The binomial's tails are those of a beta distribution.
    let low = if count <= 0.0 { 0.0 } else { quantile(tail, count, of - count + 1.0) };
    let high = if count >= of { 1.0 } else { quantile(1.0 - tail, count + 1.0, of - count) };
    Interval { low: low.min(share), high: high.max(share) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_sided(percent: f64) -> Level {
        Level::new(1.0 - 2.0 * (1.0 - percent / 100.0)).unwrap()
    }

    #[test]
    fn none_in_three_hundred_is_less_than_one_percent() {
        let bound = |of: f64| share(0.0, of, one_sided(95.0)).high;
        assert!((bound(400.0) - (1.0 - 0.05_f64.powf(1.0 / 400.0))).abs() < 1e-9);
        assert!(bound(299.0) < 0.01 && bound(298.0) > 0.01);
        assert!(share(0.0, 100.0, Level::P95).low.abs() < f64::EPSILON);
    }

    #[test]
    fn the_interval_is_that_of_the_printed_tables() {
        // 10 of 100 at 95 %: 0.0490 to 0.1762.
        let interval = share(0.1, 100.0, Level::P95);
        assert!((interval.low - 0.0490).abs() < 5e-5 && (interval.high - 0.1762).abs() < 5e-5, "{interval:?}");
        let all = share(1.0, 20.0, Level::P95);
        assert!((all.high - 1.0).abs() < 1e-12 && (all.low - 0.8316).abs() < 5e-5, "{all:?}");
    }
}
