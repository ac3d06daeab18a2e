//! The share of right answers: the interval of Wilson ("Probable inference, the law of succession, and statistical inference", 1927),
//! and the exact test of `McNemar` for two shares of the same questions (`McNemar` 1947; as a binomial test).

use crate::distribution::normal_quantile;
use crate::{Interval, Level};

/// The interval of the share of `right` among `of` answers; `None` without answers.
pub fn wilson(right: u64, of: u64, level: Level) -> Option<Interval> {
    if of == 0 || right > of {
        return None;
    }
    let (share, n) = (right as f64 / of as f64, of as f64);
    let z = normal_quantile(1.0 - level.tail());
    let square = z * z;
    let middle = share + square / (2.0 * n);
    let reach = z * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    let scale = 1.0 + square / n;
    // At the ends the formula gives 0 and 1 up to a rounding error.
    let low = if right == 0 { 0.0 } else { (middle - reach) / scale };
    let high = if right == of { 1.0 } else { (middle + reach) / scale };
    Some(Interval { low, high })
}

/// How probable it is that two equally good systems differ on the same questions at least this much. `only_first` questions only the
/// first one answers right, `only_second` only the second one. Questions that both answer alike say nothing.
pub fn mcnemar(only_first: u64, only_second: u64) -> f64 {
    let differing = only_first + only_second;
    let fewer = only_first.min(only_second);
    // The lower tail of a fair coin, from logarithms so that thousands of questions do not underflow.
    let mut log_term = -(differing as f64) * std::f64::consts::LN_2;
    let mut tail = log_term.exp();
    for k in 0..fewer {
        log_term += ((differing - k) as f64).ln() - ((k + 1) as f64).ln();
        tail += log_term.exp();
    }
    (2.0 * tail).min(1.0)
}

/// How two systems answered the same questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairedCounts {
    pub both: u64,
    pub only_first: u64,
    pub only_second: u64,
    pub neither: u64,
}

impl PairedCounts {
    pub fn total(&self) -> u64 {
        self.both + self.only_first + self.only_second + self.neither
    }

    /// The share of right answers of the first system.
    pub fn first(&self) -> f64 {
        (self.both + self.only_first) as f64 / self.total() as f64
    }

    /// The share of right answers of the second system.
    pub fn second(&self) -> f64 {
        (self.both + self.only_second) as f64 / self.total() as f64
    }

    /// The interval of the difference, second minus first (Newcombe, "Improved confidence intervals for the difference between binomial
    /// proportions based on paired data", 1998, method 10); `None` without questions.
    pub fn difference(&self, level: Level) -> Option<Interval> {
        let n = self.total();
        let first = wilson(self.both + self.only_first, n, level)?;
        let second = wilson(self.both + self.only_second, n, level)?;
        let phi = self.correlation();
        let reach = |a: f64, b: f64| (a * a - 2.0 * phi * a * b + b * b).max(0.0).sqrt();
        let change = self.second() - self.first();
        let below = reach(self.second() - second.low, first.high - self.first());
        let above = reach(self.first() - first.low, second.high - self.second());
        Some(Interval { low: change - below, high: change + above })
    }

    /// The correlation of the two answers to a question, with Newcombe's correction for continuity.
    fn correlation(&self) -> f64 {
        let [both, first, second, neither] =
            [self.both, self.only_first, self.only_second, self.neither].map(|count| count as f64);
        let spread = ((both + first) * (second + neither) * (both + second) * (first + neither)).sqrt();
        if spread == 0.0 {
            return 0.0;
        }
        let product = both * neither - first * second;
        let corrected = if product > 0.0 { (product - self.total() as f64 / 2.0).max(0.0) } else { product };
        corrected / spread
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_paired_difference_is_that_of_newcombes_table() {
        // Newcombe 1998, table III, method 10. His difference is first minus second.
        for ((both, only_first, only_second, neither), low, high) in
            [((36, 12, 2, 0), 0.0569, 0.3404), ((54, 0, 0, 0), -0.0664, 0.0664), ((20, 12, 2, 16), 0.0562, 0.3292)]
        {
            let counts = PairedCounts { both, only_first, only_second, neither };
            let interval = counts.difference(Level::P95).unwrap();
            let found = (-interval.high, -interval.low);
            assert!((found.0 - low).abs() < 5e-4 && (found.1 - high).abs() < 5e-4, "{counts:?}: {found:?}");
        }
        assert_eq!(PairedCounts::default().difference(Level::P95), None);
    }

    #[test]
    fn wilsons_interval_is_that_of_newcombes_table() {
        // Newcombe 1998, table I, method 3: 81/263, 15/148, 0/20, 1/29.
        for (right, of, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let interval = wilson(right, of, Level::P95).unwrap();
            assert!(
                (interval.low - low).abs() < 5e-5 && (interval.high - high).abs() < 5e-5,
                "{right}/{of}: {interval:?}"
            );
        }
        assert_eq!(wilson(0, 0, Level::P95), None);
        assert!((wilson(20, 20, Level::P95).unwrap().high - 1.0).abs() < 1e-12);
    }

    #[test]
    fn mcnemars_test_is_the_binomial_test_of_the_differing_questions() {
        // 2 * (1 + 10 + 45) / 2^10, and 2 * (1 + 6) / 2^6.
        for (first, second, expected) in
            [(2, 8, 0.109_375), (8, 2, 0.109_375), (1, 5, 0.218_75), (0, 0, 1.0), (5, 5, 1.0), (0, 10, 0.001_953_125)]
        {
            assert!(
                (mcnemar(first, second) - expected).abs() < 1e-12,
                "{first} and {second}: {}",
                mcnemar(first, second)
            );
        }
    }

    #[test]
    fn thousands_of_questions_do_not_underflow() {
        // The normal approximation of 2,000 differing questions with 900 against 1,100 is 4.47 standard deviations.
        let p = mcnemar(900, 1_100);
        assert!((6e-6..1.1e-5).contains(&p), "{p}");
        assert!(mcnemar(100, 9_000) < 1e-300);
    }
}
