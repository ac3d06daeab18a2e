//! The figures of a set of values.

use aiperf_stats::linear;
use serde::Serialize;

/// Of all values, with percentiles interpolated between neighbours and the deviation of the whole population.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Statistics {
    pub mean: f64,
    pub std_dev: f64,
    pub min: f64,
    pub p25: f64,
    pub median: f64,
    pub p75: f64,
    pub max: f64,
    pub p90: f64,
    pub p95: f64,
    pub p99: f64,
}

impl Statistics {
    /// `None` of no values.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        values.sort_by(f64::total_cmp);
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        Some(Self {
            mean,
            std_dev: variance.sqrt(),
            min: values[0],
            p25: percentile(&values, 0.25),
            median: percentile(&values, 0.5),
            p75: percentile(&values, 0.75),
            max: values[values.len() - 1],
            p90: percentile(&values, 0.9),
            p95: percentile(&values, 0.95),
            p99: percentile(&values, 0.99),
        })
    }
}

/// Of sorted values, at least one.
pub(crate) fn percentile(sorted: &[f64], share: f64) -> f64 {
    linear(sorted, share).unwrap_or(f64::NAN)
}
