//! Why there is no timeline.

use std::io;
use std::path::{Path, PathBuf};

use aiperf_artifact::ArtifactError;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum TimelineError {
    #[error(transparent)]
    Folder(#[from] ArtifactError),
    #[error("{path} cannot be read: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("line {line} of {path} cannot be read: {why}")]
    Line { path: PathBuf, line: usize, why: String },
    #[error("{path} has no requests of the profiling phase")]
    NoRequests { path: PathBuf },
    #[error("{path} does not exist: only runs with --export-level raw have the messages that were sent")]
    NoMessages { path: PathBuf },
    #[error("the picture cannot be made: {0}")]
    Picture(String),
}

impl TimelineError {
    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        Self::Read { path: path.to_owned(), source }
    }
}
