//! The points of a sweep side by side.

use std::collections::BTreeSet;

use aiperf_metrics::{Percentile, Stats};
use serde_json::{Map, Value, json};

use super::{AggregateMetric, FailedRun, RunSpread, number};
use crate::ReportError;
use crate::folder::part_file::{PartFile, indented};
use aiperf_table::csv::{self, cell};

/// Figures that the table of a sweep leaves out.
const ONLY_IN_AGGREGATES: [&str; 2] = ["se", "t_critical"];

/// Stands for the cells in a text that is made without them.
const CELLS: &str = "{{cells}}";

#[derive(Debug, Clone, PartialEq)]
pub struct SweepReport {
    pub runs: usize,
    pub successful: usize,
    pub failed: Vec<FailedRun>,
    /// By the name that tables have for it.
    pub parameters: Vec<(String, Vec<Value>)>,
    /// The order of the runs.
    pub mode: &'static str,
    pub confidence_level: f64,
    pub trials: u32,
    /// In the order in which they were run.
    pub cells: Vec<SweepCell>,
    pub best_throughput: Option<BestCell>,
    pub best_latency: Option<BestCell>,
    /// Values of the cells that no other one beats: as good in throughput and latency, and better in one by more than noise.
    pub pareto_optimal: Vec<Map<String, Value>>,
    /// Limits that a cell must keep to be feasible.
    pub sla_limits: Vec<SlaLimit>,
    /// The handler that worked something out from all points, and its file next to this one.
    pub post_process: Option<(&'static str, String)>,
    /// What the points are compared by, if the sweep is that of a recipe.
    pub pareto_axes: Option<ParetoAxes>,
    pub was_cancelled: bool,
}

/// The two axes of a chart of all points: low values of `x` and high values of `y` are good. Each has a metric and a statistic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParetoAxes {
    pub x: (&'static str, &'static str),
    pub y: (&'static str, &'static str),
    /// Parameters with a line of their own for each value.
    pub series: &'static [&'static str],
}

impl ParetoAxes {
    fn json(&self) -> Value {
        json!({
            "x_metric": self.x.0,
            "x_stat": self.x.1,
            "x_minimize": true,
            "y_metric": self.y.0,
            "y_stat": self.y.1,
            "y_maximize": true,
            "series_keys": self.series,
        })
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct SweepCell {
    pub parameters: Map<String, Value>,
    /// Empty if no run of the cell gave numbers.
    pub metrics: Vec<SweepMetric>,
    /// Limits that it does not keep; `None` if the sweep has no limits.
    pub breaches: Option<Vec<SlaBreach>>,
}

/// A limit for one statistic of one metric, as files have it.
#[derive(Debug, Clone, PartialEq)]
pub struct SlaLimit {
    pub metric: String,
    pub stat: String,
    /// `lt`, `le`, `gt` or `ge`.
    pub op: &'static str,
    pub threshold: f64,
}

impl SlaLimit {
    pub fn json(&self) -> Value {
        json!({
            "metric_tag": self.metric,
            "stat": self.stat,
            "op": self.op,
            "threshold": number(self.threshold),
        })
    }
}

/// A limit that a cell does not keep.
#[derive(Debug, Clone, PartialEq)]
pub struct SlaBreach {
    pub limit: SlaLimit,
    /// `None` if the cell does not have the statistic.
    pub observed: Option<f64>,
}

impl SlaBreach {
    pub fn json(&self) -> Value {
        let mut object = self.limit.json();
        object["observed"] = self.observed.map_or(Value::Null, number);
        object
    }
}

impl SweepCell {
    /// One statistic of one metric: that of the only run, or the mean over several.
    pub fn value(&self, tag: &str, stat: &str) -> Option<f64> {
        let key = format!("{tag}_{stat}");
        let over_trials = self.metrics.iter().find(|figure| figure.key == key).map(|figure| figure.spread.mean);
        over_trials.or_else(|| {
            let stats = self.metrics.iter().find(|figure| figure.key == tag)?.within?;
            match stat {
                "avg" => stats.avg,
                "min" => stats.min,
                "max" => stats.max,
                "std" => stats.std,
                "sum" => stats.sum,
                _ => stats.percentile(Percentile::ALL.into_iter().find(|percentile| percentile.name() == stat)?),
            }
        })
    }

    /// The value of a parameter by its path, or by its name in tables.
    pub fn parameter(&self, path: &str) -> Option<&Value> {
        let short = path.strip_prefix("phases.profiling.").unwrap_or(path);
        self.parameters.get(path).or_else(|| self.parameters.get(short))
    }

    fn json(&self) -> Value {
        let metrics: Map<String, Value> =
            self.metrics.iter().map(|metric| (metric.key.clone(), metric.json())).collect();
        let mut object = json!({"parameters": self.parameters, "metrics": metrics});
        if let Some(breaches) = &self.breaches {
            object["feasible"] = breaches.is_empty().into();
            object["breaches"] = breaches.iter().map(SlaBreach::json).collect();
        }
        object
    }

    /// Whether it keeps all limits of the sweep.
    pub fn is_feasible(&self) -> bool {
        self.breaches.as_ref().is_none_or(Vec::is_empty)
    }
}

/// A metric of a cell with one trial, or one statistic of it over several.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepMetric {
    pub key: String,
    pub unit: String,
    pub spread: RunSpread,
    /// The statistics of the run itself, if it is all that a cell has.
    pub within: Option<Stats>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct BestCell {
    pub parameters: Map<String, Value>,
    /// What it is best in: `time_to_first_token_p99`.
    pub statistic: String,
    pub value: f64,
    pub unit: String,
    /// The points that may be as good: their intervals overlap, or nothing is known of how sure the numbers are.
    pub tied_with: Vec<Map<String, Value>>,
}

impl SweepMetric {
    /// Over the trials of a cell.
    pub fn over_trials(metric: &AggregateMetric) -> Self {
        Self { key: metric.key(), unit: metric.unit.clone(), spread: metric.spread, within: None }
    }

    /// Of the only run of a cell: nothing is known of how another one would differ, and the extremes are those of its
    /// requests. `None` for a metric without an average that can be written down.
    pub fn of_one_run(tag: &str, unit: &str, stats: Stats) -> Option<Self> {
        let mean = stats.avg.filter(|avg| avg.is_finite())?;
        let spread =
            RunSpread { min: stats.min.unwrap_or(mean), max: stats.max.unwrap_or(mean), ..RunSpread::of_one(mean) };
        Some(Self { key: tag.to_owned(), unit: unit.to_owned(), spread, within: Some(stats) })
    }

    fn json(&self) -> Value {
        let mut object = Map::new();
        let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
        for (name, figure) in self.spread.figures().into_iter().filter(|(name, _)| !ONLY_IN_AGGREGATES.contains(name)) {
            put(name, figure);
            if name == "mean" && self.within.is_some() {
                put("avg", number(self.spread.mean));
            }
        }
        put("unit", self.unit.as_str().into());
        if let Some(stats) = self.within {
            for percentile in Percentile::ALL {
                if let Some(value) = stats.percentile(percentile).filter(|value| value.is_finite()) {
                    put(percentile.name(), number(value));
                }
            }
            if let Some(count) = stats.count {
                put("count", count.into());
            }
            if let Some(sum) = stats.sum.filter(|sum| sum.is_finite()) {
                put("sum", number(sum));
            }
        }
        Value::Object(object)
    }

    fn csv(&self) -> [String; 5] {
        let RunSpread { mean, std, min, max, cv, .. } = self.spread;
        let cv = cv.map_or_else(String::new, |cv| format!("{cv:.4}"));
        let two = |value: f64| format!("{value:.2}");
        [two(mean), two(std), two(min), two(max), cv]
    }
}

impl BestCell {
    fn json(&self) -> Value {
        json!({
            "parameters": self.parameters,
            "metric": number(self.value),
            "unit": self.unit,
            "statistic": self.statistic,
            "tied_with": self.tied_with,
        })
    }
}

impl SweepReport {
    /// Gives parameters other names, everywhere.
    pub fn rename_parameters(&mut self, name: impl Fn(&str) -> &str) {
        let rename = |values: &mut Map<String, Value>| {
            *values = std::mem::take(values).into_iter().map(|(path, value)| (name(&path).to_owned(), value)).collect();
        };
        self.parameters.iter_mut().for_each(|(path, _)| *path = name(path).to_owned());
        self.cells.iter_mut().for_each(|cell| rename(&mut cell.parameters));
        self.pareto_optimal.iter_mut().for_each(rename);
        for best in [&mut self.best_throughput, &mut self.best_latency].into_iter().flatten() {
            rename(&mut best.parameters);
            best.tied_with.iter_mut().for_each(rename);
        }
    }

    /// Writes the file. The cells are written one by one: all of them as one value would take most of the memory of a sweep.
    pub(super) fn write_json(&self, file: &mut PartFile) -> Result<(), ReportError> {
        let text = indented(&self.json(), 0);
        let mark = format!("\"{CELLS}\"");
        let (before, after) = text.split_once(&mark).unwrap_or((&text, ""));
        file.put(before.as_bytes())?;
        for (index, cell) in self.cells.iter().enumerate() {
            let comma = if index == 0 { "" } else { ",\n    " };
            file.put(format!("{comma}{}", indented(&cell.json(), 4)).as_bytes())?;
        }
        file.put(after.as_bytes())
    }

    /// All but the cells.
    fn json(&self) -> Value {
        let parameters = self.parameters.iter().map(|(name, values)| json!({"name": name, "values": values}));
        let mut metadata = json!({
            "sweep_parameters": parameters.collect::<Vec<_>>(),
            "num_combinations": self.cells.len(),
            "sweep_mode": self.mode,
            "confidence_level": number(self.confidence_level),
            "num_trials_per_value": self.trials,
            "aggregation_type": "sweep",
        });
        if !self.sla_limits.is_empty() {
            let feasible = self.feasible();
            metadata["sla_constraints"] = json!({
                "active_filters": self.sla_limits.iter().map(SlaLimit::json).collect::<Vec<_>>(),
                "feasible_count": feasible,
                "infeasible_count": self.cells.len() - feasible,
            });
        }
        if let Some((handler, file)) = &self.post_process {
            metadata["post_process"] = json!({"handler": handler, "output_filename": file});
        }
        if let Some(axes) = &self.pareto_axes {
            metadata["pareto_axes"] = axes.json();
        }
        if self.was_cancelled {
            metadata["was_cancelled"] = true.into();
        }
        let mut best = Map::new();
        for (name, cell) in self.best() {
            best.insert(name.to_owned(), cell.json());
        }
        json!({
            "aggregation_type": "sweep",
            "num_profile_runs": self.runs,
            "num_successful_runs": self.successful,
            "failed_runs": self.failed.iter().map(FailedRun::json).collect::<Vec<_>>(),
            "metadata": metadata,
            "per_combination_metrics": [CELLS],
            "best_configurations": best,
            "pareto_optimal": self.pareto_optimal,
        })
    }

    /// Cells that keep all limits.
    pub fn feasible(&self) -> usize {
        self.cells.iter().filter(|cell| cell.is_feasible()).count()
    }

    fn best(&self) -> impl Iterator<Item = (&'static str, &BestCell)> {
        let all = [("best_throughput", &self.best_throughput), ("best_latency_p99", &self.best_latency)];
        all.into_iter().filter_map(|(name, cell)| Some((name, cell.as_ref()?)))
    }

    pub(super) fn csv(&self) -> String {
        let names: Vec<&str> = self.parameters.iter().map(|(name, _)| name.as_str()).collect();
        let keys: BTreeSet<&str> =
            self.cells.iter().flat_map(|cell| &cell.metrics).map(|metric| metric.key.as_str()).collect();
        let mut head: Vec<String> = names.iter().map(|name| cell(name)).collect();
        head.extend(
            keys.iter().flat_map(|key| ["mean", "std", "min", "max", "cv"].map(|stat| format!("{key}_{stat}"))),
        );
        let mut lines = vec![head.join(",")];
        for point in &self.cells {
            let mut row: Vec<String> = names.iter().map(|name| plain(point.parameters.get(*name))).collect();
            for key in &keys {
                let metric = point.metrics.iter().find(|metric| metric.key == *key);
                row.extend(metric.map_or_else(|| std::array::from_fn(|_| String::new()), SweepMetric::csv));
            }
            lines.push(row.join(","));
        }
        self.csv_of_best(&names, &mut lines);
        lines.extend([String::new(), "Metadata".to_owned(), "Field,Value".to_owned()]);
        lines.push("Aggregation Type,sweep".to_owned());
        lines.push(format!("Sweep Parameters,{}", cell(&names.join(", "))));
        lines.push(format!("Number of Combinations,{}", self.cells.len()));
        lines.push(format!("Number of Profile Runs,{}", self.runs));
        lines.push(format!("Number of Successful Runs,{}", self.successful));
        csv::lines(lines)
    }

    fn csv_of_best(&self, names: &[&str], lines: &mut Vec<String>) {
        lines.extend([String::new(), "Best Configurations".to_owned()]);
        let mut best = self.best().peekable();
        if best.peek().is_some() {
            lines.push(format!(
                "Configuration,{},Metric,Unit",
                names.iter().map(|name| cell(name)).collect::<Vec<_>>().join(",")
            ));
        }
        for (name, point) in best {
            let title = if name == "best_throughput" { "Best Throughput" } else { "Best Latency P99" };
            let values = names.iter().map(|name| plain(point.parameters.get(*name))).collect::<Vec<_>>().join(",");
            lines.push(format!("{title},{values},{:.2},{}", point.value, cell(&point.unit)));
        }
        lines.extend([String::new(), "Pareto Optimal Points".to_owned()]);
        if self.pareto_optimal.is_empty() {
            lines.push("None".to_owned());
            return;
        }
        lines.push(names.iter().map(|name| cell(name)).collect::<Vec<_>>().join(","));
        for point in &self.pareto_optimal {
            lines.push(names.iter().map(|name| plain(point.get(*name))).collect::<Vec<_>>().join(","));
        }
    }
}

/// A value of a parameter without the quotes of JSON.
fn plain(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::String(text)) => cell(text),
        Some(value) => value.to_string(),
    }
}
