//! `mlflow_export.json`: what was stored in MLflow, and where. `aiperf plot --mlflow-upload` finds the run by it.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::MlflowError;

/// Name of the file in an artifact folder.
pub const EXPORT_FILE: &str = "mlflow_export.json";

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MlflowExport {
    /// Without secrets.
    pub tracking_uri: String,
    pub experiment: String,
    pub run_id: String,
    pub run_name: String,
    pub benchmark_id: String,
    pub parent_run_id: Option<String>,
    /// Whether metrics were stored while the run lasted.
    pub live_streaming: bool,
    /// Whether the final metrics are in the same MLflow run as the live ones.
    pub reused_live_run: bool,
    #[serde(default)]
    pub metric_keys: Vec<String>,
    #[serde(default)]
    pub param_keys: Vec<String>,
    #[serde(default)]
    pub tag_keys: Vec<String>,
    /// Relative to the artifact folder.
    #[serde(default)]
    pub uploaded_artifacts: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exported_at_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_started_at_ns: Option<u64>,
}

impl MlflowExport {
    pub(crate) fn write(&self, folder: &Path) -> Result<(), MlflowError> {
        let path = folder.join(EXPORT_FILE);
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| MlflowError::ExportFile { path: path.clone(), reason: error.to_string() })?;
        text.push('\n');
        fs::write(&path, text).map_err(MlflowError::file(&path))
    }

    /// Reads the file of an artifact folder.
    pub fn read(folder: &Path) -> Result<Self, MlflowError> {
        let path = folder.join(EXPORT_FILE);
        let text = fs::read_to_string(&path).map_err(MlflowError::file(&path))?;
        serde_json::from_str(&text).map_err(|error| MlflowError::ExportFile { path, reason: error.to_string() })
    }
}
