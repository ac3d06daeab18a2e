//! Where MLflow keeps runs: a server or a folder.

mod folder;
mod server;

use std::path::Path;

use aiperf_clock::Mono;
use aiperf_config::MlflowTracking;

use crate::error::MlflowError;
use folder::FolderStore;
use server::ServerStore;

/// A value of a metric at a time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MetricValue {
    pub(crate) key: String,
    pub(crate) value: f64,
    pub(crate) at_ms: i64,
    pub(crate) step: i64,
}

/// A parameter or a tag.
pub(crate) type TextPair = (String, String);

/// A run to create.
#[derive(Debug, Clone)]
pub(crate) struct NewRun {
    pub(crate) experiment: String,
    pub(crate) name: String,
    pub(crate) tags: Vec<TextPair>,
    pub(crate) user: String,
    pub(crate) start_ms: i64,
}

/// A run in the store.
#[derive(Debug, Clone)]
pub(crate) struct StoredRun {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Where its files go, as the store says it.
    pub(crate) artifact_uri: String,
}

/// How a run ended, for MLflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunStatus {
    Finished,
    Failed,
    Killed,
}

#[derive(Debug)]
pub(crate) enum TrackingStore {
    Server(ServerStore),
    Folder(FolderStore),
}

impl TrackingStore {
    pub(crate) fn open(tracking: &MlflowTracking) -> Self {
        match tracking {
            MlflowTracking::Server { address, login } => Self::Server(ServerStore::new(address, login.as_ref())),
            MlflowTracking::Folder(path) => Self::Folder(FolderStore::new(path)),
        }
    }

    /// No call takes longer than until `deadline`.
    pub(crate) fn set_deadline(&mut self, deadline: Mono) {
        if let Self::Server(server) = self {
            server.deadline = Some(deadline);
        }
    }

    /// Creates the experiment too if there is none.
    pub(crate) fn create_run(&self, run: &NewRun) -> Result<StoredRun, MlflowError> {
        match self {
            Self::Server(server) => server.create_run(run),
            Self::Folder(folder) => folder.create_run(run),
        }
    }

    pub(crate) fn run(&self, id: &str) -> Result<StoredRun, MlflowError> {
        match self {
            Self::Server(server) => server.run(id),
            Self::Folder(folder) => folder.run(id),
        }
    }

    pub(crate) fn log(
        &self,
        run: &StoredRun,
        metrics: &[MetricValue],
        params: &[TextPair],
        tags: &[TextPair],
    ) -> Result<(), MlflowError> {
        match self {
            Self::Server(server) => server.log(&run.id, metrics, params, tags),
            Self::Folder(folder) => folder.log(&run.id, metrics, params, tags),
        }
    }

    /// `place`: the path among the run's files, with `/`.
    pub(crate) fn upload(&self, run: &StoredRun, place: &str, file: &Path) -> Result<(), MlflowError> {
        match self {
            Self::Server(server) => server.upload(run, place, file),
            Self::Folder(_) => copy_file(&run.artifact_uri, place, file),
        }
    }

    pub(crate) fn end_run(&self, run: &StoredRun, status: RunStatus, end_ms: i64) -> Result<(), MlflowError> {
        match self {
            Self::Server(server) => server.end_run(&run.id, status, end_ms),
            Self::Folder(folder) => folder.end_run(&run.id, status, end_ms),
        }
    }
}

/// Puts a file into the folder of a run's files.
fn copy_file(artifact_uri: &str, place: &str, file: &Path) -> Result<(), MlflowError> {
    let folder = artifact_uri.strip_prefix("file://").or_else(|| artifact_uri.strip_prefix("file:"));
    let to = Path::new(folder.unwrap_or(artifact_uri)).join(place);
    if let Some(parent) = to.parent() {
        std::fs::create_dir_all(parent).map_err(MlflowError::file(parent))?;
    }
    std::fs::copy(file, &to).map_err(MlflowError::file(&to))?;
    Ok(())
}
