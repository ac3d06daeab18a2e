//! A run by its summary: what charts of several runs are made from.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use aiperf_artifact::Folder;
use serde_json::Value;

use super::columns::{self, RunParameter};
use super::discover::{ResultFolder, ResultKind, TRIALS, cell_folder};
use super::json;
use super::server_summary::{self, ServerMetricStats};
use super::statistics::{MetricStats, StatValue, split_statistic};
use crate::PlotError;

/// A metric that no file has: output tokens per second of each GPU.
pub(crate) const PER_GPU: &str = "output_token_throughput_per_gpu";

/// One run, or several equal ones, in numbers.
#[derive(Debug, Clone, Default)]
pub struct SummarisedRun {
    /// The name of its folder.
    pub name: String,
    pub folder: PathBuf,
    pub metrics: BTreeMap<String, MetricStats>,
    /// Model, load and swept parameters.
    pub columns: BTreeMap<String, RunParameter>,
    /// What a sweep calls its point.
    pub variation: Option<String>,
    pub gpu_count: Option<u64>,
    /// How many runs the numbers come from.
    pub runs: u64,
    /// Level of the stored intervals.
    pub level: Option<f64>,
    pub server_metrics: BTreeMap<String, ServerMetricStats>,
    /// What the run was asked to do.
    pub input_config: Value,
}

impl SummarisedRun {
    /// `gpus`: how many GPUs served the run, if the user said so.
    pub fn load(found: &ResultFolder, gpus: Option<u64>) -> Result<Self, PlotError> {
        let mut run = match &found.kind {
            ResultKind::Run(folder) => Self::of_run(folder)?,
            ResultKind::GenaiPerf(_, summary) => Self::of_genai_perf(summary)?,
            ResultKind::Aggregate(file) => Self::of_aggregate(file)?,
        };
        run.folder.clone_from(&found.folder);
        let name = found.folder.file_name().map(|name| name.to_string_lossy().into_owned());
        run.name = name.unwrap_or_else(|| found.folder.display().to_string());
        run.columns.insert("run_name".to_owned(), RunParameter::Text(run.name.clone()));
        run.gpu_count = gpus.or(run.gpu_count);
        if let (Some(gpus), Some(total)) =
            (run.gpu_count.filter(|gpus| *gpus > 0), run.metrics.get("output_token_throughput"))
        {
            let per_gpu = total.divided(gpus as f64, "tokens/sec/GPU");
            run.metrics.insert(PER_GPU.to_owned(), per_gpu);
        }
        Ok(run)
    }

    fn of_run(folder: &Folder) -> Result<Self, PlotError> {
        let paths = folder.paths();
        let summary = json::read(&paths.summary_json())?.unwrap_or_default();
        let mut run = Self::of_summary(&summary);
        run.server_metrics = server_summary::read(&paths.server_metrics("json"))?;
        Ok(run)
    }

    fn of_summary(summary: &Value) -> Self {
        let entries = summary.as_object().into_iter().flatten();
        let metrics =
            entries.filter_map(|(tag, entry)| Some((tag.clone(), MetricStats::of_summary(entry.as_object()?)?)));
        let metrics: BTreeMap<String, MetricStats> = metrics.collect();
        let info = &summary["run_info"];
        let mut columns = columns::of_config(&summary["input_config"]);
        columns.extend(columns::of_variation(&info["variation_values"]));
        let level = summary.as_object().into_iter().flatten().find_map(|(_, entry)| entry["ci"]["level"].as_f64());
        Self {
            metrics,
            columns,
            variation: info["variation_label"].as_str().map(ToOwned::to_owned),
            gpu_count: gpu_count(&summary["telemetry_data"]),
            runs: 1,
            level,
            input_config: summary["input_config"].clone(),
            ..Self::default()
        }
    }

    fn of_genai_perf(path: &Path) -> Result<Self, PlotError> {
        let summary = json::read(path)?.unwrap_or_default();
        let mut run = Self::of_summary(&summary);
        let gpus =
            |entry: &Value| entry.as_object().map(|gpus| gpus.keys().filter(|key| key.starts_with("gpu")).count());
        let telemetry = summary["telemetry_stats"].as_object().into_iter().flatten();
        run.gpu_count =
            telemetry.filter_map(|(_, entry)| gpus(entry)).max().filter(|gpus| *gpus > 0).map(|gpus| gpus as u64);
        Ok(run)
    }

    /// What aggregates leave out (GPUs, server metrics, configuration) comes from the trials that they stand for.
    fn of_aggregate(path: &Path) -> Result<Self, PlotError> {
        let aggregate = json::read(path)?.unwrap_or_default();
        let metadata = &aggregate["metadata"];
        let mut run = match first_trial(path) {
            Some(folder) => Self::of_run(&folder)?,
            None => Self::default(),
        };
        let runs = metadata["num_successful_runs"].as_u64().unwrap_or(1);
        run.metrics.clear();
        for (name, entry) in aggregate["metrics"].as_object().into_iter().flatten() {
            let Some(((metric, stat), value)) = split_statistic(name).zip(entry["mean"].as_f64()) else { continue };
            let interval = entry["ci_low"].as_f64().zip(entry["ci_high"].as_f64()).filter(|_| runs > 1);
            let repeats = entry["std"].as_f64().map(|std| (std, runs)).filter(|_| runs > 1);
            let stats = run.metrics.entry(metric.to_owned()).or_default();
            entry["unit"].as_str().unwrap_or_default().clone_into(&mut stats.unit);
            stats.values.insert(stat.to_owned(), StatValue { value, interval, repeats });
        }
        run.columns.extend(columns::of_variation(&metadata["variation_values"]));
        if let Some(model) = metadata["model"].as_str() {
            run.columns.entry("model".to_owned()).or_insert_with(|| RunParameter::Text(model.to_owned()));
        }
        run.variation = metadata["variation_label"].as_str().map(ToOwned::to_owned).or(run.variation);
        run.runs = runs;
        run.level = metadata["confidence_level"].as_f64();
        Ok(run)
    }

    /// The number that stands at the point of this run: a statistic of a metric, or a parameter.
    pub(crate) fn parameter(&self, name: &str) -> Option<&RunParameter> {
        self.columns.get(name)
    }
}

/// GPUs of all endpoints together.
fn gpu_count(telemetry: &Value) -> Option<u64> {
    let endpoints = telemetry["endpoints"].as_object()?;
    let gpus = endpoints.values().filter_map(|endpoint| Some(endpoint["gpus"].as_object()?.len() as u64)).sum();
    Some(gpus).filter(|gpus| *gpus > 0)
}

/// `X/aggregate/NAME` stands for `X/profile_runs/*/NAME`, `X/aggregate` for `X/profile_runs/*`.
fn first_trial(aggregate: &Path) -> Option<Folder> {
    let dir = aggregate.parent()?;
    let (root, name) =
        if dir.ends_with("aggregate") { (dir.parent()?, None) } else { (dir.parent()?.parent()?, dir.file_name()) };
    let entries = fs::read_dir(root.join(TRIALS)).ok()?.filter_map(Result::ok);
    let trials = entries.filter_map(|entry| name.map_or(Some(entry.path()), |name| cell_folder(&entry.path(), name)));
    let mut trials: Vec<PathBuf> = trials.filter(|path| path.is_dir()).collect();
    trials.sort();
    let folders = trials.iter().filter_map(|path| Folder::open(path).ok());
    folders.into_iter().find(|folder| folder.paths().summary_json().is_file())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn save(path: &Path, value: &Value) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, value.to_string()).unwrap();
    }

    #[test]
    fn an_aggregate_keeps_its_intervals_and_takes_the_gpus_of_its_trials() {
        let dir = tempfile::tempdir().unwrap();
        let aggregate = dir.path().join("aggregate/concurrency_2/profile_export_aiperf_aggregate.json");
        save(
            &aggregate,
            &json!({"metadata": {"num_successful_runs": 3, "confidence_level": 0.9, "model": "m",
                "variation_values": {"phases.profiling.concurrency": 2}},
                "metrics": {"output_token_throughput_avg": {"mean": 80.0, "std": 4.0, "ci_low": 70.0, "ci_high": 90.0, "unit": "tokens/sec"}}}),
        );
        save(
            &dir.path().join("profile_runs/trial_0001/concurrency_2/profile_export_aiperf.json"),
            &json!({"telemetry_data": {"endpoints": {"h": {"gpus": {"gpu_0": {}, "gpu_1": {}}}}}, "input_config": {}}),
        );
        let found = super::super::discover(&[dir.path().to_owned()]).unwrap();
        assert_eq!(found.len(), 1);
        let run = SummarisedRun::load(&found[0], None).unwrap();
        assert_eq!((run.gpu_count, run.runs, run.level), (Some(2), 3, Some(0.9)));
        let stat = run.metrics[PER_GPU].values["avg"];
        assert_eq!(stat, StatValue { value: 40.0, interval: Some((35.0, 45.0)), repeats: Some((2.0, 3)) });
        assert_eq!(run.parameter("concurrency").unwrap().number(), Some(2.0));
        let run = SummarisedRun::load(&found[0], Some(8)).unwrap();
        assert_eq!(run.metrics[PER_GPU].values["avg"].value, 10.0);
    }
}
