//! What one of several runs was configured to do, written next to its results.

use serde_json::{Value, json};

use super::{RunPlace, write_json};
use crate::{ArtifactPaths, ReportError};

/// The configuration of a run and its place among the others.
#[derive(Debug, Clone, Copy)]
pub struct RunConfig<'a> {
    pub benchmark_id: &'a str,
    pub place: &'a RunPlace,
    /// The resolved configuration, secrets redacted.
    pub input_config: &'a Value,
    pub random_seed: Option<u64>,
    pub cli_command: &'a str,
}

impl RunConfig<'_> {
    pub fn write(&self, paths: &ArtifactPaths) -> Result<(), ReportError> {
        let RunPlace { sweep_id, trial, label, variation } = self.place;
        let value = json!({
            "benchmark_id": self.benchmark_id,
            "sweep_id": sweep_id,
            "cfg": self.input_config,
            "variation": {"index": variation.index, "label": variation.label, "values": variation.values},
            "trial": trial,
            "artifact_dir": paths.dir().to_string_lossy(),
            "label": label,
            "cli_command": self.cli_command,
            "random_seed": self.random_seed,
            "variables": {},
        });
        write_json(&paths.run_config(), &value)
    }
}
