//! What one series amounts to in a window.

use crate::series::{GaugeStatistics, HistogramIncrease, Window};

/// Statistics by the type of the metric.
#[derive(Debug, Clone, PartialEq)]
pub enum SeriesStatistics {
    /// Gauges, states, and metrics without a type.
    Gauge(GaugeStatistics),
    Counter {
        total: f64,
        /// Per second.
        rate: f64,
        /// Rates of the complete slices, if there are slices.
        slices: Option<RateSpread>,
    },
    Histogram(HistogramIncrease),
    Summary {
        count: f64,
        sum: f64,
        /// Quantiles as the server computed them last in the window: name and value.
        quantiles: Vec<(String, f64)>,
    },
}

/// How a rate varied from slice to slice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateSpread {
    pub avg: f64,
    pub min: f64,
    pub max: f64,
    /// With one slice fewer in the divisor; zero for one slice.
    pub std: f64,
}

impl RateSpread {
    pub(crate) fn new(rates: &[f64]) -> Option<Self> {
        let count = rates.len() as f64;
        let avg = rates.iter().sum::<f64>() / count;
        let min = rates.iter().copied().reduce(f64::min)?;
        let max = rates.iter().copied().reduce(f64::max)?;
        let squares: f64 = rates.iter().map(|rate| (rate - avg).powi(2)).sum();
        let std = if rates.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        Some(Self { avg, min, max, std })
    }
}

/// An amount per second of the window.
pub(crate) fn per_second(amount: f64, window: Window) -> f64 {
    let seconds = window.length().as_secs_f64();
    if seconds > 0.0 { amount / seconds } else { 0.0 }
}
