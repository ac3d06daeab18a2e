//! Server metrics of a whole run, as `server_metrics_export.json` has them.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::json;
use crate::PlotError;

/// How a server metric counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ServerMetricKind {
    Counter,
    Histogram,
    /// A gauge, or something that did not say what it is.
    #[default]
    Gauge,
}

impl ServerMetricKind {
    pub(super) fn of(name: Option<&str>) -> Self {
        match name {
            Some("counter") => Self::Counter,
            Some("histogram") => Self::Histogram,
            _ => Self::Gauge,
        }
    }
}

/// A server metric with its series.
#[derive(Debug, Clone, Default)]
pub struct ServerMetricStats {
    pub kind: ServerMetricKind,
    pub unit: String,
    pub series: Vec<SummarisedSeries>,
}

/// One series of a server metric over the whole run.
#[derive(Debug, Clone, Default)]
pub struct SummarisedSeries {
    pub endpoint: String,
    pub labels: BTreeMap<String, String>,
    pub stats: BTreeMap<String, f64>,
    /// Upper bound and cumulative count of each bucket of a histogram.
    pub buckets: Vec<(f64, f64)>,
    /// The statistics of each time slice: start and end in epoch time.
    pub slices: Vec<(u64, u64, BTreeMap<String, f64>)>,
}

/// None if there is no such file.
pub(super) fn read(path: &Path) -> Result<BTreeMap<String, ServerMetricStats>, PlotError> {
    let file = json::read(path)?.unwrap_or_default();
    let metrics = file["metrics"].as_object().into_iter().flatten();
    Ok(metrics.map(|(name, entry)| (name.clone(), metric(entry))).collect())
}

fn metric(entry: &Value) -> ServerMetricStats {
    ServerMetricStats {
        kind: ServerMetricKind::of(entry["type"].as_str()),
        unit: entry["unit"].as_str().unwrap_or_default().to_owned(),
        series: entry["series"].as_array().into_iter().flatten().map(series).collect(),
    }
}

fn series(entry: &Value) -> SummarisedSeries {
    let slice = |slice: &Value| Some((slice["start_ns"].as_u64()?, slice["end_ns"].as_u64()?, numbers(slice)));
    SummarisedSeries {
        endpoint: entry["endpoint_url"].as_str().unwrap_or_default().to_owned(),
        labels: labels(&entry["labels"]),
        stats: numbers(&entry["stats"]),
        buckets: buckets(&entry["buckets"]),
        slices: entry["timeslices"].as_array().into_iter().flatten().filter_map(slice).collect(),
    }
}

pub(super) fn labels(value: &Value) -> BTreeMap<String, String> {
    let labels = value.as_object().into_iter().flatten();
    labels.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

/// `{"0.5": 3, "+Inf": 4}`, by rising bound.
pub(super) fn buckets(value: &Value) -> Vec<(f64, f64)> {
    let buckets = value.as_object().into_iter().flatten();
    let bound = |text: &str| text.trim_start_matches('+').parse::<f64>().ok();
    let mut buckets: Vec<(f64, f64)> =
        buckets.filter_map(|(text, count)| Some((bound(text)?, count.as_f64()?))).collect();
    buckets.sort_by(|one, other| one.0.total_cmp(&other.0));
    buckets
}

fn numbers(value: &Value) -> BTreeMap<String, f64> {
    let values = value.as_object().into_iter().flatten();
    values.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect()
}
