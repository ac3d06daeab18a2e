//! The metrics of the current phase: `GET /api/metrics`, and the `realtime_metrics` message.

use aiperf_live::{LiveRun, MetricRow, RunFacts, Snapshot};
use axum::Json;
use axum::extract::State;
use serde_json::{Map, Value, json};

use super::Shared;

/// One metric, as the reference writes it. Metrics of the whole phase have one value, `avg`.
#[derive(Debug, Clone)]
pub(crate) struct LiveMetric {
    pub(crate) tag: String,
    pub(crate) header: String,
    pub(crate) unit: &'static str,
    /// Name and value of each statistic, in the reference's order.
    pub(crate) statistics: Vec<(&'static str, f64)>,
    pub(crate) count: u64,
}

impl LiveMetric {
    fn of_records(row: &MetricRow) -> Self {
        let statistics = vec![
            ("avg", row.avg),
            ("p1", row.p1),
            ("p5", row.p5),
            ("p10", row.p10),
            ("p25", row.p25),
            ("p50", row.p50),
            ("p75", row.p75),
            ("p90", row.p90),
            ("p95", row.p95),
            ("p99", row.p99),
            ("min", row.min),
            ("max", row.max),
            ("std", row.std),
            ("sum", row.sum),
        ];
        Self { tag: row.tag.to_owned(), header: row.header.to_owned(), unit: row.unit, statistics, count: row.count }
    }

    fn of_phase(tag: &str, header: &str, unit: &'static str, value: f64) -> Self {
        let (tag, header) = (tag.to_owned(), header.to_owned());
        Self { tag, header, unit, statistics: vec![("avg", value)], count: 1 }
    }

    pub(crate) fn statistic(&self, name: &str) -> Option<f64> {
        self.statistics.iter().find_map(|(known, value)| (*known == name).then_some(*value))
    }

    pub(crate) fn to_json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("unit".to_owned(), json!(self.unit));
        let (before, after): (Vec<_>, Vec<_>) = self.statistics.iter().partition(|(name, _)| *name != "sum");
        map.extend(before.into_iter().map(|(name, value)| ((*name).to_owned(), json!(value))));
        map.insert("count".to_owned(), json!(self.count));
        map.extend(after.into_iter().map(|(name, value)| ((*name).to_owned(), json!(value))));
        map.insert("header".to_owned(), json!(self.header));
        map
    }
}

pub(crate) fn all(snapshot: &Snapshot) -> Vec<LiveMetric> {
    let mut all: Vec<LiveMetric> = snapshot.metrics.iter().map(LiveMetric::of_records).collect();
    let Some(phase) = snapshot.current_phase() else { return all };
    let headline = &snapshot.headline;
    let mut put = |tag: &str, header: &str, unit: &'static str, value: Option<f64>| {
        // What the live model knows as a row stays.
        if let Some(value) = value.filter(|_| !all.iter().any(|known| known.tag == tag)) {
            all.push(LiveMetric::of_phase(tag, header, unit, value));
        }
    };
    let finished = phase.completed + phase.failed;
    put("request_count", "Request Count", "requests", Some(phase.completed as f64));
    let header = "Completed Requests (Success + Error)";
    put("completed_request_count", header, "requests", Some(finished as f64));
    put("request_error_rate", "Request Error Rate", "%", Some(headline.error_share * 100.0));
    put("request_throughput", "Request Throughput", "requests/sec", Some(headline.phase_requests_per_second));
    let output = headline.phase_output_tokens_per_second;
    put("output_token_throughput", "Output Token Throughput", "tokens/sec", output);
    put("input_token_throughput", "Input Token Throughput", "tokens/sec", headline.phase_input_tokens_per_second);
    put("goodput", "Goodput", "requests/sec", headline.goodput.as_ref().map(|goodput| goodput.per_second));
    for (tag, header, of) in [
        ("total_usage_completion_tokens", "Total Usage Completion Tokens", "usage_completion_tokens"),
        ("total_usage_prompt_tokens", "Total Usage Prompt Tokens", "usage_prompt_tokens"),
        ("total_usage_total_tokens", "Total Usage Total Tokens", "usage_total_tokens"),
    ] {
        let sum = snapshot.metrics.iter().find(|row| row.tag == of).map(|row| row.sum);
        put(tag, header, "tokens", sum);
    }
    all
}

/// What identifies the run in metrics.
#[derive(Debug)]
pub(crate) struct RunLabels {
    pub(crate) benchmark_id: String,
    pub(crate) model: String,
    pub(crate) endpoint_type: String,
    pub(crate) streaming: bool,
    pub(crate) concurrency: Value,
    pub(crate) request_rate: Value,
    pub(crate) version: String,
}

impl RunLabels {
    pub(crate) fn of(live: &LiveRun, snapshot: &Snapshot) -> Self {
        let facts: &RunFacts = &live.facts();
        // The load of the measured phase, as the configuration has it.
        let phases = facts.input_config["phases"].as_array();
        let load = |name: &str| phases.and_then(|all| all.last()).map_or(Value::Null, |phase| phase[name].clone());
        Self {
            benchmark_id: snapshot.benchmark_id.clone(),
            model: facts.models.join(","),
            endpoint_type: facts.endpoint_type.clone(),
            streaming: facts.streaming,
            concurrency: load("concurrency"),
            request_rate: load("rate"),
            version: facts.version.clone(),
        }
    }
}

pub(crate) async fn answer(State(state): Shared) -> Json<Value> {
    let snapshot = state.live.snapshot();
    let labels = RunLabels::of(&state.live, &snapshot);
    let metrics: Map<String, Value> =
        all(&snapshot).iter().map(|metric| (metric.tag.clone(), Value::Object(metric.to_json()))).collect();
    Json(json!({
        "aiperf_version": labels.version,
        "benchmark_id": labels.benchmark_id,
        "model": labels.model,
        "endpoint_type": labels.endpoint_type,
        "streaming": labels.streaming,
        "concurrency": labels.concurrency,
        "request_rate": labels.request_rate,
        "metrics": metrics,
    }))
}

/// The metrics as a list, each with its tag.
pub(crate) fn list(snapshot: &Snapshot) -> Vec<Value> {
    let with_tag = |metric: &LiveMetric| {
        let mut map = metric.to_json();
        map.insert("tag".to_owned(), json!(metric.tag));
        Value::Object(map)
    };
    all(snapshot).iter().map(with_tag).collect()
}
