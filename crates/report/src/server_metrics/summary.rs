//! The metrics that operators look at, for the summary file and for the console: those of a run that has just ended, or those that
//! the summary of an earlier run holds.

use std::collections::BTreeMap;

use aiperf_telemetry::series::HistogramIncrease;
use aiperf_telemetry::server::{EngineMetric, EngineReport, HeadlineValue, ServerMetrics};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

const MILLIS_PER_SECOND: f64 = 1e3;

/// The `server_metrics` object of the summary.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ServerMetricsSummary {
    /// Addresses of the pages that were read.
    pub endpoints_successful: Vec<String>,
    /// All endpoints of an engine together come before the endpoints of that engine.
    pub engines: Vec<EngineSummary>,
    /// What a reader should know about the pages, by their addresses.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, Vec<String>>,
}

/// One engine at one endpoint, or at all of its endpoints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EngineSummary {
    /// The name of the engine.
    pub engine: String,
    /// `None`: all endpoints of the engine together.
    #[serde(rename = "endpoint_url", default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Figures by the tag of their [`EngineMetric`].
    metrics: Map<String, Value>,
}

/// The figures of one metric. Which of them there are depends on the kind of metric.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EngineFigures {
    /// What the engine calls the metric.
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Observations of a histogram.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avg: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Percentiles of a gauge, weighted by time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99: Option<f64>,
    /// Percentiles of a histogram, estimated from its buckets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_estimate: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p90_estimate: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_estimate: Option<f64>,
    /// What a counter gained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// What a counter gained per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
}

impl ServerMetricsSummary {
    pub fn new(metrics: &ServerMetrics) -> Self {
        let successful = metrics.endpoints.iter().filter(|one| one.has_pages).map(|one| one.url.clone());
        let noteworthy = metrics.endpoints.iter().filter(|one| one.has_pages || one.is_named);
        let notes = noteworthy
            .filter(|one| !one.problems.is_empty())
            .map(|one| (one.url.clone(), one.problems.iter().map(ToString::to_string).collect()));
        Self {
            endpoints_successful: successful.collect(),
            engines: metrics.engines.iter().map(EngineSummary::new).collect(),
            notes: notes.collect(),
        }
    }

    /// Reads the object of a summary file; `None` if it is not one of ours.
    pub fn read(object: &Value) -> Option<Self> {
        Self::deserialize(object).ok()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl EngineSummary {
    pub(super) fn new(report: &EngineReport) -> Self {
        let figures = report.metrics.iter().map(|(metric, (value, name))| {
            let figures = serde_json::to_value(EngineFigures::new(value, name)).unwrap_or_default();
            (metric.tag().to_owned(), figures)
        });
        Self { engine: report.engine.name().to_owned(), endpoint: report.endpoint.clone(), metrics: figures.collect() }
    }

    pub fn get(&self, metric: EngineMetric) -> Option<EngineFigures> {
        EngineFigures::deserialize(self.metrics.get(metric.tag())?).ok()
    }

    /// The mean of a histogram of times, in milliseconds.
    pub fn mean_millis(&self, metric: EngineMetric) -> Option<f64> {
        let figures = self.get(metric).filter(|figures| figures.count.is_some())?;
        figures.avg.map(|seconds| seconds * MILLIS_PER_SECOND)
    }
}

impl EngineFigures {
    fn new(value: &HeadlineValue, source: &str) -> Self {
        let source = source.to_owned();
        match value {
            HeadlineValue::Gauge(gauge) => Self {
                source,
                avg: Some(readable(gauge.avg)),
                min: Some(readable(gauge.min)),
                max: Some(readable(gauge.max)),
                p50: gauge.percentile(50).map(readable),
                p99: gauge.percentile(99).map(readable),
                ..Self::default()
            },
            HeadlineValue::Counter { total, rate } => {
                Self { source, total: Some(readable(*total)), rate: Some(readable(*rate)), ..Self::default() }
            }
            HeadlineValue::Share(share) => Self { source, avg: Some(readable(*share)), ..Self::default() },
            HeadlineValue::Histogram(increase) => Self::of_times(increase, source),
        }
    }

    fn of_times(increase: &HistogramIncrease, source: String) -> Self {
        let percentile = |percent: u8| increase.percentile(f64::from(percent)).map(|estimate| readable(estimate.value));
        Self {
            source,
            unit: Some("seconds".to_owned()),
            count: Some(increase.count as u64),
            avg: increase.mean().map(readable),
            p50_estimate: percentile(50),
            p90_estimate: percentile(90),
            p99_estimate: percentile(99),
            ..Self::default()
        }
    }
}

/// Twelve significant digits of a number that is not whole. JSON readers may get the last bit of a number with seventeen digits wrong;
/// `aiperf report` reads these numbers and writes them again, and must not change them.
fn readable(value: f64) -> f64 {
    if value.fract() == 0.0 { value } else { format!("{value:.11e}").parse().unwrap_or(value) }
}

#[cfg(test)]
mod tests {
    use aiperf_telemetry::series::HistogramIncrease;
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_the_same_after_they_were_read_and_written_again() {
        let numbers =
            (1..2_000).map(|number| f64::from(number) / 1_303.7).flat_map(|x| [x, x * 1e-7, x * 1e3, x * 1e6]);
        for number in numbers {
            let value = HeadlineValue::Counter { total: number.round(), rate: number };
            let written = serde_json::to_string(&EngineFigures::new(&value, "g")).unwrap();
            let read: EngineFigures = serde_json::from_str(&written).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), written);
        }
        let one = HistogramIncrease { count: 3.0, sum: 0.1, buckets: Vec::new() };
        assert_eq!(EngineFigures::of_times(&one, String::new()).avg, Some(0.033_333_333_333_3));
    }

    #[test]
    fn what_a_summary_holds_is_read_and_written_again_as_it_is() {
        let object = json!({
            "endpoints_successful": ["http://a/metrics"],
            "engines": [{
                "engine": "vLLM",
                "endpoint_url": "http://a/metrics",
                "metrics": {
                    "running_requests": {"source": "vllm:num_requests_running", "avg": 2.5, "min": 0.0, "max": 4.0, "p50": 2.0},
                    "of_a_later_version": {"source": "vllm:new", "kind": "unknown"},
                    "time_to_first_token": {"source": "t", "unit": "seconds", "count": 12, "avg": 0.02, "p99_estimate": 0.04},
                    "generation_tokens": {"source": "g", "total": 96.0, "rate": 48.0},
                },
            }],
            "notes": {"http://a/metrics": ["one page could not be read"]},
        });
        let summary = ServerMetricsSummary::read(&object).unwrap();
        assert_eq!(summary.json(), object);
        let claims = summary.claims().unwrap();
        assert_eq!((claims.generation_tokens, claims.time_to_first_token), (Some(96.0), Some(20.0)));
        assert_eq!(summary.engines[0].get(EngineMetric::RunningRequests).unwrap().max, Some(4.0));
        assert_eq!(summary.engines[0].get(EngineMetric::Preemptions), None);
        assert_eq!(ServerMetricsSummary::read(&json!({"engines": "none"})), None);
    }
}
