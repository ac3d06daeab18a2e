//! The plan of a command with several runs, as a file that is durable before the first of them. A command that resumes it must
//! mean the same runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aiperf_config::{Cell, Experiment, PostProcessHandler};
use aiperf_report::{ReportError, aggregate_names, write_durably};
use aiperf_search::search_settings;
use aiperf_seed::Stream;
use serde_json::{Map, Value, json};

use super::sla;

const SCHEMA_VERSION: &str = "1.0";

/// Fields of the plan that say nothing of what is measured.
const NOT_COMPARED: [&str; 4] = ["schema_version", "aiperf_version", "sweep_id", "command"];

/// Sections and fields of a configuration that only say how a run is shown, or where its files are.
const OF_THE_VIEW: [(&str, Option<&str>); 7] = [
    ("artifacts", Some("dir")),
    ("artifacts", Some("auto_plot")),
    ("artifacts", Some("plot_required")),
    ("artifacts", Some("html")),
    ("runtime", Some("ui")),
    ("runtime", Some("api_port")),
    ("logging", None),
];

/// The plan of all runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentPlan {
    value: Value,
}

impl ExperimentPlan {
    /// Where the plan of the runs in a folder is.
    pub fn path(dir: &Path) -> PathBuf {
        dir.join(aggregate_names::PLAN)
    }

    /// The plan of an experiment, with a new id.
    pub fn new(experiment: &Experiment, version: &str) -> Self {
        let base = experiment.cells.first().map(config).unwrap_or_default();
        let flat = flatten(&base);
        let cell = |(index, cell): (usize, &Cell)| {
            json!({
                "index": index,
                "label": cell.label(),
                "folder": cell.folder(),
                "values": cell.values_by_path(),
                "changes": changes(&flat, &flatten(&config(cell))),
            })
        };
        let trials = &experiment.trials;
        let convergence = trials.convergence.as_ref().map(|rule| {
            json!({
                "metric": rule.metric,
                "stat": rule.stat.name(),
                "mode": rule.mode.name(),
                "threshold": rule.threshold,
                "min_runs": rule.min_runs,
            })
        });
        let sweep = experiment.sweep.as_ref().map(|sweep| {
            json!({
                "order": sweep.order.name(),
                "cooldown_seconds": sweep.cooldown.as_secs_f64(),
                "sla_filters": sweep.sla_filters.iter().map(|filter| sla::limit(filter).json()).collect::<Vec<_>>(),
                "post_process": sweep.post_process.as_ref().map(|asked| json!({
                    "handler": asked.handler.name(),
                    "params": params(&asked.handler),
                    "output_filename": asked.output_filename,
                })),
            })
        });
        let options = experiment.options.iter().map(|(name, values)| json!({"name": name, "values": values}));
        let command = experiment.cells.first().map_or("", |cell| cell.config.command_line.as_str());
        let value = json!({
            "schema_version": SCHEMA_VERSION,
            "aiperf_version": version,
            "sweep_id": Stream::from_entropy().uuid().to_string(),
            "command": command,
            "options": options.collect::<Vec<_>>(),
            "trials": {
                "count": trials.count,
                "cooldown_seconds": trials.cooldown.as_secs_f64(),
                "confidence_level": trials.confidence_level,
                "warmup_only_first": trials.warmup_only_first,
                "convergence": convergence,
            },
            "seeds": {
                "base": experiment.seeds.base,
                "vary_by_trial": experiment.seeds.vary_by_trial,
                "same_in_cells": experiment.seeds.same_in_cells,
            },
            "sweep": sweep,
            "search": experiment.search.as_ref().map(|search| search_settings(&search.spec)),
            "config": base,
            "cells": experiment.cells.iter().enumerate().map(cell).collect::<Vec<_>>(),
        });
        Self { value }
    }

    /// The plan in a folder; an error says why there is none.
    pub fn read(dir: &Path) -> Result<Self, String> {
        let path = Self::path(dir);
        let shown = path.display();
        let text = std::fs::read(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                format!(
                    "{} has no plan of a sweep or of repeated runs ({} is missing)",
                    dir.display(),
                    aggregate_names::PLAN
                )
            }
            _ => format!("{shown} cannot be read: {error}"),
        })?;
        let value: Value = serde_json::from_slice(&text).map_err(|error| format!("{shown} cannot be read: {error}"))?;
        if value["schema_version"] != SCHEMA_VERSION || !value["sweep_id"].is_string() {
            return Err(format!("{shown} is not a plan that this version can resume"));
        }
        Ok(Self { value })
    }

    /// Writes it durably.
    pub fn write(&self, dir: &Path) -> Result<(), ReportError> {
        let text = serde_json::to_vec(&self.value).unwrap_or_default();
        write_durably(&Self::path(dir), &text)
    }

    /// The id of all runs of the command.
    pub fn sweep_id(&self) -> &str {
        self.value["sweep_id"].as_str().unwrap_or_default()
    }

    /// The version of the program that made it.
    pub fn version(&self) -> &str {
        self.value["aiperf_version"].as_str().unwrap_or_default()
    }

    /// The options that the command was given, without secrets.
    pub fn options(&self) -> Vec<(String, Vec<String>)> {
        let texts = |value: &Value| -> Vec<String> {
            value.as_array().into_iter().flatten().filter_map(Value::as_str).map(ToOwned::to_owned).collect()
        };
        let listed = self.value["options"].as_array().into_iter().flatten();
        listed.filter_map(|option| Some((option["name"].as_str()?.to_owned(), texts(&option["values"])))).collect()
    }

    /// What differs from another plan: one line for each field, with the value here and the value there. `other_options`:
    /// options that do not change what is measured.
    pub fn differences(&self, other: &Self, not_measured: &[String]) -> Vec<String> {
        let comparable = |plan: &Self| {
            let mut value = plan.value.clone();
            if let Some(object) = value.as_object_mut() {
                object.retain(|key, _| !NOT_COMPARED.contains(&key.as_str()));
                let options: Map<String, Value> = plan
                    .options()
                    .into_iter()
                    .filter(|(name, _)| !not_measured.contains(name))
                    .map(|(name, values)| (name, values.join(" ").into()))
                    .collect();
                object.insert("options".to_owned(), Value::Object(options));
            }
            flatten(&value)
        };
        let (before, now) = (comparable(self), comparable(other));
        let paths: std::collections::BTreeSet<&String> = before.keys().chain(now.keys()).collect();
        let shown = |value: Option<&Value>| value.map_or_else(|| "not set".to_owned(), ToString::to_string);
        let differing = paths.into_iter().filter(|path| before.get(*path) != now.get(*path));
        differing.map(|path| format!("{path}: {} -> {}", shown(before.get(path)), shown(now.get(path)))).collect()
    }
}

/// The configuration of a cell without what does not change its results.
fn config(cell: &Cell) -> Value {
    let mut config = cell.config.to_input_config();
    for (section, field) in OF_THE_VIEW {
        match (field, config.as_object_mut()) {
            (None, Some(sections)) => {
                sections.shift_remove(section);
            }
            (Some(field), Some(sections)) => {
                if let Some(section) = sections.get_mut(section).and_then(Value::as_object_mut) {
                    section.shift_remove(field);
                }
            }
            (_, None) => {}
        }
    }
    config
}

fn params(handler: &PostProcessHandler) -> Value {
    match handler {
        PostProcessHandler::DegradationKnee { of, swept, threshold } => {
            json!({"metric_tag": of.metric, "stat": of.stat, "swept_param": swept, "threshold_pct": threshold})
        }
        PostProcessHandler::CurveFit { of, swept, r_squared_floor } => {
            json!({"metric_tag": of.metric, "stat": of.stat, "swept_param": swept, "r_squared_floor": r_squared_floor})
        }
        PostProcessHandler::SurfaceFit { of, concurrency, osl } => {
            json!({"metric_tag": of.metric, "stat": of.stat, "concurrency_param": concurrency, "osl_param": osl})
        }
        PostProcessHandler::SlaBreachKnee { filters, swept } => {
            let filters: Vec<Value> = filters.iter().map(|filter| sla::limit(filter).json()).collect();
            json!({"sla_filters": filters, "swept_param": swept})
        }
        PostProcessHandler::ParetoExport { x, y, isl, osl, concurrency } => json!({
            "x_metric": x.metric, "x_stat": x.stat, "y_metric": y.metric, "y_stat": y.stat,
            "isl_key": isl, "osl_key": osl, "concurrency_key": concurrency,
        }),
    }
}

/// All leaves of a value by their path: `cells[2].values`.
fn flatten(value: &Value) -> BTreeMap<String, Value> {
    fn enter(path: String, value: &Value, leaves: &mut BTreeMap<String, Value>) {
        match value {
            Value::Object(object) if !object.is_empty() => {
                for (key, value) in object {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    enter(path, value, leaves);
                }
            }
            Value::Array(items) if !items.is_empty() => {
                for (index, value) in items.iter().enumerate() {
                    enter(format!("{path}[{index}]"), value, leaves);
                }
            }
            _ => {
                leaves.insert(path, value.clone());
            }
        }
    }
    let mut leaves = BTreeMap::new();
    enter(String::new(), value, &mut leaves);
    leaves
}

/// What a cell has that the first one has not; `null` for what it lacks.
fn changes(base: &BTreeMap<String, Value>, own: &BTreeMap<String, Value>) -> Map<String, Value> {
    let added = own.iter().filter(|(path, value)| base.get(*path) != Some(value));
    let added = added.map(|(path, value)| (path.clone(), value.clone()));
    let lacking = base.keys().filter(|path| !own.contains_key(*path)).map(|path| (path.clone(), Value::Null));
    added.chain(lacking).collect()
}
