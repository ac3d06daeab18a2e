//! What a run is, written before its first request, so that its records can be understood if it does not live to write
//! a summary.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::folder::part_file::{indented, write_whole};
use crate::{ArtifactPaths, ProgramBuild, ReportError};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunNote {
    pub aiperf_version: String,
    pub benchmark_id: String,
    /// The resolved configuration, secrets redacted.
    pub input_config: Value,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub random_seed: Option<u64>,
    /// The command that repeats this run, secrets redacted.
    pub cli_command: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub build: Option<ProgramBuild>,
}

impl RunNote {
    pub fn write(&self, paths: &ArtifactPaths) -> Result<(), ReportError> {
        write_whole(&paths.run_note(), indented(self, 0).as_bytes())
    }
}
