//! Where each file of a run goes, with and without an export prefix.

use std::path::{Path, PathBuf};

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

    pub fn network_latency(&self) -> PathBuf {
        self.dir.join(self.named("profile_export_network_latency.jsonl", "_network_latency.jsonl"))
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

    pub fn genai_perf_json(&self) -> PathBuf {
        self.dir.join(self.named("profile_export_genai_perf.json", "_genai_perf.json"))
    }

    pub fn genai_perf_csv(&self) -> PathBuf {
        self.dir.join(self.named("profile_export_genai_perf.csv", "_genai_perf.csv"))
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

    pub fn inputs(&self) -> PathBuf {
        self.dir.join("inputs.json")
    }

    pub fn log(&self) -> PathBuf {
        self.dir.join("logs").join("aiperf.log")
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

    fn in_phase(&self, phase: &str, plain: &str, suffix: &str) -> PathBuf {
        Path::new("phases").join(phase).join(self.named(plain, suffix))
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
