//! Adds files to an MLflow run that exists: the pictures of `aiperf plot --mlflow-upload`.

use std::path::{Path, PathBuf};

use aiperf_config::{Environment, MlflowTracking};
use aiperf_redact::REDACTED;

use crate::error::MlflowError;
use crate::export_file::{EXPORT_FILE, MlflowExport};
use crate::store::TrackingStore;

/// The MLflow run that files are added to.
#[derive(Debug, Clone, PartialEq)]
pub struct UploadTarget {
    pub tracking: MlflowTracking,
    pub run_id: String,
}

impl UploadTarget {
    /// What the user gave; what is missing comes from `mlflow_export.json` in the artifact folder. A tracking URI from which
    /// secrets were taken out cannot be used.
    pub fn find(
        folder: &Path,
        tracking_uri: Option<&str>,
        run_id: Option<&str>,
        environment: &Environment,
    ) -> Result<Self, MlflowError> {
        let path = folder.join(EXPORT_FILE);
        let wrong = |reason: String| MlflowError::ExportFile { path: path.clone(), reason };
        let recorded = match (tracking_uri, run_id) {
            (Some(_), Some(_)) => None,
            _ => Some(MlflowExport::read(folder)?),
        };
        let uri = match (tracking_uri, &recorded) {
            (Some(uri), _) => uri.to_owned(),
            (None, Some(export)) if export.tracking_uri.contains(REDACTED) => {
                return Err(wrong("secrets were taken out of its tracking URI; give --mlflow-tracking-uri".to_owned()));
            }
            (None, export) => export.as_ref().map(|export| export.tracking_uri.clone()).unwrap_or_default(),
        };
        let tracking = MlflowTracking::parse(&uri, environment)
            .map_err(|expected| wrong(format!("the tracking URI {uri:?} cannot be used: {expected}")))?;
        let run_id = run_id.map(ToOwned::to_owned).or_else(|| recorded.map(|export| export.run_id)).unwrap_or_default();
        Ok(Self { tracking, run_id })
    }
}

/// Uploads files as `plots/PATH`, where PATH is relative to `base`. Returns where each of them is now.
pub fn upload_plots(target: &UploadTarget, base: &Path, files: &[PathBuf]) -> Result<Vec<String>, MlflowError> {
    let store = TrackingStore::open(&target.tracking);
    let run = store.run(&target.run_id)?;
    files
        .iter()
        .map(|file| {
            let relative = file.strip_prefix(base).unwrap_or(file);
            let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
            let place = format!("plots/{}", parts.join("/").trim_start_matches('/'));
            store.upload(&run, &place, file)?;
            Ok(place)
        })
        .collect()
}
