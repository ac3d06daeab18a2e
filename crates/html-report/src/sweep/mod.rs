//! The report of a sweep: one point for each configuration, with the spread of its runs.

mod cell;
mod figure;

use std::collections::BTreeMap;
use std::path::Path;

use aiperf_artifact::{FoundRun, find_runs, is_run_folder};
use serde_json::{Value, json};

use self::cell::SweepCell;
use crate::HtmlReportError;
use crate::page::{self, PageKind};
use crate::payload::ColumnStore;

/// Whether a folder holds several runs, so that it has a sweep page and not that of a run.
pub fn is_sweep(dir: &Path) -> Result<bool, HtmlReportError> {
    // The folder of a run may have others below, such as one that a summary was rebuilt into.
    Ok(!is_run_folder(dir) && find_runs(dir)?.len() > 1)
}

/// The page of all runs below a folder. `version`: this program's own.
pub fn sweep_page(dir: &Path, version: &str) -> Result<String, HtmlReportError> {
    let runs = find_runs(dir)?;
    let head = head(dir, runs, version);
    let title = format!("{} – aiperf sweep", head["meta"]["title"].as_str().unwrap_or("Sweep"));
    page::write(PageKind::Sweep, &title, &head, &ColumnStore::default())
}

fn head(dir: &Path, runs: Vec<FoundRun>, version: &str) -> Value {
    let count = runs.len();
    let failed: Vec<Value> = runs.iter().filter(|run| run.summary.is_none()).map(|run| name_below(dir, run)).collect();
    let first = runs.iter().find_map(|run| run.summary.clone()).unwrap_or_default();
    let cells = cells(dir, runs);
    let parameters = parameters(&cells);
    let config = &first["input_config"];
    let models = config["models"]["items"].as_array().into_iter().flatten();
    let models: Vec<&str> = models.filter_map(|item| item["name"].as_str()).collect();
    let name = dir.file_name().map_or_else(|| dir.display().to_string(), |name| name.to_string_lossy().into_owned());
    json!({
        "kind": "sweep",
        "meta": {
            "title": if models.is_empty() { name.clone() } else { models.join(", ") },
            "folder": name,
            "urls": config["endpoint"]["urls"],
            "endpoint": config["endpoint"]["type"],
            "command": first["run_info"]["cli_command"],
            "made_by": format!("aiperf {version}"),
            "start_time": first["start_time"],
        },
        "runs": count,
        "failed_runs": failed,
        "parameters": parameters,
        "slos": config["slos"],
        "cells": cells.iter().map(SweepCell::json).collect::<Vec<_>>(),
    })
}

fn name_below(dir: &Path, run: &FoundRun) -> Value {
    run.dir.strip_prefix(dir).unwrap_or(&run.dir).display().to_string().into()
}

/// Runs of the same configuration together, in the order of the sweep.
fn cells(dir: &Path, runs: Vec<FoundRun>) -> Vec<SweepCell> {
    let mut cells: BTreeMap<(usize, String), SweepCell> = BTreeMap::new();
    for run in runs {
        let name = name_below(dir, &run).as_str().unwrap_or_default().to_owned();
        // Runs that are not part of one sweep are points of their own.
        let key = if run.values.is_empty() { name.clone() } else { Value::Object(run.values.clone()).to_string() };
        let cell = cells.entry((run.variation, key)).or_insert_with(|| SweepCell::new(&name, &run.values));
        cell.add(run.summary);
    }
    cells.into_values().collect()
}

/// Names of the swept parameters, without the path to them, and how many values each has.
fn parameters(cells: &[SweepCell]) -> Vec<Value> {
    let mut values: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for (name, value) in cells.iter().flat_map(|cell| &cell.values) {
        let known = values.entry(name).or_default();
        if !known.contains(&value) {
            known.push(value);
        }
    }
    values.into_iter().map(|(name, values)| json!({"name": name, "values": values})).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::Map;

    use super::*;

    fn run(name: &str, concurrency: u64, throughput: f64) -> FoundRun {
        let values: Map<String, Value> =
            [("phases.profiling.concurrency".to_owned(), concurrency.into())].into_iter().collect();
        let summary = json!({"request_throughput": {"avg": throughput, "unit": "requests/sec"}, "is_complete": true});
        FoundRun {
            dir: PathBuf::from("/s").join(name),
            summary: Some(summary),
            values,
            variation: concurrency as usize,
        }
    }

    #[test]
    fn runs_of_one_configuration_are_one_point_with_an_interval() {
        let runs = vec![run("t1/c8", 8, 20.0), run("t1/c2", 2, 5.0), run("t2/c2", 2, 7.0), run("t2/c8", 8, 22.0)];
        let shown = head(Path::new("/s"), runs, "1");
        assert_eq!(shown["cells"].as_array().unwrap().len(), 2);
        assert_eq!(shown["cells"][0]["values"], json!({"concurrency": 2}));
        assert_eq!(shown["cells"][0]["runs"], 2);
        let point = &shown["cells"][0]["figures"]["request_throughput"];
        assert_eq!(point[0], 6);
        // Two runs, t(0.975, 1) = 12.706, standard error 1.
        assert!((point[1].as_f64().unwrap() - (6.0 - 12.706_2)).abs() < 1e-3, "{point}");
        assert_eq!(shown["parameters"], json!([{"name": "concurrency", "values": [2, 8]}]));
    }
}
