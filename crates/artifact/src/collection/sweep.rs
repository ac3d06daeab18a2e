//! The points of a sweep side by side: each says what is said over its runs, and the best are among them.

use std::collections::BTreeSet;
use std::path::Path;

use aiperf_report::aggregate_names::SEARCH_HISTORY;
use aiperf_table::csv::cells;
use serde_json::Value;

use super::CollectionCheck;
use super::aggregate::{experiment_of, listed, rounds_to};
use crate::schema::Shape;

/// Columns of a metric in the CSV.
const COLUMNS: [&str; 5] = ["mean", "std", "min", "max", "cv"];

/// Whether values by path are those of a point, which has them by their names in tables.
fn has_parameters(values: &Value, parameters: &Value) -> bool {
    let name = |path: &str| path.strip_prefix("phases.profiling.").unwrap_or(path).to_owned();
    values.as_object().is_some_and(|values| values.iter().all(|(path, value)| parameters[name(path)] == *value))
}

impl CollectionCheck<'_> {
    pub(super) fn sweep(&mut self, path: &Path) {
        let Some(sweep) = self.json(path, Shape::Sweep) else { return };
        self.ordered(path, &sweep);
        self.find_some(path, of_itself(&sweep));
        let experiment = experiment_of(path);
        if experiment.starts_with(self.root) {
            let points = listed(&sweep["per_combination_metrics"]).enumerate();
            let problems =
                points.flat_map(|(place, point)| self.against_aggregate(&experiment, place, point)).collect();
            self.find_some(path, problems);
        }
        self.sweep_table(path, &sweep);
    }

    /// A point is the one whose runs have its place among all.
    fn against_aggregate(&self, experiment: &Path, place: usize, point: &Value) -> Vec<String> {
        let at = format!("/per_combination_metrics/{place}");
        let of_point = |info: &Value| info["variation_index"].as_u64() == Some(place as u64);
        let Some(run) = self.runs_below(experiment).find(|run| of_point(&run.summary["run_info"])) else {
            return vec![format!("{at}: no folder has a run of this point")];
        };
        let label = &run.summary["run_info"]["variation_label"];
        // A search may ask for a point several times: then its place is not that of its runs, but its values are.
        let is_search = experiment.join(SEARCH_HISTORY).exists();
        let is_its = |known: &Value| {
            if is_search {
                return has_parameters(&known["metadata"]["variation_values"], &point["parameters"]);
            }
            known["metadata"]["variation_label"] == *label
        };
        let aggregates = self.aggregates.iter().filter(|known| known.experiment.starts_with(experiment));
        let Some(aggregate) = aggregates.map(|known| &known.value).find(|value| is_its(value)) else {
            // All runs of a point may have failed; then it has no numbers either.
            let has_numbers = point["metrics"].as_object().is_some_and(|metrics| !metrics.is_empty());
            return has_numbers.then(|| format!("{at}: no aggregate file has {label}")).into_iter().collect();
        };
        let metrics = point["metrics"].as_object().into_iter().flatten();
        let difference = |(key, said): (&String, &Value)| {
            // The only run of a point has its metrics by their tags.
            let (over_runs, stats) = match aggregate["metrics"].get(key) {
                Some(over_runs) => (over_runs, &["mean", "std", "min", "max", "ci_low", "ci_high", "unit"][..]),
                None => (&aggregate["metrics"][format!("{key}_avg")], &["mean", "unit"][..]),
            };
            let stat = stats.iter().find(|stat| said[**stat] != over_runs[**stat])?;
            Some(format!(
                "{at}/metrics/{key}/{stat} is {}, the aggregate of {label} has {}",
                said[stat], over_runs[stat]
            ))
        };
        metrics.filter_map(difference).collect()
    }

    fn sweep_table(&mut self, path: &Path, sweep: &Value) {
        let table = path.with_extension("csv");
        let Ok(text) = std::fs::read_to_string(&table) else {
            return self.find(&table, "missing or not readable");
        };
        let points: Vec<&Value> = listed(&sweep["per_combination_metrics"]).collect();
        let mut lines = text.lines();
        let titles = cells(lines.next().unwrap_or_default());
        let rows: Vec<Vec<String>> = lines.take_while(|line| !line.is_empty()).map(cells).collect();
        if rows.len() != points.len() {
            return self.find(&table, format!("{} rows, the JSON has {} points", rows.len(), points.len()));
        }
        let keys: BTreeSet<&String> =
            points.iter().filter_map(|point| point["metrics"].as_object()).flat_map(|metrics| metrics.keys()).collect();
        let names = listed(&sweep["metadata"]["sweep_parameters"]).filter_map(|one| one["name"].as_str());
        let names: Vec<&str> = names.collect();
        let columns = keys.iter().flat_map(|key| COLUMNS.map(|stat| format!("{key}_{stat}")));
        let expected: Vec<String> = names.iter().map(|name| (*name).to_owned()).chain(columns).collect();
        if titles != expected {
            let odd = titles.iter().find(|title| !expected.contains(title)).or(titles.last());
            let count = expected.len();
            return self.find(&table, format!("line 1: {count} titles of the JSON's points are expected; see {odd:?}"));
        }
        let mut problems = Vec::new();
        for (place, (point, row)) in points.iter().zip(&rows).enumerate() {
            let line = place + 2;
            if row.len() != titles.len() {
                problems.push(format!("line {line}: {} cells, {} titles", row.len(), titles.len()));
                continue;
            }
            let figures = keys.iter().flat_map(|key| COLUMNS.map(|stat| &point["metrics"][key.as_str()][stat]));
            let all = names.iter().map(|name| &point["parameters"][*name]).chain(figures);
            let wrong = all.zip(row).zip(&titles).find(|((value, cell), _)| !agrees(value, cell));
            problems.extend(
                wrong.map(|((value, cell), title)| format!("line {line}: {title} is {cell}, the JSON has {value}")),
            );
        }
        self.find_some(&table, problems);
    }
}

fn agrees(value: &Value, cell: &str) -> bool {
    match value {
        Value::Null => cell.is_empty(),
        Value::Number(number) => number.as_f64().is_some_and(|number| rounds_to(number, cell)),
        Value::String(text) => text == cell,
        Value::Bool(flag) => cell == if *flag { "true" } else { "false" },
        Value::Array(_) | Value::Object(_) => false,
    }
}

/// What the file says twice is the same both times.
fn of_itself(sweep: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let points: Vec<&Value> = listed(&sweep["per_combination_metrics"]).collect();
    let said = &sweep["metadata"]["num_combinations"];
    if said.as_u64() != Some(points.len() as u64) {
        problems.push(format!("/metadata/num_combinations is {said}, there are {}", points.len()));
    }
    let failed = listed(&sweep["failed_runs"]).count() as u64;
    let (runs, good) = (sweep["num_profile_runs"].as_u64(), sweep["num_successful_runs"].as_u64());
    if runs != good.map(|good| good + failed) {
        problems.push("/num_profile_runs is not the sum of successful and failed runs".to_owned());
    }
    let parameters: Vec<&Value> = listed(&sweep["metadata"]["sweep_parameters"]).collect();
    for (place, point) in points.iter().enumerate() {
        for parameter in &parameters {
            let name = parameter["name"].as_str().unwrap_or_default();
            let value = &point["parameters"][name];
            if !listed(&parameter["values"]).any(|known| known == value) {
                let known = &parameter["values"];
                let at = format!("/per_combination_metrics/{place}/parameters");
                problems.push(format!("{at}: {name} is {value}, one of {known} is expected"));
            }
        }
    }
    let is_point = |parameters: &Value| points.iter().any(|point| point["parameters"] == *parameters);
    for (name, best) in sweep["best_configurations"].as_object().into_iter().flatten() {
        if !is_point(&best["parameters"]) {
            problems.push(format!("/best_configurations/{name}: {} is none of the points", best["parameters"]));
        }
    }
    for (place, point) in listed(&sweep["pareto_optimal"]).enumerate() {
        if !is_point(point) {
            problems.push(format!("/pareto_optimal/{place}: {point} is none of the points"));
        }
    }
    problems
}
