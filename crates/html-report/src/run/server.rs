//! R13: what the server said about itself over time, from `server_metrics_export.jsonl` (every scrape) or the time slices of
//! `server_metrics_export.json`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;

use aiperf_artifact::Folder;
use serde_json::{Value, json};

use crate::number::{short, shorts};
use crate::time_bins::TimeBins;

const MOST_SERIES: usize = 24;
const MOST_POINTS: usize = 240;
/// Parts of names, in the order in which their charts come: load first, then caches, then work done.
const ORDER: [&str; 9] = [
    "running",
    "waiting",
    "queue",
    "kv_cache",
    "cache_usage",
    "preempt",
    "generation_tokens",
    "prompt_tokens",
    "success",
];

/// Points of one series: seconds from the start of the window, and the value.
type Points = Vec<(f64, f64)>;

#[derive(Debug, Default)]
struct ServerSeries {
    /// By metric and by labels in words.
    gauges: BTreeMap<(String, String), Points>,
    counters: BTreeMap<(String, String), Points>,
    descriptions: BTreeMap<String, (String, String)>,
}

pub(crate) fn json(folder: &Folder, bins: &TimeBins) -> Value {
    let paths = folder.paths();
    let mut series = ServerSeries::default();
    let whole: Value = read_json(&paths.server_metrics("json")).unwrap_or_default();
    series.describe(&whole);
    series.read_lines(&paths.server_metrics("jsonl"), bins);
    if series.gauges.is_empty() && series.counters.is_empty() {
        series.read_slices(&whole, bins);
    }
    let source = if series.gauges.is_empty() && series.counters.is_empty() { totals_only(&whole) } else { Value::Null };
    json!({"charts": series.charts(), "note": source})
}

fn totals_only(whole: &Value) -> Value {
    if whole["metrics"].as_object().is_some_and(|metrics| !metrics.is_empty()) {
        "The folder has only totals of the server metrics. Add --slice-duration or --server-metrics-formats jsonl to a run for \
         these charts."
            .into()
    } else {
        Value::Null
    }
}

fn read_json(path: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

impl ServerSeries {
    fn describe(&mut self, whole: &Value) {
        for (name, metric) in whole["metrics"].as_object().into_iter().flatten() {
            let text = |key: &str| metric[key].as_str().unwrap_or_default().to_owned();
            self.descriptions.insert(name.clone(), (text("type"), text("description")));
        }
    }

    /// One line for each scrape.
    fn read_lines(&mut self, path: &Path, bins: &TimeBins) {
        let Ok(file) = File::open(path) else { return };
        for line in BufReader::new(file).lines().map_while(Result::ok) {
            let Ok(page) = serde_json::from_str::<Value>(&line) else { continue };
            let Some(at) = page["timestamp_ns"].as_u64().map(|at| bins.offset_s(at)) else { continue };
            for (name, samples) in page["metrics"].as_object().into_iter().flatten() {
                for sample in samples.as_array().into_iter().flatten() {
                    let Some(value) = sample["value"].as_f64() else { continue };
                    self.add(name, &labels(&sample["labels"]), at, value);
                }
            }
        }
    }

    fn add(&mut self, name: &str, labels: &str, at: f64, value: f64) {
        let kind = self.descriptions.get(name).map(|(kind, _)| kind.as_str());
        let is_counter = kind.map_or_else(|| name.ends_with("_total"), |kind| kind == "counter");
        let into = if is_counter { &mut self.counters } else { &mut self.gauges };
        into.entry((name.to_owned(), labels.to_owned())).or_default().push((at, value));
    }

    /// Averages of gauges and rates of counters in each slice.
    fn read_slices(&mut self, whole: &Value, bins: &TimeBins) {
        for (name, metric) in whole["metrics"].as_object().into_iter().flatten() {
            for series in metric["series"].as_array().into_iter().flatten() {
                let points = series["timeslices"].as_array().into_iter().flatten().filter_map(|slice| {
                    let middle = slice["start_ns"].as_u64()? / 2 + slice["end_ns"].as_u64()? / 2;
                    let value = if metric["type"] == "counter" { &slice["rate"] } else { &slice["avg"] };
                    Some((bins.offset_s(middle), value.as_f64()?))
                });
                let points: Points = points.collect();
                if metric["type"] == "gauge" || metric["type"] == "counter" {
                    self.gauges.entry((name.clone(), labels(&series["labels"]))).or_default().extend(points);
                }
            }
        }
    }

    fn charts(&self) -> Vec<Value> {
        let rates = self.counters.iter().map(|(key, points)| (key, rate(points), "per second"));
        let levels = self.gauges.iter().map(|(key, points)| {
            let is_rate = self.descriptions.get(&key.0).is_some_and(|(kind, _)| kind == "counter");
            (key, points.clone(), if is_rate { "per second" } else { "" })
        });
        let mut all: Vec<(&(String, String), Points, &str)> = levels.chain(rates).collect();
        // A series that is always zero, or was seen only once, is not worth a chart.
        all.retain(|(_, points, _)| points.len() > 1 && points.iter().any(|(_, value)| value.abs() > 0.0));
        all.retain(|((name, _), ..)| !name.ends_with("_info") && !name.ends_with("_created"));
        let place = |name: &str| ORDER.iter().position(|part| name.contains(part)).unwrap_or(ORDER.len());
        all.sort_by(|a, b| (place(&a.0.0), a.0).cmp(&(place(&b.0.0), b.0)));
        all.truncate(MOST_SERIES);
        all.iter()
            .map(|((name, labels), points, per)| {
                let points = thinned(points);
                json!({
                    "name": name,
                    "labels": labels,
                    "per": per,
                    "about": self.descriptions.get(name).map(|(_, about)| about),
                    "x": shorts(points.iter().map(|point| point.0)),
                    "y": points.iter().map(|point| short(point.1)).collect::<Vec<_>>(),
                })
            })
            .collect()
    }
}

/// Growth per second between scrapes; a counter that was set back starts again.
fn rate(points: &[(f64, f64)]) -> Points {
    let pairs = points.windows(2).filter(|pair| pair[1].0 > pair[0].0);
    pairs.map(|pair| (pair[1].0, (pair[1].1 - pair[0].1).max(0.0) / (pair[1].0 - pair[0].0))).collect()
}

/// Means of neighbours, so that a long run does not make a large page.
pub(crate) fn thinned(points: &[(f64, f64)]) -> Points {
    let together = points.len().div_ceil(MOST_POINTS).max(1);
    let mean = |chunk: &[(f64, f64)]| {
        let count = chunk.len() as f64;
        (chunk.iter().map(|it| it.0).sum::<f64>() / count, chunk.iter().map(|it| it.1).sum::<f64>() / count)
    };
    points.chunks(together).map(mean).collect()
}

fn labels(labels: &Value) -> String {
    let pairs = labels.as_object().into_iter().flatten();
    let words = pairs.filter(|(key, _)| *key != "model_name").map(|(key, value)| match value.as_str() {
        Some(text) => format!("{key}={text}"),
        None => format!("{key}={value}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_become_rates_and_resets_do_not_become_negative() {
        assert_eq!(rate(&[(0.0, 10.0), (2.0, 30.0), (3.0, 5.0)]), [(2.0, 10.0), (3.0, 0.0)]);
        assert!(rate(&[(1.0, 1.0)]).is_empty());
    }

    #[test]
    fn long_series_are_averaged() {
        let points: Points = (0..480).map(|i| (f64::from(i), f64::from(i % 2))).collect();
        let short = thinned(&points);
        assert_eq!(short.len(), 240);
        assert_eq!(short[0], (0.5, 0.5));
    }
}
