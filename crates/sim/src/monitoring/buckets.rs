//! Histograms with vLLM's bucket bounds.

use aiperf_clock::Nanos;

/// Upper bounds of buckets, in the unit in which values are observed, and how many of these units are one of the page's.
#[derive(Debug)]
pub(crate) struct BucketBounds {
    /// In order.
    bounds: &'static [u64],
    per_unit: f64,
}

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;

/// Of the time to the first token.
pub(crate) static FIRST_TOKEN: BucketBounds = BucketBounds {
    bounds: &[
        MS,
        5 * MS,
        10 * MS,
        20 * MS,
        40 * MS,
        60 * MS,
        80 * MS,
        100 * MS,
        250 * MS,
        500 * MS,
        750 * MS,
        SECOND,
        2_500 * MS,
        5 * SECOND,
        7_500 * MS,
        10 * SECOND,
        20 * SECOND,
        40 * SECOND,
        80 * SECOND,
        160 * SECOND,
        640 * SECOND,
        2_560 * SECOND,
    ],
    per_unit: 1e9,
};

/// Of the time between tokens.
pub(crate) static INTER_TOKEN: BucketBounds = BucketBounds {
    bounds: &[
        10 * MS,
        25 * MS,
        50 * MS,
        75 * MS,
        100 * MS,
        150 * MS,
        200 * MS,
        300 * MS,
        400 * MS,
        500 * MS,
        750 * MS,
        SECOND,
        2_500 * MS,
        5 * SECOND,
        7_500 * MS,
        10 * SECOND,
        20 * SECOND,
        40 * SECOND,
        80 * SECOND,
    ],
    per_unit: 1e9,
};

/// Of requests and their parts.
pub(crate) static REQUEST: BucketBounds = BucketBounds {
    bounds: &[
        300 * MS,
        500 * MS,
        800 * MS,
        SECOND,
        1_500 * MS,
        2 * SECOND,
        2_500 * MS,
        5 * SECOND,
        10 * SECOND,
        15 * SECOND,
        20 * SECOND,
        30 * SECOND,
        40 * SECOND,
        50 * SECOND,
        60 * SECOND,
        120 * SECOND,
        240 * SECOND,
        480 * SECOND,
        960 * SECOND,
        1_920 * SECOND,
        7_680 * SECOND,
    ],
    per_unit: 1e9,
};

/// Of token counts.
pub(crate) static TOKENS: BucketBounds = BucketBounds {
    bounds: &[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000],
    per_unit: 1.0,
};

/// Counts of one histogram.
#[derive(Debug, Clone)]
pub(crate) struct BucketCounts {
    bounds: &'static BucketBounds,
    /// One for each bound and one for what lies above all of them. Not cumulative.
    counts: Vec<u64>,
    sum: u64,
}

impl BucketCounts {
    pub(crate) fn new(bounds: &'static BucketBounds) -> Self {
        Self { bounds, counts: vec![0; bounds.bounds.len() + 1], sum: 0 }
    }

    pub(crate) fn observe(&mut self, value: u64) {
        self.observe_times(value, 1);
    }

    pub(crate) fn observe_span(&mut self, span: Nanos) {
        self.observe(span.0);
    }

    pub(crate) fn observe_times(&mut self, value: u64, times: u64) {
        let bucket = self.bounds.bounds.partition_point(|bound| *bound < value);
        self.counts[bucket] += times;
        self.sum += value * times;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.sum += other.sum;
    }

    pub(crate) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// In the page's unit.
    pub(crate) fn sum(&self) -> f64 {
        self.sum as f64 / self.bounds.per_unit
    }

    /// Each bound with the number of values up to it, in the page's unit; without the last one, which has no bound.
    pub(crate) fn cumulative(&self) -> impl Iterator<Item = (f64, u64)> {
        self.bounds.bounds.iter().zip(&self.counts).scan(0, |total, (bound, count)| {
            *total += count;
            Some((*bound as f64 / self.bounds.per_unit, *total))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_on_a_bound_counts_below_it() {
        let mut counts = BucketCounts::new(&FIRST_TOKEN);
        for millis in [1, 2, 500, 9_000_000] {
            counts.observe_span(Nanos(millis * MS));
        }
        let cumulative: Vec<(f64, u64)> = counts.cumulative().collect();
        assert_eq!(&cumulative[..3], &[(0.001, 1), (0.005, 2), (0.01, 2)]);
        assert_eq!(cumulative.last(), Some(&(2560.0, 3)));
        assert_eq!((counts.count(), counts.sum()), (4, 9_000.503));
    }

    #[test]
    fn bounds_are_in_order() {
        for bounds in [&FIRST_TOKEN, &INTER_TOKEN, &REQUEST, &TOKENS] {
            assert!(bounds.bounds.is_sorted());
        }
    }
}
