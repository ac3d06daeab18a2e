//! Statistics over the runs of one configuration: computed again from the summaries of the runs, and the same in the CSV.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use aiperf_table::csv::cells;
use serde_json::{Map, Value};

use super::{Aggregated, CollectionCheck, differ};
use crate::schema::Shape;

/// Folders that hold what is said over several runs.
const OVER_RUNS: [&str; 2] = ["aggregate", "sweep_aggregate"];

impl CollectionCheck<'_> {
    pub(super) fn aggregate(&mut self, path: &Path) {
        let Some(value) = self.json(path, Shape::Aggregate) else { return };
        self.ordered(path, &value);
        self.counts(path, &value["metadata"]);
        let experiment = experiment_of(path);
        // Runs that lie outside the folder that is looked at are not missing.
        if experiment.starts_with(self.root) {
            let problems = self.against_runs(&experiment, &value);
            self.find_some(path, problems);
        }
        self.aggregate_table(path, &value);
        self.aggregates.push(Aggregated { experiment, value });
    }

    /// As many labels as there were runs.
    pub(super) fn counts(&mut self, path: &Path, metadata: &Value) {
        let listed = |key: &str| metadata[key].as_array().map_or(0, Vec::len) as u64;
        let (good, failed) = (listed("run_labels"), listed("failed_runs"));
        for (key, count) in [("num_successful_runs", good), ("num_profile_runs", good + failed)] {
            if metadata[key].as_u64() != Some(count) {
                self.find(path, format!("/metadata/{key} is {}, {count} are listed", metadata[key]));
            }
        }
    }

    fn against_runs(&self, experiment: &Path, aggregate: &Value) -> Vec<String> {
        let metadata = &aggregate["metadata"];
        let of_point = |info: &Value| {
            let label = &metadata["variation_label"];
            info["run_label"].is_string() && (label.is_null() || info["variation_label"] == *label)
        };
        let runs: Vec<_> = self.runs_below(experiment).filter(|run| of_point(&run.summary["run_info"])).collect();
        let failed = |label: &Value| listed(&metadata["failed_runs"]).any(|run| run["label"] == *label);
        let mut problems = Vec::new();
        let mut values: HashMap<String, Vec<f64>> = HashMap::new();
        let mut units: HashMap<String, &Value> = HashMap::new();
        for label in listed(&metadata["run_labels"]) {
            let Some(run) = runs.iter().find(|run| run.summary["run_info"]["run_label"] == *label) else {
                problems.push(format!("/metadata/run_labels: no folder has a summary of {label}"));
                continue;
            };
            for (tag, metric) in run.summary.as_object().into_iter().flatten() {
                let Some(metric) = metric.as_object().filter(|metric| metric.contains_key("unit")) else { continue };
                for (stat, value) in metric {
                    if let Some(value) = value.as_f64().filter(|_| stat != "count") {
                        let key = format!("{tag}_{stat}");
                        units.insert(key.clone(), &metric["unit"]);
                        values.entry(key).or_default().push(value);
                    }
                }
            }
        }
        for run in &runs {
            let label = &run.summary["run_info"]["run_label"];
            if !listed(&metadata["run_labels"]).any(|known| known == label) && !failed(label) {
                problems.push(format!("does not list {label} in {}", self.name(&run.folder)));
            }
        }
        if !problems.is_empty() {
            return problems;
        }
        for (key, said) in aggregate["metrics"].as_object().into_iter().flatten() {
            match values.get(key) {
                None => problems.push(format!("/metrics/{key}: no run has it")),
                Some(values) => problems.extend(difference(key, said, values, units[key])),
            }
        }
        problems
    }

    /// The CSV next to it has a row for each metric, rounded.
    fn aggregate_table(&mut self, path: &Path, aggregate: &Value) {
        let table = path.with_extension("csv");
        let Ok(text) = std::fs::read_to_string(&table) else {
            return self.find(&table, "missing or not readable");
        };
        let mut problems = Vec::new();
        let mut lines = text.lines();
        let titles = cells(lines.next().unwrap_or_default());
        let mut rows: HashMap<String, Vec<String>> = HashMap::new();
        for line in lines.take_while(|line| !line.is_empty()) {
            let row = cells(line);
            rows.insert(row[0].clone(), row);
        }
        for (key, said) in aggregate["metrics"].as_object().into_iter().flatten() {
            match rows.remove(key) {
                None => problems.push(format!("no row {key}, which the JSON has")),
                Some(row) => problems.extend(other_cell(key, &titles, &row, said)),
            }
        }
        let mut beyond: Vec<String> = rows.into_keys().collect();
        beyond.sort();
        problems.extend(beyond.into_iter().map(|key| format!("row {key} is not in the JSON")));
        self.find_some(&table, problems);
    }
}

/// The folders of the runs that a file is about.
pub(super) fn experiment_of(path: &Path) -> PathBuf {
    let is_over_runs = |dir: &&Path| dir.file_name().is_some_and(|name| OVER_RUNS.iter().any(|over| name == *over));
    let mut holder = path.ancestors().skip(1).take(2).find(is_over_runs).or(path.parent()).unwrap_or(path);
    if let Some(above) = holder.parent().filter(is_over_runs).filter(|_| holder.ends_with("sweep_aggregate")) {
        holder = above;
    }
    holder.parent().unwrap_or(holder).to_owned()
}

/// The items of a list.
pub(super) fn listed(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// The first statistic that is not what the runs give.
fn difference(key: &str, said: &Value, values: &[f64], unit: &Value) -> Option<String> {
    if said["unit"] != *unit {
        return Some(format!("/metrics/{key}/unit is {}, the runs have {unit}", said["unit"]));
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let std = if values.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
    let se = std / n.sqrt();
    let reach = said["t_critical"].as_f64().unwrap_or(0.0) * se;
    let expected = [
        ("mean", mean),
        ("std", std),
        ("min", values.iter().copied().fold(f64::INFINITY, f64::min)),
        ("max", values.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        ("se", se),
        ("ci_low", mean - reach),
        ("ci_high", mean + reach),
    ];
    let size = mean.abs().max(reach).max(std);
    expected.into_iter().find_map(|(stat, expected)| {
        let written = said[stat].as_f64()?;
        let is_off = differ(written, expected) && (written - expected).abs() > super::SAME * size;
        is_off.then(|| format!("/metrics/{key}/{stat} is {written}, the runs give {expected}"))
    })
}

/// The first cell of a row that does not say what the JSON says.
fn other_cell(key: &str, titles: &[String], row: &[String], said: &Value) -> Option<String> {
    if row.len() != titles.len() {
        return Some(format!("row {key} has {} cells, there are {} titles", row.len(), titles.len()));
    }
    let empty = Map::new();
    let said = said.as_object().unwrap_or(&empty);
    titles.iter().zip(row).skip(1).find_map(|(title, cell)| {
        let agrees = match said.get(title)? {
            Value::String(text) => text == cell,
            Value::Number(number) => rounds_to(number.as_f64()?, cell),
            _ => ["", "inf"].contains(&cell.as_str()),
        };
        (!agrees).then(|| format!("row {key}: {title} is {cell}, the JSON has {}", said[title]))
    })
}

/// Whether a cell is the number, to as many decimals as it has.
pub(super) fn rounds_to(number: f64, cell: &str) -> bool {
    let decimals = cell.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let step = 10_f64.powi(-i32::try_from(decimals).unwrap_or(0));
    cell.parse::<f64>().is_ok_and(|read| (read - number).abs() <= 0.5001 * step + super::SAME * number.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_lie_beside_the_folder_of_what_is_said_of_them() {
        for (file, folder) in [
            ("out/aggregate/a.json", "out"),
            ("out/aggregate/concurrency_1/a.json", "out"),
            ("out/concurrency_1/aggregate/a.json", "out/concurrency_1"),
            ("out/sweep_aggregate/s.json", "out"),
            ("out/aggregate/sweep_aggregate/s.json", "out"),
        ] {
            assert_eq!(experiment_of(Path::new(file)), Path::new(folder), "{file}");
        }
    }

    #[test]
    fn a_cell_has_the_number_to_its_decimals() {
        assert!(rounds_to(1.005, "1.00") && rounds_to(1.005, "1.01") && rounds_to(-3.0, "-3.00"));
        assert!(!rounds_to(1.02, "1.01") && !rounds_to(1.0, "") && !rounds_to(1.0, "inf"));
    }
}
