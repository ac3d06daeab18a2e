//! Statistics over values: linear percentiles (rank q * (n - 1)), population standard deviation, sums that do not
//! depend on the order in which values came.

use aiperf_stats::at_rank;

/// The percentiles that summaries carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Percentile {
    P1,
    P5,
    P10,
    P25,
    P50,
    P75,
    P90,
    P95,
    P99,
    P99_9,
    P99_99,
}

impl Percentile {
    pub const COUNT: usize = 11;

    pub const ALL: [Self; Self::COUNT] = [
        Self::P1,
        Self::P5,
        Self::P10,
        Self::P25,
        Self::P50,
        Self::P75,
        Self::P90,
        Self::P95,
        Self::P99,
        Self::P99_9,
        Self::P99_99,
    ];

    /// Those that the reference's files have, in their order.
    pub const REFERENCE: [Self; 9] =
        [Self::P1, Self::P5, Self::P10, Self::P25, Self::P50, Self::P75, Self::P90, Self::P95, Self::P99];

    /// Those that stand after them.
    pub const RARE: [Self; 2] = [Self::P99_9, Self::P99_99];

    pub const fn name(self) -> &'static str {
        ["p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "p99_9", "p99_99"][self as usize]
    }

    pub(crate) const fn percent(self) -> f64 {
        [1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99][self as usize]
    }
}

/// Statistics of one metric. What a kind of metric does not carry is `None`; an error-adjusted one may be infinite.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stats {
    pub avg: Option<f64>,
    pub percentiles: [Option<f64>; Percentile::COUNT],
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub std: Option<f64>,
    pub count: Option<u64>,
    pub sum: Option<f64>,
}

impl Stats {
    /// A single number: all that aggregates and derived metrics carry.
    pub fn single(value: f64) -> Self {
        Self { avg: Some(value), ..Self::default() }
    }

    /// All statistics of the values; `None` when there are none.
    pub fn of(values: Vec<f64>) -> Option<Self> {
        Self::with_infinite(values, 0)
    }

    /// Statistics of the values and of `infinite` further ones that lie beyond all.
    pub fn with_infinite(mut values: Vec<f64>, infinite: u64) -> Option<Self> {
        values.sort_unstable_by(f64::total_cmp);
        Self::of_sorted(&values, infinite)
    }

    /// As above, of values that are in order.
    pub(crate) fn of_sorted(values: &[f64], infinite: u64) -> Option<Self> {
        let (min, max) = (*values.first()?, *values.last()?);
        let count = values.len() as u64 + infinite;
        let percentiles = Percentile::ALL.map(|p| Some(percentile(values, count, p.percent())));
        let finite = infinite == 0;
        let sum = compensated_sum(values.iter().copied());
        let avg = sum / values.len() as f64;
        let variance = compensated_sum(values.iter().map(|v| (v - avg) * (v - avg))) / values.len() as f64;
        Some(Self {
            avg: Some(if finite { avg } else { f64::INFINITY }),
            percentiles,
            min: Some(min),
            max: Some(if finite { max } else { f64::INFINITY }),
            std: finite.then(|| variance.sqrt()),
            count: Some(count),
            sum: Some(if finite { sum } else { f64::INFINITY }),
        })
    }

    /// Percentiles that summaries do not carry, by the same rule; `None` when there are no values.
    pub fn percentiles_of(mut values: Vec<f64>, percents: &[f64]) -> Option<Vec<f64>> {
        if values.is_empty() {
            return None;
        }
        values.sort_unstable_by(f64::total_cmp);
        Some(percents.iter().map(|percent| percentile(&values, values.len() as u64, *percent)).collect())
    }

    pub fn percentile(&self, percentile: Percentile) -> Option<f64> {
        self.percentiles[percentile as usize]
    }

    /// Every value turned by `convert` (the count is not a value).
    pub(crate) fn map(self, convert: impl Fn(f64) -> f64) -> Self {
        Self {
            avg: self.avg.map(&convert),
            percentiles: self.percentiles.map(|value| value.map(&convert)),
            min: self.min.map(&convert),
            max: self.max.map(&convert),
            std: self.std.map(&convert),
            count: self.count,
            sum: self.sum.map(&convert),
        }
    }
}

/// Of values in order, with further ones up to `count` that are infinite.
fn percentile(sorted: &[f64], count: u64, percent: f64) -> f64 {
    let value = |place: usize| sorted.get(place).copied().unwrap_or(f64::INFINITY);
    at_rank(value, percent / 100.0 * (count - 1) as f64)
}

/// Neumaier's sum: exact to the last bits, so that a run of millions does not drift.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CompensatedSum {
    sum: f64,
    lost: f64,
}

impl CompensatedSum {
    pub(crate) fn add(&mut self, value: f64) {
        let next = self.sum + value;
        self.lost += if self.sum.abs() >= value.abs() { (self.sum - next) + value } else { (value - next) + self.sum };
        self.sum = next;
    }

    pub(crate) fn value(&self) -> f64 {
        self.sum + self.lost
    }
}

pub(crate) fn compensated_sum(values: impl Iterator<Item = f64>) -> f64 {
    let mut sum = CompensatedSum::default();
    values.for_each(|value| sum.add(value));
    sum.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_interpolate_between_ranks() {
        let stats = Stats::of(vec![40.0, 10.0, 30.0, 20.0]).unwrap();
        assert_eq!(stats.percentile(Percentile::P50), Some(25.0));
        assert_eq!(stats.percentile(Percentile::P25), Some(17.5));
        assert_eq!((stats.min, stats.max, stats.sum, stats.count), (Some(10.0), Some(40.0), Some(100.0), Some(4)));
        assert!((stats.std.unwrap() - 125.0_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_single_value_is_all_its_percentiles() {
        let stats = Stats::of(vec![7.0]).unwrap();
        assert!(stats.percentiles.iter().all(|p| *p == Some(7.0)));
        assert_eq!(stats.std, Some(0.0));
    }

    #[test]
    fn failures_push_the_tail_to_infinity() {
        let stats = Stats::with_infinite(vec![1.0, 2.0, 3.0], 2).unwrap();
        assert_eq!(stats.percentile(Percentile::P50), Some(3.0));
        assert_eq!(stats.percentile(Percentile::P75), Some(f64::INFINITY));
        assert_eq!((stats.min, stats.avg, stats.std), (Some(1.0), Some(f64::INFINITY), None));
        assert_eq!(stats.count, Some(5));
    }

    #[test]
    fn sums_keep_what_plain_addition_loses() {
        let values = [1e16, 1.0, -1e16, 1.0];
        assert!((compensated_sum(values.into_iter()) - 2.0).abs() < f64::EPSILON);
    }

    proptest::proptest! {
        #[test]
        fn statistics_do_not_depend_on_order(mut values in proptest::collection::vec(0.0_f64..1e12, 1..200)) {
            let forward = Stats::of(values.clone());
            values.reverse();
            proptest::prop_assert_eq!(forward, Stats::of(values));
        }
    }
}
