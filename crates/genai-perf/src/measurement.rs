//! The numbers of a finished run that `analyze` compares and a checkpoint keeps.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::error::GenaiPerfFileError;

const METRICS: [&str; 10] = [
    "time_to_first_token",
    "time_to_second_token",
    "request_latency",
    "inter_token_latency",
    "output_sequence_length",
    "input_sequence_length",
    "output_token_throughput",
    "output_token_throughput_per_user",
    "request_throughput",
    "request_count",
];
const STATISTICS: [&str; 13] =
    ["avg", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "min", "max", "std"];
const NANOS_PER_MS: f64 = 1e6;

/// By metric and statistic, `request_latency_p99` for example; times in nanoseconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measurement(BTreeMap<String, f64>);

impl Measurement {
    /// From the summary of a run by GenAI-Perf's definitions. `None` where nothing succeeded.
    pub fn read(path: &Path) -> Result<Option<Self>, GenaiPerfFileError> {
        let text = fs::read_to_string(path).map_err(GenaiPerfFileError::read(path))?;
        let summary: Value = serde_json::from_str(&text)
            .map_err(GenaiPerfFileError::not_json(path, "the run did not write its summary"))?;
        let mut values = BTreeMap::new();
        for (metric, statistic) in METRICS.iter().flat_map(|metric| STATISTICS.map(|statistic| (*metric, statistic))) {
            if let Some(value) = summary[metric][statistic].as_f64() {
                let scale = if summary[metric]["unit"] == "ms" { NANOS_PER_MS } else { 1.0 };
                values.insert(format!("{metric}_{statistic}"), value * scale);
            }
        }
        Ok(Some(Self(values)).filter(|measured| measured.0.contains_key("request_latency_avg")))
    }

    pub(crate) fn get(&self, key: &str) -> Option<f64> {
        self.0.get(key).copied()
    }

    /// A time in milliseconds.
    pub(crate) fn millis(&self, key: &str) -> Option<f64> {
        self.get(key).map(|nanos| nanos / NANOS_PER_MS)
    }

    /// As a checkpoint has it: each value with its name, and a time that nobody uses.
    pub(crate) fn to_json(&self, model: &str) -> Value {
        let record = |(name, value): (&String, &f64)| (name.clone(), json!([name, {"_value": value, "_timestamp": 0}]));
        let metrics: Map<String, Value> = self.0.iter().map(record).collect();
        json!({"_gpu_metrics": {}, "_model_config_measurements": {model: {"_perf_metrics": metrics}}})
    }

    pub(crate) fn from_json(measurement: &Value) -> Option<Self> {
        let models = measurement["_model_config_measurements"].as_object()?;
        let metrics = models.values().next()?["_perf_metrics"].as_object()?;
        let value = |(name, record): (&String, &Value)| Some((name.clone(), record[1]["_value"].as_f64()?));
        Some(Self(metrics.iter().filter_map(value).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_comes_back_from_a_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary.json");
        let summary = json!({"request_latency": {"unit": "ms", "avg": 2.5, "p99": 4.0}, "request_throughput": {"unit": "requests/sec", "avg": 80.0}});
        fs::write(&path, summary.to_string()).unwrap();
        let measured = Measurement::read(&path).unwrap().unwrap();
        assert_eq!(measured.get("request_latency_p99"), Some(4e6));
        assert_eq!(measured.millis("request_latency_avg"), Some(2.5));
        let stored = measured.to_json("m");
        let metrics = &stored["_model_config_measurements"]["m"]["_perf_metrics"];
        assert_eq!(
            metrics["request_throughput_avg"],
            json!(["request_throughput_avg", {"_value": 80.0, "_timestamp": 0}])
        );
        assert_eq!(Measurement::from_json(&stored), Some(measured));
        fs::write(&path, "{}").unwrap();
        assert_eq!(Measurement::read(&path).unwrap(), None);
    }
}
