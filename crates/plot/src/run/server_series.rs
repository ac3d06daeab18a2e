//! Server metrics over time: from the lines of every scrape, from the Parquet table, or from the time slices of the JSON file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};

use aiperf_report::ArtifactPaths;
use serde_json::Value;

use super::server_parquet;
use super::server_summary::{ServerMetricKind, ServerMetricStats, buckets, labels};
use crate::PlotError;

/// All server metrics of a run, by name.
#[derive(Debug, Clone, Default)]
pub struct ServerSeries {
    pub metrics: BTreeMap<String, Vec<ScrapedSeries>>,
}

/// One series over time. Counters are totals, as the server has them.
#[derive(Debug, Clone, Default)]
pub struct ScrapedSeries {
    pub endpoint: String,
    pub labels: BTreeMap<String, String>,
    pub kind: ServerMetricKind,
    pub unit: String,
    /// Epoch time and value.
    pub values: Vec<(u64, f64)>,
    pub histogram: Vec<HistogramPoint>,
    /// The values are rates already.
    pub is_rate: bool,
}

/// The cumulative buckets of a histogram at one time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HistogramPoint {
    pub timestamp_ns: u64,
    /// Upper bound and cumulative count.
    pub buckets: Vec<(f64, f64)>,
    pub sum: f64,
    pub count: f64,
}

/// What identifies a series.
pub(super) type SeriesKey = (String, String, BTreeMap<String, String>);

impl ServerSeries {
    pub(super) fn read(
        paths: &ArtifactPaths,
        summary: &BTreeMap<String, ServerMetricStats>,
    ) -> Result<Self, PlotError> {
        let lines = paths.server_metrics("jsonl");
        let table = paths.server_metrics("parquet");
        if lines.is_file() {
            let file = File::open(&lines).map_err(|source| PlotError::Read { path: lines.clone(), source })?;
            return Ok(Self::of_lines(BufReader::new(file), summary));
        }
        if table.is_file() {
            return server_parquet::read(&table);
        }
        Ok(Self::of_slices(summary))
    }

    fn of_lines(reader: impl BufRead, summary: &BTreeMap<String, ServerMetricStats>) -> Self {
        let mut found: BTreeMap<SeriesKey, ScrapedSeries> = BTreeMap::new();
        for line in reader.lines().map_while(Result::ok) {
            let Ok(scrape) = serde_json::from_str::<Value>(&line) else { continue };
            let (Some(timestamp_ns), Some(endpoint)) =
                (scrape["timestamp_ns"].as_u64(), scrape["endpoint_url"].as_str())
            else {
                continue;
            };
            for (name, entries) in scrape["metrics"].as_object().into_iter().flatten() {
                for entry in entries.as_array().into_iter().flatten() {
                    let key = (name.clone(), endpoint.to_owned(), labels(&entry["labels"]));
                    let series = found.entry(key).or_default();
                    if let Some(value) = entry["value"].as_f64() {
                        series.values.push((timestamp_ns, value));
                    }
                    if entry["buckets"].is_object() {
                        let number = |name: &str| entry[name].as_f64().unwrap_or_default();
                        let (sum, count) = (number("sum"), number("count"));
                        let buckets = buckets(&entry["buckets"]);
                        series.histogram.push(HistogramPoint { timestamp_ns, buckets, sum, count });
                    }
                }
            }
        }
        Self::of_series(found, |name| {
            summary.get(name).map(|known| (known.kind, known.unit.clone())).unwrap_or_default()
        })
    }

    pub(super) fn of_series(
        found: BTreeMap<SeriesKey, ScrapedSeries>,
        facts: impl Fn(&str) -> (ServerMetricKind, String),
    ) -> Self {
        let mut all = Self::default();
        for ((name, endpoint, labels), mut series) in found {
            let (kind, unit) = facts(&name);
            let kind = if series.histogram.is_empty() { kind } else { ServerMetricKind::Histogram };
            series.values.sort_by_key(|(time, _)| *time);
            series.histogram.sort_by_key(|point| point.timestamp_ns);
            let series = ScrapedSeries { endpoint, labels, kind, unit, ..series };
            all.metrics.entry(name).or_default().push(series);
        }
        all
    }

    /// The mean of each slice; counters have a rate there.
    fn of_slices(summary: &BTreeMap<String, ServerMetricStats>) -> Self {
        let mut all = Self::default();
        for (name, metric) in summary {
            for known in metric.series.iter().filter(|series| !series.slices.is_empty()) {
                let is_rate = metric.kind == ServerMetricKind::Counter;
                let stat = if is_rate { "rate" } else { "avg" };
                let middle = |start: u64, end: u64| start + end.saturating_sub(start) / 2;
                let values = known.slices.iter();
                let values = values.filter_map(|(start, end, stats)| Some((middle(*start, *end), *stats.get(stat)?)));
                all.metrics.entry(name.clone()).or_default().push(ScrapedSeries {
                    endpoint: known.endpoint.clone(),
                    labels: known.labels.clone(),
                    kind: metric.kind,
                    unit: metric.unit.clone(),
                    values: values.collect(),
                    histogram: Vec::new(),
                    is_rate,
                });
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_scrapes_become_series_by_labels() {
        let lines = r#"{"endpoint_url":"http://a/metrics","timestamp_ns":20,"metrics":{"kv":[{"labels":{"e":"0"},"value":2.0},{"labels":{"e":"1"},"value":3.0}]}}
{"endpoint_url":"http://a/metrics","timestamp_ns":10,"metrics":{"kv":[{"labels":{"e":"0"},"value":1.0}],"h":[{"buckets":{"0.5":1.0,"+Inf":2.0},"sum":0.9,"count":2.0}]}}"#;
        let series = ServerSeries::of_lines(lines.as_bytes(), &BTreeMap::new());
        assert_eq!(series.metrics["kv"].len(), 2);
        assert_eq!(series.metrics["kv"][0].values, [(10, 1.0), (20, 2.0)]);
        let histogram = &series.metrics["h"][0];
        assert_eq!(histogram.kind, ServerMetricKind::Histogram);
        assert_eq!(histogram.histogram[0].buckets, [(0.5, 1.0), (f64::INFINITY, 2.0)]);
    }
}
