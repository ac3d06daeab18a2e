//! Counts of values in buckets that grow with the value: percentiles with a known error in little memory.

use crate::snapshot::{HistogramBin, Percentiles};

/// Bits of the mantissa that choose a bucket: 64 buckets for each doubling.
const BITS: u32 = 6;
/// A bucket is at most 1/64 of its value wide, and its middle is shown: the error is at most half of that.
pub const ERROR_OF_PERCENTILES: f64 = 0.5 / 64.0;

/// Counts of positive values; those of one metric span few doublings, so the buckets start at the smallest that is used.
#[derive(Debug, Clone, Default)]
struct BucketRow {
    first: u64,
    counts: Vec<u64>,
}

impl BucketRow {
    fn add(&mut self, bucket: u64, count: u64) {
        if self.counts.is_empty() {
            self.first = bucket;
        }
        if bucket < self.first {
            let missing = (self.first - bucket) as usize;
            self.counts.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = bucket;
        }
        let index = (bucket - self.first) as usize;
        if index >= self.counts.len() {
            self.counts.resize(index + 1, 0);
        }
        self.counts[index] += count;
    }

    fn filled(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> {
        let of = |(index, count): (usize, &u64)| (*count > 0).then_some((self.first + index as u64, *count));
        self.counts.iter().enumerate().filter_map(of)
    }
}

fn bucket(value: f64) -> u64 {
    value.to_bits() >> (f64::MANTISSA_DIGITS - 1 - BITS)
}

fn lower_edge(bucket: u64) -> f64 {
    f64::from_bits(bucket << (f64::MANTISSA_DIGITS - 1 - BITS))
}

fn middle(bucket: u64) -> f64 {
    f64::midpoint(lower_edge(bucket), lower_edge(bucket + 1))
}

/// Values of one metric. Count, sum, smallest and largest are exact; percentiles are exact to 1 %.
#[derive(Debug, Clone, Default)]
pub struct LogHistogram {
    positive: BucketRow,
    /// By their absolute value.
    negative: BucketRow,
    zeros: u64,
    count: u64,
    sum: f64,
    sum_of_squares: f64,
    min: f64,
    max: f64,
}

impl LogHistogram {
    /// Values that are not finite are left out.
    pub fn add(&mut self, value: f64) {
        if !value.is_finite() {
            return;
        }
        if value > 0.0 {
            self.positive.add(bucket(value), 1);
        } else if value < 0.0 {
            self.negative.add(bucket(-value), 1);
        } else {
            self.zeros += 1;
        }
        (self.min, self.max) =
            if self.count == 0 { (value, value) } else { (self.min.min(value), self.max.max(value)) };
        self.count += 1;
        self.sum += value;
        self.sum_of_squares += value * value;
    }

    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        other.positive.filled().for_each(|(bucket, count)| self.positive.add(bucket, count));
        other.negative.filled().for_each(|(bucket, count)| self.negative.add(bucket, count));
        self.zeros += other.zeros;
        (self.min, self.max) =
            if self.count == 0 { (other.min, other.max) } else { (self.min.min(other.min), self.max.max(other.max)) };
        self.count += other.count;
        self.sum += other.sum;
        self.sum_of_squares += other.sum_of_squares;
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn sum(&self) -> f64 {
        self.sum
    }

    pub fn min(&self) -> f64 {
        self.min
    }

    pub fn max(&self) -> f64 {
        self.max
    }

    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    pub fn std(&self) -> f64 {
        let mean = self.mean();
        let variance = self.sum_of_squares / self.count.max(1) as f64 - mean * mean;
        variance.max(0.0).sqrt()
    }

    /// The values below which these shares of all values lie, for ascending shares; empty without values.
    pub fn quantiles<const N: usize>(&self, shares: [f64; N]) -> Option<[f64; N]> {
        if self.count == 0 {
            return None;
        }
        let negatives = self.negative.filled().rev().map(|(bucket, count)| (-middle(bucket), count));
        let zeros = std::iter::once((0.0, self.zeros));
        let positives = self.positive.filled().map(|(bucket, count)| (middle(bucket), count));
        let mut found = [self.max; N];
        let (mut next, mut seen) = (0, 0);
        for (value, count) in negatives.chain(zeros).chain(positives) {
            seen += count;
            while next < N && seen as f64 >= (shares[next] * self.count as f64).ceil().max(1.0) {
                found[next] = value.clamp(self.min, self.max);
                next += 1;
            }
            if next == N {
                break;
            }
        }
        Some(found)
    }

    /// Median and 99th percentile, times `scale`.
    pub fn percentiles(&self, scale: f64) -> Option<Percentiles> {
        self.quantiles([0.5, 0.99]).map(|[p50, p99]| Percentiles { p50: p50 * scale, p99: p99 * scale })
    }

    /// At most `most` bins of equal ratio that hold all positive values, with edges times `scale`.
    pub fn bins(&self, most: usize, scale: f64) -> Vec<HistogramBin> {
        let (Some(first), Some(last)) = (self.positive.filled().next(), self.positive.filled().next_back()) else {
            return Vec::new();
        };
        let (first, last) = (first.0, last.0 + 1);
        let step = (last - first).div_ceil(most.max(1) as u64).max(1);
        let mut bins: Vec<HistogramBin> = (0..(last - first).div_ceil(step))
            .map(|index| {
                let edge = |index: u64| lower_edge(first + index * step) * scale;
                HistogramBin { from_ms: edge(index), to_ms: edge(index + 1), count: 0 }
            })
            .collect();
        for (bucket, count) in self.positive.filled() {
            bins[((bucket - first) / step) as usize].count += count;
        }
        bins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = f64>) -> LogHistogram {
        let mut histogram = LogHistogram::default();
        values.into_iter().for_each(|value| histogram.add(value));
        histogram
    }

    #[test]
    fn percentiles_are_within_one_percent_over_many_decades() {
        for scale in [1e-6, 0.3, 1.0, 1e3, 7e9] {
            let values: Vec<f64> = (1..=10_000).map(|n| f64::from(n) * scale).collect();
            let histogram = of(values.iter().copied());
            for share in [0.01, 0.25, 0.5, 0.9, 0.99, 1.0] {
                let exact = values[(share * 10_000.0_f64).ceil() as usize - 1];
                let [shown] = histogram.quantiles([share]).unwrap();
                assert!((shown - exact).abs() <= 0.01 * exact, "{share} of {scale}: {shown}, exact {exact}");
            }
            assert!((histogram.mean() - 5_000.5 * scale).abs() < 1e-6 * scale * 5_000.0);
        }
    }

    #[test]
    fn negative_values_and_zeros_keep_their_order() {
        let histogram = of([-4.0, -2.0, 0.0, 0.0, 8.0, f64::NAN, f64::INFINITY]);
        assert_eq!((histogram.count(), histogram.min(), histogram.max()), (5, -4.0, 8.0));
        let [low, middle, high] = histogram.quantiles([0.2, 0.5, 1.0]).unwrap();
        assert!((low + 4.0).abs() < 0.04 && middle.abs() < f64::EPSILON && (high - 8.0).abs() < 0.08);
    }

    #[test]
    fn merging_is_the_same_as_adding_all() {
        let (mut left, right) = (of([5.0, 900.0]), of([0.001, 7.0, -3.0]));
        left.merge(&right);
        let whole = of([5.0, 900.0, 0.001, 7.0, -3.0]);
        assert_eq!(left.quantiles([0.2, 0.5, 0.99]), whole.quantiles([0.2, 0.5, 0.99]));
        assert_eq!((left.count(), left.min(), left.max()), (whole.count(), whole.min(), whole.max()));
        assert!(LogHistogram::default().quantiles([0.5]).is_none());
    }

    #[test]
    fn bins_hold_every_value_once() {
        let histogram = of((1..=1_000).map(f64::from));
        let bins = histogram.bins(20, 1.0);
        assert!(bins.len() <= 20);
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 1_000);
        assert!(bins.windows(2).all(|pair| (pair[0].to_ms - pair[1].from_ms).abs() < 1e-9));
        assert!(bins[0].from_ms <= 1.0 && bins.last().unwrap().to_ms > 1_000.0);
    }
}
