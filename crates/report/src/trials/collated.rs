//! All requests of all trials as one population.

use aiperf_metrics::Percentile;
use serde_json::{Map, Value, json};

use super::{FailedRun, number};

/// Where the reference says in a sentence what the file is; ours.
const DESCRIPTION: &str = "Values of single requests, those of all runs together. The aggregate file next to it has statistics over the \
                           summaries of the runs instead.";

/// The percentiles that such a file has.
pub(crate) const PERCENTILES: [Percentile; 4] = [Percentile::P50, Percentile::P90, Percentile::P95, Percentile::P99];

#[derive(Debug, Clone, PartialEq)]
pub struct Collated {
    pub aiperf_version: String,
    pub run_labels: Vec<String>,
    pub failed: Vec<FailedRun>,
    pub cooldown_seconds: f64,
    pub metrics: Vec<CollatedMetric>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CollatedMetric {
    pub tag: String,
    pub mean: f64,
    /// Of a sample: divided by one less than the number of values.
    pub std: f64,
    /// In the order of 50, 90, 95, 99.
    pub percentiles: [f64; 4],
    pub count: usize,
    pub runs: Vec<RunMean>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RunMean {
    pub label: String,
    pub mean: f64,
    pub count: usize,
}

impl Collated {
    pub(super) fn json(&self) -> Value {
        let metrics: Map<String, Value> =
            self.metrics.iter().map(|metric| (metric.tag.clone(), metric.json())).collect();
        let runs = self.run_labels.len() + self.failed.len();
        json!({
            "schema_version": "1.0.0",
            "aiperf_version": self.aiperf_version,
            "description": DESCRIPTION,
            "metadata": {
                "aggregation_type": "detailed",
                "num_profile_runs": runs,
                "num_successful_runs": self.run_labels.len(),
                "failed_runs": self.failed.iter().map(FailedRun::json).collect::<Vec<_>>(),
                "run_labels": self.run_labels,
                "cooldown_seconds": number(self.cooldown_seconds),
            },
            "metrics": metrics,
        })
    }
}

impl CollatedMetric {
    fn json(&self) -> Value {
        let mut combined = Map::new();
        combined.insert("mean".to_owned(), number(self.mean));
        combined.insert("std".to_owned(), number(self.std));
        for (percentile, value) in PERCENTILES.iter().zip(self.percentiles) {
            combined.insert(percentile.name().to_owned(), number(value));
        }
        combined.insert("count".to_owned(), self.count.into());
        let of_run = |run: &RunMean| json!({"label": run.label, "mean": number(run.mean), "count": run.count});
        json!({"combined": combined, "per_run": self.runs.iter().map(of_run).collect::<Vec<_>>()})
    }
}
