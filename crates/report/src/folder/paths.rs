//! Where each file of a run goes, with and without an export prefix.

use std::path::{Path, PathBuf};

/// Ends of names of files that are not whole.
pub(crate) const UNFINISHED_ENDS: [&str; 2] = ["part", "unsorted"];

/// The folder of the log, within that of a run.
pub const LOGS: &str = "logs";
/// The folder of the files of each phase, within that of a run.
pub const PHASES: &str = "phases";

/// The folder of charts, within that of a run or of several runs.
pub const PLOTS: &str = "plots";
/// The file that every folder of charts has.
pub const PLOT_LOG: &str = "aiperf_plot.log";

/// `name.json.part` of `name.json`.
pub(crate) fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(end);
    PathBuf::from(name)
}

#[derive(Debug, Clone)]
pub struct ArtifactPaths {
    dir: PathBuf,
    prefix: Option<String>,
}

impl ArtifactPaths {
    /// `prefix` as `--profile-export-prefix` gives it, known suffixes already stripped.
    pub fn new(dir: impl Into<PathBuf>, prefix: Option<&str>) -> Self {
        Self { dir: dir.into(), prefix: prefix.map(ToOwned::to_owned) }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn summary_json(&self) -> PathBuf {
        self.dir.join(self.named("profile_export_aiperf.json", ".json"))
    }

    pub fn summary_csv(&self) -> PathBuf {
        self.dir.join(self.named("profile_export_aiperf.csv", ".csv"))
    }

    pub fn records(&self) -> PathBuf {
        self.dir.join(self.named("profile_export.jsonl", ".jsonl"))
    }

    pub fn raw(&self) -> PathBuf {
        self.dir.join(self.named("profile_export_raw.jsonl", "_raw.jsonl"))
    }

    /// The configuration file that repeats the run or all runs of the folder.
    pub fn config_file(&self) -> PathBuf {
        self.dir.join("aiperf_config.yaml")
    }

    /// What a search for a capacity found.
    pub fn capacity(&self) -> PathBuf {
        self.dir.join(self.named("capacity.json", "_capacity.json"))
    }

    /// The steps of a search for a capacity.
    pub fn capacity_history(&self) -> PathBuf {
        self.dir.join(self.named("capacity_history.jsonl", "_capacity_history.jsonl"))
    }

    /// What was stored in MLflow, and where.
    pub fn mlflow_export(&self) -> PathBuf {
        self.dir.join("mlflow_export.json")
    }

    pub fn network_latency(&self) -> PathBuf {
        self.dir.join(self.named("profile_export_network_latency.jsonl", "_network_latency.jsonl"))
    }

    pub fn gpu_telemetry(&self) -> PathBuf {
        self.dir.join(self.named("gpu_telemetry_export.jsonl", "_gpu_telemetry.jsonl"))
    }

    /// Graded answers.
    pub fn accuracy(&self) -> PathBuf {
        self.dir.join(self.named("accuracy_export.jsonl", "_accuracy.jsonl"))
    }

    pub fn accuracy_csv(&self) -> PathBuf {
        self.dir.join(self.named("accuracy_results.csv", "_accuracy.csv"))
    }

    pub fn console(&self) -> PathBuf {
        self.dir.join(self.named("profile_export_console.txt", "_console.txt"))
    }

    pub fn timeslices_json(&self) -> PathBuf {
        self.dir.join(self.named("profile_export_aiperf_timeslices.json", "_timeslices.json"))
    }

    pub fn timeslices_csv(&self) -> PathBuf {
        self.dir.join(self.named("profile_export_aiperf_timeslices.csv", "_timeslices.csv"))
    }

    /// The records as a table.
    pub fn records_parquet(&self) -> PathBuf {
        self.dir.join(self.named("profile_export.parquet", ".parquet"))
    }

    /// The server metrics in the format with this extension.
    pub fn server_metrics(&self, extension: &str) -> PathBuf {
        let (plain, suffix) = (format!("server_metrics_export.{extension}"), format!("_server_metrics.{extension}"));
        self.dir.join(self.named(&plain, &suffix))
    }

    pub fn genai_perf_json(&self) -> PathBuf {
        self.dir.join(self.named("profile_export_genai_perf.json", "_genai_perf.json"))
    }

    pub fn genai_perf_csv(&self) -> PathBuf {
        self.dir.join(self.named("profile_export_genai_perf.csv", "_genai_perf.csv"))
    }

    /// The HTML report of a run, a sweep or repeated runs.
    pub fn html_report(&self) -> PathBuf {
        self.dir.join(self.named("report.html", "_report.html"))
    }

    pub fn outputs(&self) -> PathBuf {
        self.dir.join("outputs.json")
    }

    /// What a run is, from before its first request: what a killed one can be understood by.
    pub fn run_note(&self) -> PathBuf {
        self.dir.join(".aiperf_run.json")
    }

    /// What one of several runs was to be.
    pub fn run_config(&self) -> PathBuf {
        self.dir.join("run_config.json")
    }

    /// What a complete run says to the others of its command, so that it can be kept when they are resumed.
    pub fn trial_mark(&self) -> PathBuf {
        self.dir.join(".aiperf_trial.json")
    }

    pub fn inputs(&self) -> PathBuf {
        self.dir.join("inputs.json")
    }

    pub fn log(&self) -> PathBuf {
        self.dir.join(LOGS).join("aiperf.log")
    }

    pub fn phase_manifest(&self) -> PathBuf {
        self.dir.join("phase_manifest.json")
    }

    /// Relative to the folder of the run, as the phase manifest names it.
    pub fn phase_json(&self, phase: &str) -> PathBuf {
        self.in_phase(phase, "profile_export_aiperf.json", ".json")
    }

    /// Relative to the folder of the run, as the phase manifest names it.
    pub fn phase_csv(&self, phase: &str) -> PathBuf {
        self.in_phase(phase, "profile_export_aiperf.csv", ".csv")
    }

    pub fn ready_marker(&self) -> PathBuf {
        self.dir.join(".aiperf_results_ready.json")
    }

    /// Records in the shape of GenAI-Perf's measuring program; only without a prefix, which would give the summary this name.
    pub fn perf_analyzer_records(&self) -> PathBuf {
        self.dir.join("profile_export.json")
    }

    /// Files that only the folder of a run has, if it has no prefix.
    pub fn marks_of_a_run(&self) -> [PathBuf; 5] {
        [self.records(), self.summary_json(), self.ready_marker(), self.run_note(), self.run_config()]
    }

    /// All files that a run may leave in the folder itself, whether they are there or not. A new kind of file must be named
    /// here: what is not is left lying when the next run comes.
    pub fn files(&self) -> Vec<PathBuf> {
        vec![
            self.ready_marker(),
            self.trial_mark(),
            self.run_note(),
            self.summary_json(),
            self.summary_csv(),
            self.records(),
            self.raw(),
            self.network_latency(),
            self.config_file(),
            self.mlflow_export(),
            self.capacity(),
            self.capacity_history(),
            self.gpu_telemetry(),
            self.console(),
            self.accuracy(),
            self.accuracy_csv(),
            self.timeslices_json(),
            self.timeslices_csv(),
            self.records_parquet(),
            self.server_metrics("json"),
            self.server_metrics("csv"),
            self.server_metrics("jsonl"),
            self.server_metrics("parquet"),
            self.genai_perf_json(),
            self.genai_perf_csv(),
            self.html_report(),
            self.outputs(),
            self.run_config(),
            self.inputs(),
            self.phase_manifest(),
            self.perf_analyzer_records(),
        ]
    }

    /// The same files under the names that they have until they are whole.
    pub fn unfinished_files(&self) -> Vec<PathBuf> {
        self.files().iter().flat_map(|path| UNFINISHED_ENDS.map(|end| with_end(path, end))).collect()
    }

    fn in_phase(&self, phase: &str, plain: &str, suffix: &str) -> PathBuf {
        Path::new(PHASES).join(phase).join(self.named(plain, suffix))
    }

    fn named(&self, plain: &str, suffix: &str) -> String {
        self.prefix.as_ref().map_or_else(|| plain.to_owned(), |prefix| format!("{prefix}{suffix}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_prefix_and_have_two_stems_without_one() {
        let plain = ArtifactPaths::new("out", None);
        assert_eq!(plain.summary_csv(), Path::new("out/profile_export_aiperf.csv"));
        assert_eq!(plain.records(), Path::new("out/profile_export.jsonl"));
        let named = ArtifactPaths::new("out", Some("myrun"));
        assert_eq!(named.records(), Path::new("out/myrun.jsonl"));
        assert_eq!(named.raw(), Path::new("out/myrun_raw.jsonl"));
        assert_eq!(named.phase_json("warmup"), Path::new("phases/warmup/myrun.json"));
        assert_eq!(named.inputs(), Path::new("out/inputs.json"));
    }
}
