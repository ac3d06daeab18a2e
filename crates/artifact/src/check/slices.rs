//! The windows of a phase: in order, and all requests in one of them.

use std::fs;

use serde_json::Value;

use super::FolderCheck;
use super::companions::items;
use crate::schema::Shape;

impl FolderCheck<'_> {
    pub(super) fn slices(&mut self) {
        let paths = self.folder.paths();
        let (json_path, csv_path) = (paths.timeslices_json(), paths.timeslices_csv());
        let name = self.folder.name(&json_path);
        let Some(slices) = self.whole(&json_path, Shape::Timeslices) else {
            let asked = self
                .summary
                .as_ref()
                .is_some_and(|summary| summary["input_config"]["artifacts"]["slice_duration"].is_number());
            if asked && !json_path.exists() {
                self.find(&name, "missing, though the run had --slice-duration");
            }
            return;
        };
        let mut last_end = 0;
        let mut requests = 0.0;
        let mut statistics = 0;
        for (place, slice) in items(&slices, "timeslices").enumerate() {
            let edge = |key: &str| slice[key].as_u64().unwrap_or(0);
            if edge("start_ns") < last_end || edge("end_ns") < edge("start_ns") {
                self.find(&name, format!("slice {place} overlaps the one before, or ends before it starts"));
            }
            last_end = edge("end_ns");
            requests += slice["request_count"]["avg"].as_f64().unwrap_or(0.0);
            statistics += statistics_of(slice);
        }
        let total = self.summary.as_ref().and_then(|summary| summary["request_count"]["avg"].as_f64());
        if let Some(total) = total.filter(|total| (total - requests).abs() > 1e-9) {
            self.find(&name, format!("slices have {requests} requests, the summary {total}"));
        }
        let csv_name = self.folder.name(&csv_path);
        let Ok(text) = fs::read_to_string(&csv_path) else {
            self.find(&csv_name, "missing or not readable");
            return;
        };
        self.files += 1;
        let rows = text.lines().count().saturating_sub(1);
        if rows != statistics {
            self.find(&csv_name, format!("{rows} rows, the JSON has {statistics} statistics"));
        }
    }
}

/// Rows of the CSV: all statistics but the count.
fn statistics_of(slice: &Value) -> usize {
    let metrics = slice.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_object());
    metrics.map(|metric| metric.keys().filter(|key| !["unit", "count"].contains(&key.as_str())).count()).sum()
}
