//! Percentiles beyond those that every summary has, for those who ask.

use std::collections::HashMap;

use aiperf_metrics::{Metric, Stats};

#[derive(Debug, Clone, Default)]
pub struct AskedPercentiles {
    percents: Vec<f64>,
    values: HashMap<Metric, Vec<f64>>,
}

impl AskedPercentiles {
    /// `percents` between 0 and 100.
    pub fn new(percents: Vec<f64>) -> Self {
        Self { percents, values: HashMap::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.percents.is_empty()
    }

    /// Computes them for one metric from its values, in the unit that is shown.
    pub fn note(&mut self, metric: Metric, values: Vec<f64>) {
        if let Some(found) = Stats::percentiles_of(values, &self.percents) {
            self.values.insert(metric, found);
        }
    }

    /// As files call them: `p99.9`.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        self.percents.iter().map(|percent| format!("p{percent}"))
    }

    pub(crate) fn values_of(&self, metric: Metric) -> &[f64] {
        self.values.get(&metric).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn named(&self, metric: Metric) -> Vec<(String, f64)> {
        self.names().zip(self.values_of(metric).iter().copied()).collect()
    }
}
