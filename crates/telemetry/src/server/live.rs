//! The values that were read last, for whoever shows them while the run lasts. Reading them takes no lock.

use std::sync::atomic::{AtomicU64, Ordering};

use super::engine::EngineMetric;

/// One value for each metric that operators look at, over the series of the endpoint that was read last: shares are averaged, all
/// others added.
#[derive(Debug)]
pub struct LiveServerMetrics {
    /// Bits of a float; not a number if there is no value.
    values: [AtomicU64; EngineMetric::ALL.len()],
}

impl Default for LiveServerMetrics {
    fn default() -> Self {
        Self { values: [const { AtomicU64::new(f64::NAN.to_bits()) }; EngineMetric::ALL.len()] }
    }
}

impl LiveServerMetrics {
    /// The last value of a gauge, or the last reading of a counter.
    pub fn get(&self, metric: EngineMetric) -> Option<f64> {
        let value = f64::from_bits(self.values[metric as usize].load(Ordering::Relaxed));
        (!value.is_nan()).then_some(value)
    }

    pub(crate) fn publish(&self, values: impl Iterator<Item = (EngineMetric, f64)>) {
        let mut sums = [(0.0, 0.0); EngineMetric::ALL.len()];
        for (metric, value) in values {
            let (sum, series) = &mut sums[metric as usize];
            *sum += value;
            *series += 1.0;
        }
        for (metric, (sum, series)) in EngineMetric::ALL.into_iter().zip(sums) {
            let value = if metric.is_share() { sum / series } else { sum };
            let value = if series > 0.0 { value } else { f64::NAN };
            self.values[metric as usize].store(value.to_bits(), Ordering::Relaxed);
        }
    }
}
