//! One configuration of a sweep and the summaries of its runs.

use serde_json::{Map, Value, json};

use crate::sweep::figure::Figure;

/// Metrics with the statistics of them that are drawn.
const DRAWN: [(&str, &[&str]); 12] = [
    ("request_throughput", &["avg"]),
    ("output_token_throughput", &["avg"]),
    ("output_token_throughput_per_user", &["avg", "p50"]),
    ("goodput", &["avg"]),
    ("good_request_fraction", &["avg"]),
    ("request_error_rate", &["avg"]),
    ("time_to_first_token", &["avg", "p50", "p90", "p95", "p99"]),
    ("inter_token_latency", &["avg", "p50", "p90", "p95", "p99"]),
    ("request_latency", &["avg", "p50", "p90", "p95", "p99"]),
    ("effective_concurrency", &["avg"]),
    ("cost_per_million_output_tokens", &["avg"]),
    ("nvidia_energy_per_output_token", &["avg"]),
];

#[derive(Debug)]
pub(crate) struct SweepCell {
    name: String,
    /// By the short name of the parameter.
    pub(crate) values: Map<String, Value>,
    summaries: Vec<Value>,
    failed: usize,
}

/// The part of a parameter's path that people know it by: `concurrency`, and `isl` for the mean of a distribution.
fn short_name(path: &str) -> &str {
    let path = path.strip_suffix(".mean").unwrap_or(path);
    path.rsplit('.').next().unwrap_or(path)
}

impl SweepCell {
    pub(crate) fn new(name: &str, values: &Map<String, Value>) -> Self {
        let values = values.iter().map(|(path, value)| (short_name(path).to_owned(), value.clone())).collect();
        Self { name: name.to_owned(), values, summaries: Vec::new(), failed: 0 }
    }

    pub(crate) fn add(&mut self, summary: Option<Value>) {
        match summary {
            Some(summary) => self.summaries.push(summary),
            None => self.failed += 1,
        }
    }

    fn label(&self) -> String {
        if self.values.is_empty() {
            return self.name.clone();
        }
        let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
        self.values.iter().map(|(name, value)| format!("{name} {}", plain(value))).collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn json(&self) -> Value {
        let mut figures = Map::new();
        for (tag, statistics) in DRAWN {
            for statistic in statistics {
                let key = if *statistic == "avg" { tag.to_owned() } else { format!("{tag}_{statistic}") };
                if let Some(figure) = self.figure(tag, statistic) {
                    figures.insert(key, figure.json());
                }
            }
        }
        for (key, value) in self.of_server() {
            figures.insert(key.to_owned(), value.json());
        }
        if let (Some(gpus), Some(tokens)) = (self.gpus(), self.figure("output_token_throughput", "avg")) {
            let each = |value: f64| value / gpus;
            let interval = tokens.interval.map(|(low, high)| (each(low), each(high)));
            let per_gpu = Figure { mean: each(tokens.mean), interval };
            figures.insert("output_token_throughput_per_gpu".to_owned(), per_gpu.json());
        }
        json!({
            "label": self.label(),
            "name": self.name,
            "values": self.values,
            "runs": self.summaries.len(),
            "failed_runs": self.failed,
            "incomplete_runs": self.summaries.iter().filter(|summary| summary["is_complete"] == false).count(),
            "warnings": self.warnings(),
            "offered": self.offered(),
            "gpus": self.gpus(),
            "counts": self.counts(),
            "figures": figures,
        })
    }

    fn figure(&self, tag: &str, statistic: &str) -> Option<Figure> {
        let values: Vec<f64> = self.summaries.iter().filter_map(|summary| summary[tag][statistic].as_f64()).collect();
        let own = self.summaries.first().and_then(|summary| {
            let interval = &summary[tag]["ci"][statistic];
            Some((interval[0].as_f64()?, interval[1].as_f64()?))
        });
        Figure::of(&values, own)
    }

    /// Queue and KV cache, as the engine reported them.
    fn of_server(&self) -> Vec<(&'static str, Figure)> {
        let wanted = [
            ("kv_cache_usage", "kv_cache_usage", "avg"),
            ("kv_cache_usage_max", "kv_cache_usage", "max"),
            ("waiting_requests", "waiting_requests", "avg"),
            ("running_requests", "running_requests", "avg"),
        ];
        let read = |metric: &str, statistic: &str| {
            let values: Vec<f64> = self
                .summaries
                .iter()
                .filter_map(|summary| summary["server_metrics"]["engines"][0]["metrics"][metric][statistic].as_f64())
                .collect();
            Figure::of(&values, None)
        };
        wanted.iter().filter_map(|(key, metric, statistic)| Some((*key, read(metric, statistic)?))).collect()
    }

    /// GPUs whose telemetry was read.
    fn gpus(&self) -> Option<f64> {
        let endpoints = self.summaries.first()?["telemetry_data"]["endpoints"].as_object()?;
        let count: usize = endpoints.values().filter_map(|endpoint| Some(endpoint["gpus"].as_object()?.len())).sum();
        (count > 0).then_some(count as f64)
    }

    /// Requests per second that were asked for, if a rate was.
    fn offered(&self) -> Option<f64> {
        let phases = self.summaries.first()?["input_config"]["phases"].as_array()?;
        let phase = phases.iter().find(|phase| phase["kind"] == "profiling").or(phases.last())?;
        phase["rate"].as_f64().or_else(|| phase["request_rate"].as_f64())
    }

    /// Requests by how they ended, over all runs.
    fn counts(&self) -> Value {
        let sum = |tag: &str| -> f64 { self.summaries.iter().filter_map(|summary| summary[tag]["avg"].as_f64()).sum() };
        json!({
            "succeeded": sum("request_count"),
            "failed": sum("error_request_count"),
            "cut_off": sum("cancelled_request_count"),
        })
    }

    fn warnings(&self) -> Vec<&str> {
        let notes = self.summaries.iter().filter_map(|summary| summary["validity"].as_array()).flatten();
        let warnings = notes.filter(|note| note["severity"] == "warning").filter_map(|note| note["code"].as_str());
        let mut codes: Vec<&str> = warnings.collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_the_names_that_people_know() {
        assert_eq!(short_name("phases.profiling.concurrency"), "concurrency");
        assert_eq!(short_name("datasets.0.prompts.isl.mean"), "isl");
        assert_eq!(short_name("rate"), "rate");
    }
}
