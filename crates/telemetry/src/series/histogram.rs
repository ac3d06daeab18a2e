//! What a histogram gained in a window, and percentiles estimated from its buckets.

/// The upper bound of a bucket.
#[derive(Debug, Clone, PartialEq)]
pub struct BucketBound {
    /// As the page writes it.
    pub text: String,
    /// Infinite for `+Inf`.
    pub value: f64,
}

impl BucketBound {
    pub fn parse(text: &str) -> Option<Self> {
        let value = text.parse().ok().filter(|value: &f64| !value.is_nan())?;
        Some(Self { text: text.to_owned(), value })
    }
}

/// Observations that fell into the window.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HistogramIncrease {
    pub count: f64,
    pub sum: f64,
    /// Cumulative counts, sorted by their bounds.
    pub buckets: Vec<(BucketBound, f64)>,
}

/// A percentile: a guess inside the bucket that has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PercentileEstimate {
    pub value: f64,
    /// The percentile is not below this.
    pub low: f64,
    /// The percentile is not above this; infinite in the last bucket.
    pub high: f64,
}

impl HistogramIncrease {
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }

    /// Multiplies all observations.
    pub fn scale(&mut self, factor: f64) {
        self.sum *= factor;
        for (bound, _) in &mut self.buckets {
            bound.value *= factor;
        }
    }

    /// The observations of both. Buckets whose bounds only one of them has are left out.
    pub fn merged(&self, other: &Self) -> Self {
        let buckets = self.buckets.iter().filter_map(|(bound, count)| {
            let (_, more) = other.buckets.iter().find(|(theirs, _)| theirs.value.total_cmp(&bound.value).is_eq())?;
            Some((bound.clone(), count + more))
        });
        Self { count: self.count + other.count, sum: self.sum + other.sum, buckets: buckets.collect() }
    }

    /// The percentile lies in the bucket whose cumulative count reaches it. In the bucket it is interpolated, with observations spread
    /// evenly around a mean that makes the sum come out right; in the last bucket, which has no upper bound, the mean of what the
    /// other buckets leave of the sum is taken.
    pub fn percentile(&self, percent: f64) -> Option<PercentileEstimate> {
        let total = self.buckets.last().map(|(_, count)| *count).filter(|total| *total > 0.0)?;
        let rank = total * percent / 100.0;
        let index = self.buckets.iter().position(|(_, count)| *count >= rank && *count > 0.0)?;
        let below = index.checked_sub(1).map(|index| &self.buckets[index]);
        let (bound, count) = &self.buckets[index];
        let below_count = below.map_or(0.0, |(_, count)| *count);
        // Observations of inference servers are not negative.
        let low = below.map_or(bound.value.min(0.0), |(bound, _)| bound.value);
        let high = bound.value;
        let value = if high.is_infinite() {
            self.mean_of_last_bucket(low, count - below_count)
        } else {
            let part = if *count > below_count { (rank - below_count) / (count - below_count) } else { 1.0 };
            let (half, lean) = ((high - low) / 2.0, self.lean());
            low + half * (1.0 + lean + (1.0 - lean.abs()) * (2.0 * part.clamp(0.0, 1.0) - 1.0))
        };
        value.is_finite().then_some(PercentileEstimate { value, low, high })
    }

    /// How far the means of buckets lie from their middles, as a share of half their width: -1 if all observations are at the lower
    /// bounds, 1 if all are at the upper ones. It follows from the sum, unless some observations are beyond the last bound.
    fn lean(&self) -> f64 {
        let (mut middles, mut room, mut before, mut below) = (0.0, 0.0, 0.0, None);
        for (bound, cumulative) in &self.buckets {
            let count = cumulative - before;
            if bound.value.is_infinite() {
                return if count > 0.0 || room <= 0.0 { 0.0 } else { ((self.sum - middles) / room).clamp(-1.0, 1.0) };
            }
            let low = below.unwrap_or(bound.value.min(0.0));
            middles += count * f64::midpoint(low, bound.value);
            room += count * (bound.value - low) / 2.0;
            (before, below) = (*cumulative, Some(bound.value));
        }
        0.0
    }

    fn mean_of_last_bucket(&self, low: f64, count: f64) -> f64 {
        let (mut sum, mut before, mut below) = (0.0, 0.0, None);
        for (bound, cumulative) in self.buckets.iter().filter(|(bound, _)| bound.value.is_finite()) {
            sum += (cumulative - before) * f64::midpoint(below.unwrap_or(bound.value.min(0.0)), bound.value);
            (before, below) = (*cumulative, Some(bound.value));
        }
        if count > 0.0 { ((self.sum - sum) / count).max(low) } else { low }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn increase(buckets: &[(&str, f64)], sum: f64) -> HistogramIncrease {
        let buckets: Vec<_> =
            buckets.iter().map(|(bound, count)| (BucketBound::parse(bound).unwrap(), *count)).collect();
        HistogramIncrease { count: buckets.last().map_or(0.0, |(_, count)| *count), sum, buckets }
    }

    #[test]
    fn a_percentile_is_interpolated_in_its_bucket_and_bounded_by_it() {
        let increase = increase(&[("1", 0.0), ("2", 50.0), ("4", 100.0), ("+Inf", 100.0)], 50.0 * 1.5 + 50.0 * 3.0);
        let median = increase.percentile(50.0).unwrap();
        assert_eq!(median, PercentileEstimate { value: 2.0, low: 1.0, high: 2.0 });
        let p75 = increase.percentile(75.0).unwrap();
        assert_eq!(p75, PercentileEstimate { value: 3.0, low: 2.0, high: 4.0 });
        assert_eq!(increase.mean(), Some(2.25));
    }

    #[test]
    fn percentiles_agree_with_the_sum() {
        let zero = increase(&[("0.3", 40.0), ("+Inf", 40.0)], 0.0);
        assert_eq!(zero.percentile(99.0).map(|p99| p99.value), Some(0.0), "nothing took any time");
        let narrow = increase(&[("20", 0.0), ("40", 10.0), ("+Inf", 10.0)], 10.0 * 22.0);
        for (percent, expected) in [(0.0, 20.0), (50.0, 22.0), (100.0, 24.0)] {
            let value = narrow.percentile(percent).unwrap().value;
            assert!((value - expected).abs() < 1e-9, "p{percent}: {value}");
        }
    }

    #[test]
    fn what_is_beyond_the_last_bound_is_estimated_from_the_sum() {
        let increase = increase(&[("1", 50.0), ("+Inf", 100.0)], 25.0 + 50.0 * 7.0);
        let p99 = increase.percentile(99.0).unwrap();
        assert!((p99.value - 7.0).abs() < 1e-9 && p99.low == 1.0 && p99.high.is_infinite(), "{p99:?}");
    }

    #[test]
    fn an_empty_histogram_has_no_percentiles() {
        assert_eq!(increase(&[("1", 0.0), ("+Inf", 0.0)], 0.0).percentile(50.0), None);
        assert_eq!(HistogramIncrease::default().percentile(50.0), None);
        assert_eq!(BucketBound::parse("wide"), None);
    }
}
