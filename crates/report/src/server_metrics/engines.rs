//! The metrics that operators look at, as JSON: in the file of server metrics and in the summary of the run.

use std::collections::BTreeMap;

use aiperf_telemetry::series::HistogramIncrease;
use aiperf_telemetry::server::{EngineReport, HeadlineValue, ServerMetrics};
use serde_json::{Map, Value, json};

use super::json::whole;

/// The `server_metrics` object of the summary.
pub(crate) fn section(metrics: &ServerMetrics) -> Value {
    let successful: Vec<&str> =
        metrics.endpoints.iter().filter(|one| one.has_pages).map(|one| one.url.as_str()).collect();
    let mut object = Map::new();
    object.insert("endpoints_successful".to_owned(), successful.into());
    object.insert("engines".to_owned(), list(metrics));
    let notes: BTreeMap<&str, Vec<String>> = metrics
        .endpoints
        .iter()
        .filter(|one| !one.problems.is_empty() && (one.has_pages || one.is_named))
        .map(|one| (one.url.as_str(), one.problems.iter().map(ToString::to_string).collect()))
        .collect();
    if !notes.is_empty() {
        object.insert("notes".to_owned(), json!(notes));
    }
    object.into()
}

/// One object for each engine and endpoint; without `endpoint_url` for the sum over several endpoints.
pub(super) fn list(metrics: &ServerMetrics) -> Value {
    metrics.engines.iter().map(engine).collect()
}

fn engine(report: &EngineReport) -> Value {
    let mut object = Map::new();
    object.insert("engine".to_owned(), report.engine.name().into());
    if let Some(url) = &report.endpoint {
        object.insert("endpoint_url".to_owned(), url.clone().into());
    }
    let metrics: Map<String, Value> =
        report.metrics.iter().map(|(metric, (value, name))| (metric.tag().to_owned(), headline(value, name))).collect();
    object.insert("metrics".to_owned(), metrics.into());
    object.into()
}

fn headline(value: &HeadlineValue, name: &str) -> Value {
    match value {
        HeadlineValue::Gauge(gauge) => {
            json!({"source": name, "avg": gauge.avg, "min": gauge.min, "max": gauge.max})
        }
        HeadlineValue::Counter { total, rate } => json!({"source": name, "total": total, "rate": rate}),
        HeadlineValue::Share(share) => json!({"source": name, "avg": share}),
        HeadlineValue::Histogram(increase) => histogram(increase, name),
    }
}

fn histogram(increase: &HistogramIncrease, name: &str) -> Value {
    let mut object = Map::new();
    object.insert("source".to_owned(), name.into());
    object.insert("unit".to_owned(), "seconds".into());
    object.insert("count".to_owned(), whole(increase.count));
    if let Some(mean) = increase.mean() {
        object.insert("avg".to_owned(), json!(mean));
    }
    for percent in [50, 90, 99] {
        if let Some(estimate) = increase.percentile(f64::from(percent)) {
            object.insert(format!("p{percent}_estimate"), json!(estimate.value));
        }
    }
    object.into()
}
