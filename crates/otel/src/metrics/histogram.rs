//! A histogram with fixed bounds that counts from the start of the run.

use crate::message::{HistogramPoint, KeyValue};

#[derive(Debug, Clone)]
pub(crate) struct BucketHistogram {
    bounds: &'static [f64],
    counts: Vec<u64>,
    count: u64,
    sum: f64,
    min: f64,
    max: f64,
}

impl BucketHistogram {
    pub(crate) fn new(bounds: &'static [f64]) -> Self {
        Self {
            bounds,
            counts: vec![0; bounds.len() + 1],
            count: 0,
            sum: 0.0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        }
    }

    /// A value that is not a number is left out, because a sum would never recover from it.
    pub(crate) fn note(&mut self, value: f64) {
        if !value.is_finite() {
            return;
        }
        // A bound belongs to the bucket below it.
        let bucket = self.bounds.partition_point(|bound| *bound < value);
        self.counts[bucket] += 1;
        self.count += 1;
        self.sum += value;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    pub(crate) fn point(&self, start_ns: u64, time_ns: u64, attributes: Vec<KeyValue>) -> HistogramPoint {
        let known = self.count > 0;
        HistogramPoint {
            start_ns,
            time_ns,
            count: self.count,
            sum: Some(self.sum),
            bucket_counts: self.counts.clone(),
            bounds: self.bounds.to_vec(),
            attributes,
            min: known.then_some(self.min),
            max: known.then_some(self.max),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BOUNDS: &[f64] = &[1.0, 2.0];

    #[test]
    fn a_value_on_a_bound_is_below_it() {
        let mut histogram = BucketHistogram::new(BOUNDS);
        for value in [0.5, 1.0, 1.5, 2.0, 2.5, f64::NAN] {
            histogram.note(value);
        }
        let point = histogram.point(1, 2, Vec::new());
        assert_eq!(point.bucket_counts, [2, 2, 1]);
        assert_eq!((point.count, point.sum, point.min, point.max), (5, Some(7.5), Some(0.5), Some(2.5)));
    }

    proptest! {
        #[test]
        fn every_value_is_in_one_bucket(values in prop::collection::vec(-10.0..10.0f64, 0..50)) {
            let mut histogram = BucketHistogram::new(BOUNDS);
            for value in &values {
                histogram.note(*value);
            }
            let point = histogram.point(0, 0, Vec::new());
            prop_assert_eq!(point.bucket_counts.iter().sum::<u64>(), values.len() as u64);
            prop_assert_eq!(point.count, values.len() as u64);
        }
    }
}
