//! The requests of all runs as one population: what is said of the whole is what its parts make.

use std::path::Path;

use serde_json::Value;

use super::aggregate::listed;
use super::{CollectionCheck, differ};
use crate::schema::Shape;

impl CollectionCheck<'_> {
    pub(super) fn collated(&mut self, path: &Path) {
        let Some(value) = self.json(path, Shape::Collated) else { return };
        self.counts(path, &value["metadata"]);
        let labels = &value["metadata"]["run_labels"];
        let metrics = value["metrics"].as_object().into_iter().flatten();
        let problems = metrics.flat_map(|(tag, metric)| problems_of(tag, metric, labels)).collect();
        self.find_some(path, problems);
    }
}

fn problems_of(tag: &str, metric: &Value, labels: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let (mut count, mut sum) = (0, 0.0);
    for run in listed(&metric["per_run"]) {
        if !listed(labels).any(|label| *label == run["label"]) {
            problems.push(format!("/metrics/{tag}/per_run: {} is none of the runs", run["label"]));
        }
        let of_run = run["count"].as_u64().unwrap_or(0);
        count += of_run;
        sum += run["mean"].as_f64().unwrap_or(0.0) * of_run as f64;
    }
    let combined = &metric["combined"];
    if combined["count"].as_u64() != Some(count) {
        problems.push(format!("/metrics/{tag}/combined/count is {}, the runs have {count}", combined["count"]));
    } else if let Some(mean) = combined["mean"].as_f64().filter(|mean| differ(*mean, sum / count as f64)) {
        problems.push(format!("/metrics/{tag}/combined/mean is {mean}, the runs give {}", sum / count as f64));
    }
    let percentiles = ["p50", "p90", "p95", "p99"].map(|name| combined[name].as_f64());
    if !percentiles.is_sorted() {
        problems.push(format!("/metrics/{tag}/combined: percentiles are not in order"));
    }
    problems
}
