//! The summary: its shape, its counts, its statistics, and the same numbers in the CSV.

use std::collections::HashMap;
use std::fs;

use aiperf_metrics::{Flags, Metric, MetricKind, Percentile, Stats, Summary};
use serde_json::{Map, Value};

use super::FolderCheck;
use crate::Finding;
use crate::schema::Shape;

/// Statistics of records are the same to this share of the largest value.
pub(super) const SAME: f64 = 1e-9;
/// Rates depend on a window that some summaries round.
const SAME_RATE: f64 = 1e-4;

/// Numbers of the whole phase that records give.
const COUNTS: [Metric; 8] = [
    Metric::RequestCount,
    Metric::ErrorRequestCount,
    Metric::ResentRequestCount,
    Metric::CompletedRequestCount,
    Metric::GoodRequestCount,
    Metric::TotalIsl,
    Metric::TotalOsl,
    Metric::TotalErrorIsl,
];
const RATES: [Metric; 4] =
    [Metric::RequestThroughput, Metric::OutputTokenThroughput, Metric::InputTokenThroughput, Metric::Goodput];

impl FolderCheck<'_> {
    pub(super) fn summary(&mut self) {
        let paths = self.folder.paths();
        let name = self.folder.name(&paths.summary_json());
        let Some(summary) = self.whole(&paths.summary_json(), Shape::Summary) else {
            if !paths.summary_json().exists() {
                self.find(&name, "missing; `aiperf report` rebuilds it from the records");
            }
            return;
        };
        let lost = self.accounts(&summary);
        let covers_them = lost > 0 && summary.get("rebuilt").is_none();
        // A summary of requests that have no record cannot be computed again.
        if let Some(recomputed) = self.recomputed.as_ref().filter(|_| !covers_them) {
            let found = compare(&name, &summary, recomputed);
            self.find_some(&name, found);
        }
        self.csv(&summary);
        self.marker(&summary);
        let console = self.folder.paths().console();
        if console.exists() {
            self.files += 1;
        } else {
            let name = self.folder.name(&console);
            self.find(&name, "missing");
        }
        self.summary = Some(summary);
    }

    /// Every request that was sent has a record. Says how many have none.
    fn accounts(&mut self, summary: &Value) -> u64 {
        let Some(seen) = &self.seen else { return 0 };
        let name = self.folder.name(&self.folder.paths().records());
        let mut lost = 0;
        let mut found = Vec::new();
        for phase in summary["phase_accounting"].as_array().into_iter().flatten() {
            let (Some(phase_name), Some(sent)) = (phase["phase_name"].as_str(), phase["sent"].as_u64()) else {
                continue;
            };
            let records = seen.phases.get(phase_name).copied().unwrap_or(0);
            if records > sent {
                found.push(Finding::of(
                    &name,
                    format!("{phase_name}: {records} records, but {sent} requests were sent"),
                ));
            }
            lost += sent.saturating_sub(records);
        }
        let said = summary["records_lost"].as_u64().unwrap_or(0);
        if lost > 0 {
            let known = if said == lost { ", as the summary says (records_lost)" } else { "" };
            let text = format!("{lost} requests that were sent have no record{known}; nothing can bring them back");
            found.push(Finding::of(&name, text));
        } else if said > 0 {
            found.push(Finding::of(&name, format!("the summary says that {said} records were lost, and all are here")));
        }
        self.findings.extend(found);
        lost
    }

    fn marker(&mut self, summary: &Value) {
        let path = self.folder.paths().ready_marker();
        let name = self.folder.name(&path);
        match self.whole(&path, Shape::Ready) {
            None => self.find(&name, "missing: not all files may have been written"),
            Some(marker) => {
                if marker["partial"] == true && !self.was_killed {
                    self.find(&name, "a file could not be written when the run ended, and nothing can repair that");
                }
                if marker["was_cancelled"] != summary["was_cancelled"] {
                    self.find(&name, "was_cancelled is not what the summary says");
                }
            }
        }
    }

    /// Every metric of the JSON stands in the CSV, with the same average.
    fn csv(&mut self, summary: &Value) {
        let path = self.folder.paths().summary_csv();
        let name = self.folder.name(&path);
        let Ok(text) = fs::read_to_string(&path) else {
            self.find(&name, "missing or not readable");
            return;
        };
        self.files += 1;
        let rows: HashMap<&str, &str> = text.lines().filter_map(first_two_cells).collect();
        let mut found = Vec::new();
        for (tag, metric) in metrics_of(summary) {
            let Some(definition) = Metric::from_tag(tag).map(Metric::definition) else { continue };
            let unit = metric["unit"].as_str().unwrap_or_default();
            let row = match unit {
                "count" | "requests" => definition.header.to_owned(),
                unit => format!("{} ({unit})", definition.header),
            };
            match (rows.get(row.as_str()), metric.get("avg").and_then(Value::as_f64)) {
                (None, _) => found.push(Finding::of(&name, format!("has no row {row:?}"))),
                (Some(cell), Some(avg)) if !is_rounded(cell, avg) => {
                    found.push(Finding::of(&name, format!("{row}: {cell}, the summary says {avg:.2}")));
                }
                _ => {}
            }
        }
        self.find_some(&name, found);
    }
}

/// Keys of a summary that are metrics.
pub(super) fn metrics_of(summary: &Value) -> impl Iterator<Item = (&String, &Map<String, Value>)> {
    let entries = summary.as_object().into_iter().flatten();
    entries.filter_map(|(tag, value)| Some((tag, value.as_object().filter(|value| value.contains_key("unit"))?)))
}

/// Whether a cell has this number with two decimals. A number read from JSON may be off by its last bit, which shows in the decimals of
/// very large ones and wherever it decides on the rounding.
fn is_rounded(cell: &str, number: f64) -> bool {
    let shown = format!("{number:.2}");
    let is_near = |cell: f64| (cell - number).abs() <= 0.005 + 1e-12 * number.abs();
    cell == shown || (cell.contains('.') && cell.parse().is_ok_and(is_near))
}

fn first_two_cells(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = match line.strip_prefix('"') {
        Some(quoted) => quoted.split_once("\",")?,
        None => line.split_once(',')?,
    };
    Some((name, rest.split(',').next().unwrap_or_default()))
}

fn compare(name: &str, summary: &Value, recomputed: &Summary) -> Vec<Finding> {
    let mut found = Vec::new();
    let ours = summary.get("phase_accounting").is_some();
    let known = metrics_of(summary).filter_map(|(tag, said)| Some((tag, said, Metric::from_tag(tag)?)));
    let mut known: Vec<_> = known.collect();
    // If requests are missing, that is the reason for all that follows.
    known.sort_by_key(|(_, _, metric)| !COUNTS.contains(metric));
    for (tag, said, metric) in known {
        let definition = metric.definition();
        let recorded = !definition.flags.has(Flags::NO_RECORD);
        // The reference means something else by two metrics that no record holds.
        let of_records = matches!(definition.kind, MetricKind::Record | MetricKind::RecordList) && (recorded || ours);
        let tolerance = if of_records || COUNTS.contains(&metric) {
            SAME
        } else if RATES.contains(&metric) && ours {
            SAME_RATE
        } else {
            continue;
        };
        match recomputed.get(metric) {
            None => found.push(Finding::of(name, format!("{tag}: no record has it"))),
            Some(stats) => found.extend(difference(name, tag, said, stats, tolerance)),
        }
    }
    for result in &recomputed.results {
        let definition = result.metric.definition();
        let recorded = matches!(definition.kind, MetricKind::Record | MetricKind::RecordList);
        if recorded && !definition.flags.has(Flags::NO_RECORD) && summary.get(definition.tag).is_none() {
            found.push(Finding::of(name, format!("{}: records have it, the summary does not", definition.tag)));
        }
    }
    found
}

/// The first statistic that differs, and how many others do.
fn difference(name: &str, tag: &str, said: &Map<String, Value>, stats: &Stats, tolerance: f64) -> Option<Finding> {
    let mut fields = vec![
        ("avg", stats.avg),
        ("min", stats.min),
        ("max", stats.max),
        ("std", stats.std),
        ("sum", stats.sum),
        ("count", stats.count.map(|count| count as f64)),
    ];
    fields.extend(Percentile::ALL.map(|percentile| (percentile.name(), stats.percentile(percentile))));
    let size = [stats.min, stats.max, stats.avg].into_iter().flatten().fold(0.0_f64, |size, v| size.max(v.abs()));
    let mut found: Option<String> = None;
    let mut more = 0;
    for (field, value) in fields {
        let written = said.get(field).and_then(Value::as_f64);
        let value = value.filter(|value| value.is_finite());
        let (Some(value), Some(written)) = (value, written) else { continue };
        if (value - written).abs() > tolerance * size.max(value.abs()) {
            more += usize::from(found.is_some());
            found = found.or_else(|| Some(format!("{tag}.{field} is {written}, the records give {value}")));
        }
    }
    let others = if more > 0 { format!(" ({more} others of its statistics differ, too)") } else { String::new() };
    found.map(|text| Finding::of(name, text + &others))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_the_number_rounded_whatever_its_last_bit_was_read_as() {
        assert!(is_rounded("1.23", 1.234));
        assert!(is_rounded("1044160687976592896.00", 1_044_160_687_976_592_768.0));
        assert!(!is_rounded("1.24", 1.234));
        assert!(!is_rounded("", 1.234) && !is_rounded("1", 1.0) && !is_rounded("inf", 1.0));
    }
}
