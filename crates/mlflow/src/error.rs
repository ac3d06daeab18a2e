//! Why something could not be stored in MLflow.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

#[derive(Debug, Error)]
pub enum MlflowError {
    #[error("cannot reach {url}: {reason}")]
    Unreachable { url: String, reason: String },
    #[error("{url} answered HTTP {status}{said}")]
    Refused { url: String, status: u16, said: String },
    #[error("the answer of {url} is not what MLflow answers: {reason}")]
    Answer { url: String, reason: String },
    #[error(
        "the experiment {name:?} was deleted in MLflow; restore it, or choose another one with --mlflow-experiment"
    )]
    ExperimentDeleted { name: String },
    #[error(
        "the MLflow server keeps files at {uri}, which can be reached only through the server; start it with --serve-artifacts"
    )]
    ArtifactsElsewhere { uri: String },
    #[error("{}: {cause}", path.display())]
    File { path: PathBuf, cause: io::Error },
    #[error("{pattern:?} is not a pattern of file names: {reason}")]
    Pattern { pattern: String, reason: String },
    #[error("not everything was stored within {seconds} s")]
    TimeOver { seconds: f64 },
    #[error("{}: {reason}", path.display())]
    ExportFile { path: PathBuf, reason: String },
}

impl MlflowError {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self::File { path, cause }
    }
}
