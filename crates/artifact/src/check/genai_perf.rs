//! The files in GenAI-Perf's form: the numbers of the summary, as far as its definitions are ours, and the same requests as
//! the records.

use serde_json::{Map, Value};

use super::FolderCheck;
use super::companions::items;
use super::summary::SAME;
use crate::schema::Shape;

/// Sections that are not metrics.
const SECTIONS: [&str; 2] = ["telemetry_stats", "input_config"];

impl FolderCheck<'_> {
    pub(super) fn genai_perf(&mut self) {
        self.genai_perf_summary();
        self.perf_analyzer_records();
    }

    fn genai_perf_summary(&mut self) {
        let path = self.folder.paths().genai_perf_json();
        let name = self.folder.name(&path);
        let Some(theirs) = self.whole(&path, Shape::GenaiPerfSummary) else { return };
        let metrics = || theirs.as_object().into_iter().flatten().filter(|(key, _)| !SECTIONS.contains(&key.as_str()));
        let summary = self.summary.as_ref().and_then(Value::as_object);
        let found = summary.and_then(|summary| metrics().find_map(|(key, metric)| other(key, metric, summary)));
        if let Some(text) = found {
            self.find(&name, text);
        }
        let table = self.folder.paths().genai_perf_csv();
        let table_name = self.folder.name(&table);
        let Ok(text) = std::fs::read_to_string(&table) else {
            self.find(&table_name, "missing or not readable");
            return;
        };
        self.files += 1;
        // Two titles and a blank line between the two tables.
        let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with("Metric,")).count();
        let expected = metrics().count();
        if rows != expected {
            self.find(&table_name, format!("{rows} rows, the JSON has {expected} metrics"));
        }
    }

    fn perf_analyzer_records(&mut self) {
        let path = self.folder.paths().perf_analyzer_records();
        // With this prefix the summary itself has the name.
        if path == self.folder.paths().summary_json() {
            return;
        }
        let name = self.folder.name(&path);
        let Some(whole) = self.whole(&path, Shape::PerfAnalyzerRecords) else { return };
        let mut found = Vec::new();
        let mut count = 0;
        for request in items(&whole, "experiments").flat_map(|experiment| items(experiment, "requests")) {
            let times: Vec<u64> = items(request, "response_timestamps").filter_map(Value::as_u64).collect();
            let begun = request["timestamp"].as_u64().unwrap_or(0);
            if times.len() != items(request, "response_outputs").count() {
                found.push(format!("request {count}: not as many response_timestamps as response_outputs"));
            }
            if !times.is_sorted() || times.first().is_some_and(|first| *first < begun) {
                found.push(format!("request {count}: response_timestamps are not in order after timestamp"));
            }
            count += 1;
        }
        let successes = self.seen.as_ref().map(|seen| seen.profiled);
        if let Some(successes) = successes.filter(|successes| *successes != count) {
            found.push(format!("{count} requests, the records have {successes} that succeeded"));
        }
        let found = found.into_iter().map(|text| crate::Finding::of(&name, text)).collect();
        self.find_some(&name, found);
    }
}

/// The metric of the summary that is the same by definition; `None` if there is none, because GenAI-Perf leaves reasoning
/// out and the run has some.
fn equal(key: &str, summary: &Map<String, Value>) -> Option<&'static str> {
    let reasons = summary.contains_key("reasoning_token_count");
    Some(match key {
        "time_to_first_token" => "time_to_first_output_token",
        "request_latency" => "request_latency",
        "input_sequence_length" => "input_sequence_length",
        "request_throughput" => "request_throughput",
        "request_count" => "request_count",
        "image_throughput" => "image_throughput",
        "image_latency" => "image_latency",
        _ if reasons => return None,
        "request_goodput" => "goodput",
        "time_to_second_token" => "time_to_second_token",
        "inter_token_latency" => "inter_token_latency",
        "output_token_throughput_per_user" => "output_token_throughput_per_user",
        "output_sequence_length" => "output_sequence_length",
        "output_token_throughput" => "output_token_throughput",
        _ => return None,
    })
}

/// The first statistic of a metric that is another in the summary.
fn other(key: &str, metric: &Value, summary: &Map<String, Value>) -> Option<String> {
    let tag = equal(key, summary)?;
    let Some(ours) = summary.get(tag) else { return Some(format!("/{key}: the summary does not have it")) };
    metric.as_object().into_iter().flatten().find_map(|(stat, said)| {
        let (said, ours) = (said.as_f64()?, ours[stat].as_f64()?);
        let differs = (said - ours).abs() > SAME * said.abs().max(ours.abs());
        differs.then(|| format!("/{key}/{stat} is {said}, the summary has {ours}"))
    })
}
