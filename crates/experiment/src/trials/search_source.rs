//! The points of a search: asked from its planner, told what was measured, and written down after each of them.

use std::error::Error;
use std::path::{Path, PathBuf};

use aiperf_config::{
    Cell, CellVariation, Config, Experiment, PhaseConfig, PhaseKind, Phases, PlannedSearch, StopConditions,
};
use aiperf_metrics::Metric;
use aiperf_report::{ReportError, WrittenFile, aggregate_names, write_durably};
use aiperf_search::{EndReason, NextProbe, Outcome, Planner, Search, SearchPoint, TrialStatistics};
use serde_json::{Map, Value, json};

use super::cell_source::{CellSource, MeasuredCell, MeasuredTrial};
use super::figures::{Figures, MetricFigures, statistics};
use super::seeds;
use crate::error::RunError;

/// A search that is asked for its points.
#[derive(Debug)]
pub struct SearchSource {
    planned: PlannedSearch,
    search: Search,
    dir: PathBuf,
    asked: Option<SearchPoint>,
    /// What was measured at each point, as the checkpoint has it.
    measured: Vec<Value>,
    /// Why a file could not be written.
    problem: Option<ReportError>,
}

impl SearchSource {
    /// The search of an experiment; `None` if it has none. `planner` chooses the points, if it is given.
    pub fn new(
        experiment: &Experiment,
        planner: Option<Box<dyn Planner>>,
    ) -> Result<Option<Self>, Box<dyn Error + Send + Sync>> {
        let Some(planned) = experiment.search.clone() else { return Ok(None) };
        check(&planned)?;
        let seed = experiment.seeds.base.unwrap_or(seeds::USUAL);
        let search = match planner {
            Some(planner) => Search::with_planner(planned.spec.clone(), planner),
            None => Search::new(planned.spec.clone(), seed),
        };
        let dir = experiment.dir.clone();
        Ok(Some(Self { planned, search, dir, asked: None, measured: Vec::new(), problem: None }))
    }

    /// The search with all that it was told.
    pub const fn search(&self) -> &Search {
        &self.search
    }

    /// The files that it wrote, or why one is missing.
    pub fn files(&self) -> (Vec<WrittenFile>, Option<&ReportError>) {
        let names = [
            ("Search History", aggregate_names::SEARCH_HISTORY),
            ("Search Checkpoint", aggregate_names::SEARCH_CHECKPOINT),
        ];
        let file = |(label, name): (&str, &str)| WrittenFile { label: label.to_owned(), path: self.dir.join(name) };
        (names.into_iter().map(file).filter(|file| file.path.exists()).collect(), self.problem.as_ref())
    }

    fn config(&self, values: &Map<String, Value>, is_repeat: bool) -> Result<Config, Box<dyn Error + Send + Sync>> {
        let mut config = self.planned.points.config(values)?;
        let spec = &self.planned.spec;
        let own = spec.sla_warmup.of(is_repeat).filter(|_| spec.shapes_probes() && !config.phases.has_warmup());
        if let Some(duration) = own {
            // The load of the probe itself, so that it begins with the queues that it will have.
            let stop = StopConditions { duration: Some(duration), ..StopConditions::default() };
            let profiling = config.phases.profiling();
            let warmup = PhaseConfig {
                prefill_limit: profiling.prefill_limit,
                grace: profiling.grace,
                ..PhaseConfig::new(PhaseKind::Warmup, profiling.pace.clone(), stop)
            };
            let all = [warmup].into_iter().chain(config.phases.iter().cloned()).collect();
            config.phases = Phases::new(all).unwrap_or(config.phases);
        }
        Ok(config)
    }

    /// Writes what is known. A search goes on if that fails, and says so at its end.
    fn write(&mut self) {
        let history = self.search.history(&|index| boundary_metrics(&self.measured[index]));
        let history = serde_json::to_vec_pretty(&history).unwrap_or_default();
        let checkpoint = serde_json::to_vec(&json!({"iterations": self.measured})).unwrap_or_default();
        let files = [(aggregate_names::SEARCH_CHECKPOINT, checkpoint), (aggregate_names::SEARCH_HISTORY, history)];
        for (name, bytes) in files {
            if let Err(error) = write_durably(&self.dir.join(name), &bytes) {
                log::error!("{error}");
                self.problem = Some(error);
            }
        }
    }
}

impl CellSource for SearchSource {
    fn next_cell(&mut self) -> Result<Option<Cell>, Box<dyn Error + Send + Sync>> {
        let (point, is_repeat) = match self.search.next_probe() {
            NextProbe::Probe { point, is_repeat } => (point, is_repeat),
            NextProbe::End(reason) => {
                log::info!("The search ended: {}", EndReason::explanation(reason));
                self.write();
                return Ok(None);
            }
        };
        let index = self.search.iterations().len();
        let values = point.values(&self.planned.spec.space);
        let name = format!("search_iter_{index:04}");
        let cell = Cell {
            config: self.config(&values, is_repeat)?,
            variation: Some(CellVariation { label: name.clone(), folder: name, values: values.into_iter().collect() }),
        };
        self.asked = Some(point);
        Ok(Some(cell))
    }

    fn tell(&mut self, result: &MeasuredCell) {
        let Some(point) = self.asked.take() else { return };
        let spec = &self.planned.spec;
        let trials: Vec<&dyn TrialStatistics> =
            result.trials.iter().map(|trial| trial as &dyn TrialStatistics).collect();
        let outcome = Outcome::of(spec, &trials);
        self.measured.push(checkpoint(&self.dir, &point.values(&spec.space), result));
        self.search.record(point, outcome);
        self.write();
    }
}

impl TrialStatistics for MeasuredTrial {
    fn statistic(&self, metric: &str, stat: &str) -> Option<f64> {
        self.figures.get(metric, stat)
    }

    fn values(&self, metric: &str) -> Option<&[f64]> {
        let values = self.values.iter().find(|(known, _)| known.tag() == metric)?;
        Some(&values.1)
    }
}

/// Whether all metrics that the search names exist.
fn check(planned: &PlannedSearch) -> Result<(), RunError> {
    let spec = &planned.spec;
    let objectives = spec.objectives.iter().map(|objective| ("objective of the search", &objective.metric));
    let filters = spec.all_filters().map(|filter| ("limit of the search", &filter.metric));
    let constraints =
        spec.outcome_constraints.iter().map(|constraint| ("constraint of the search", &constraint.metric));
    for (field, tag) in objectives.chain(filters).chain(constraints) {
        if Metric::from_tag(tag).is_none() {
            let reason = format!("no metric is called {tag:?}; {}", Metric::advice(tag, |_| true));
            return Err(RunError::Sweep { field, reason });
        }
    }
    Ok(())
}

/// One point in the checkpoint, with the fields of AIPerf.
fn checkpoint(dir: &Path, values: &Map<String, Value>, result: &MeasuredCell) -> Value {
    let label = format!("search_iter_{:04}", result.index);
    let common = |run: &str, trial: usize| {
        json!({
            "artifacts_path": dir.join(&label).join("profile_runs").join(run),
            "variation_label": label,
            "variation_values": values,
            "variation_index": result.index,
            "trial_index": trial,
            "was_cancelled": false,
        })
    };
    let good = result.trials.iter().enumerate().map(|(trial, measured)| {
        let run = format!("run_{:04}", trial + 1);
        let mut object =
            json!({"label": run, "success": true, "summary_metrics": summary(&measured.figures), "error": null});
        extend(&mut object, common(&run, trial));
        object
    });
    let failed = result.failed.iter().enumerate().map(|(trial, failed)| {
        let mut object = json!({"label": failed.label, "success": false, "summary_metrics": {}, "error": failed.error});
        extend(&mut object, common(&failed.label, trial));
        object
    });
    json!({"variation_values": values, "results": good.chain(failed).collect::<Vec<_>>()})
}

fn extend(object: &mut Value, more: Value) {
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
}

/// All metrics of a run with their statistics.
fn summary(figures: &Figures) -> Map<String, Value> {
    let metric = |figure: &MetricFigures| {
        let mut object = Map::new();
        object.insert("unit".to_owned(), json!(figure.unit));
        for (name, value) in statistics(&figure.stats) {
            object.insert(name.to_owned(), json!(value));
        }
        (figure.tag.to_string(), Value::Object(object))
    };
    figures.metrics.iter().map(metric).collect()
}

/// The metrics of the first successful run of a point, without units.
fn boundary_metrics(measured: &Value) -> Value {
    let run = measured["results"].as_array().and_then(|runs| runs.iter().find(|run| run["success"] == true));
    let Some(metrics) = run.and_then(|run| run["summary_metrics"].as_object()) else { return Value::Null };
    let without_unit = |(tag, metric): (&String, &Value)| {
        let stats = metric.as_object().into_iter().flatten().filter(|(key, _)| *key != "unit");
        let stats: Map<String, Value> = stats.map(|(key, value)| (key.clone(), value.clone())).collect();
        (tag.clone(), Value::Object(stats))
    };
    Value::Object(metrics.iter().map(without_unit).collect())
}
