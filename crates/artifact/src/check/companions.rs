//! The files in addition to summary and records: raw exchanges, round trips, inputs, outputs, phases.

use std::collections::HashSet;

use aiperf_report::{CapacityHistory, HistoryStep};
use serde_json::Value;

use super::FolderCheck;
use crate::schema::Shape;
use crate::{ArtifactError, Finding};

impl FolderCheck<'_> {
    pub(super) fn companions(&mut self) -> Result<(), ArtifactError> {
        self.raw()?;
        self.round_trips()?;
        self.scraped_pages()?;
        self.server_metrics();
        self.gpu_readings()?;
        self.accuracy()?;
        self.inputs();
        self.outputs();
        self.manifest();
        self.run_config();
        self.whole(&self.folder.paths().trial_mark(), Shape::TrialMark);
        self.mlflow_export();
        self.capacity()?;
        self.genai_perf();
        Ok(())
    }

    /// Every conversation that was sent is in the data set.
    fn inputs(&mut self) {
        let path = self.folder.paths().inputs();
        let name = self.folder.name(&path);
        let Some(inputs) = self.whole(&path, Shape::Inputs) else {
            let synthetic = self.summary.as_ref().is_some_and(|summary| {
                let datasets = &summary["input_config"]["datasets"];
                datasets[0]["type"] == "synthetic" && summary["is_complete"] == true
            });
            if synthetic && !path.exists() {
                self.find(&name, "missing");
            }
            return;
        };
        let sessions: HashSet<&str> = items(&inputs, "data").filter_map(|item| item["session_id"].as_str()).collect();
        if let Some(seen) = &self.seen {
            let unknown = |id: &&String| !sessions.contains(id.as_str());
            let mut missing: Vec<&String> = seen.conversations.iter().filter(unknown).collect();
            missing.sort();
            if !missing.is_empty() && self.was_killed {
                let text = format!("has no entry for {} of the sessions that were sent", missing.len());
                return self.find_unless_killed(Finding::of(&name, text));
            }
            let found = missing.iter().map(|id| Finding::of(&name, format!("has no session {id:?}, which was sent")));
            let found = found.collect();
            self.find_some(&name, found);
        }
    }

    /// The statistics belong to this run, and their phase is that of the summary.
    fn server_metrics(&mut self) {
        let path = self.folder.paths().server_metrics("json");
        let name = self.folder.name(&path);
        let Some(metrics) = self.whole(&path, Shape::ServerMetrics) else { return };
        let is_foreign = |summary: &Value| metrics["benchmark_id"] != summary["benchmark_id"];
        if self.summary.as_ref().is_some_and(is_foreign) {
            self.find(&name, "belongs to another run: its benchmark_id differs from that of the summary");
        }
    }

    /// A text for each profiled request.
    fn outputs(&mut self) {
        let path = self.folder.paths().outputs();
        let name = self.folder.name(&path);
        let Some(outputs) = self.whole(&path, Shape::Outputs) else { return };
        let order = |item: &Value| (item["session_num"].as_u64(), item["turn_index"].as_u64());
        if !items(&outputs, "data").is_sorted_by_key(order) {
            self.find(&name, "not in the order of session_num and turn_index");
        }
        let Some(seen) = &self.seen else { return };
        let ids: HashSet<&str> = items(&outputs, "data").filter_map(|item| item["x_request_id"].as_str()).collect();
        let missing = seen.profiling_ids.iter().filter(|id| !ids.contains(id.as_str())).count();
        let extra = ids.iter().filter(|id| !seen.profiling_ids.contains(**id)).count();
        if missing > 0 || extra > 0 {
            let text = format!("lacks {missing} of the profiled requests, and has {extra} that are not recorded");
            self.find_unless_killed(Finding::of(&name, text));
        }
    }

    /// What one of several runs was to be is what its summary says that it was.
    fn run_config(&mut self) {
        let path = self.folder.paths().run_config();
        let name = self.folder.name(&path);
        let Some(config) = self.whole(&path, Shape::RunConfig) else { return };
        let Some(summary) = &self.summary else { return };
        let info = &summary["run_info"];
        let pairs = [
            ("/benchmark_id", "benchmark_id"),
            ("/sweep_id", "sweep_id"),
            ("/trial", "trial"),
            ("/label", "run_label"),
            ("/variation/label", "variation_label"),
            ("/variation/index", "variation_index"),
        ];
        let differs = |(place, key): &(&str, &str)| config.pointer(place) != info.get(*key);
        if let Some((place, key)) = pairs.into_iter().find(differs) {
            let said = config.pointer(place).unwrap_or(&Value::Null);
            let text = format!("{place} is {said}, the summary's run_info has {}", info[key]);
            self.find(&name, text);
        }
    }

    /// What was stored in MLflow is this run.
    fn mlflow_export(&mut self) {
        let path = self.folder.paths().mlflow_export();
        let name = self.folder.name(&path);
        let Some(export) = self.whole(&path, Shape::MlflowExport) else { return };
        let Some(summary) = &self.summary else { return };
        if export["benchmark_id"] != summary["benchmark_id"] {
            let text = format!(
                "is of the run {}, the summary is of the run {}",
                export["benchmark_id"], summary["benchmark_id"]
            );
            self.find(&name, text);
        }
    }

    /// The result of a search for a capacity follows from its history: the same steps, in the same order.
    fn capacity(&mut self) -> Result<(), ArtifactError> {
        let paths = self.folder.paths();
        let (path, history) = (paths.capacity(), paths.capacity_history());
        self.shaped_lines(&history, Shape::CapacityHistory)?;
        let name = self.folder.name(&path);
        if !path.exists() && history.exists() {
            let text = "missing; the search did not reach its end, `aiperf capacity --resume` continues it";
            self.find_unless_killed(Finding::of(&name, text));
        }
        let Some(result) = self.whole(&path, Shape::Capacity) else { return Ok(()) };
        let Ok(steps) = CapacityHistory::read(&history) else {
            let name = self.folder.name(&history);
            self.find(&name, "missing or not readable");
            return Ok(());
        };
        let differs = |(step, decision): &(&HistoryStep, &Value)| {
            serde_json::to_value(&step.decision).ok().as_ref() != Some(*decision)
        };
        if let Some((step, _)) = steps.iter().zip(items(&result, "decisions")).find(differs) {
            self.find(&name, format!("step {} differs from the history", step.decision.step));
        }
        Ok(())
    }

    /// Phases have the counts that the records have, and their files.
    fn manifest(&mut self) {
        let path = self.folder.paths().phase_manifest();
        let name = self.folder.name(&path);
        let Some(manifest) = self.whole(&path, Shape::PhaseManifest) else { return };
        for phase in items(&manifest, "phases") {
            let phase_name = phase["phase_name"].as_str().unwrap_or_default();
            for key in ["metrics_json", "metrics_csv"] {
                let Some(file) = phase[key].as_str() else { continue };
                let path = self.folder.dir().join(file);
                if key == "metrics_json" && path.exists() {
                    self.whole(&path, Shape::Summary);
                } else if !path.exists() {
                    self.find(&name, format!("{file} is missing"));
                } else {
                    self.files += 1;
                }
            }
            let said = (phase["successful_request_count"].as_u64(), phase["error_request_count"].as_u64());
            let Some((successes, failures)) =
                self.seen.as_ref().map(|seen| seen.outcomes.get(phase_name).copied().unwrap_or_default())
            else {
                continue;
            };
            if said != (Some(successes), Some(failures)) {
                let text = format!(
                    "{phase_name}: {:?} successes and {:?} failures, the records have {successes} and {failures}",
                    said.0.unwrap_or_default(),
                    said.1.unwrap_or_default()
                );
                self.find(&name, text);
            }
        }
    }
}

pub(super) fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}
