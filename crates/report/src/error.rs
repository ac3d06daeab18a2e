//! What can go wrong when files are written.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

#[derive(Debug, Error)]
pub enum ReportError {
    #[error("cannot create {}: {source}; choose a writable folder with --artifact-dir", .path.display())]
    Create { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}; free some space or choose another folder with --artifact-dir", .path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error(
        "{lost} of {all} lines could not be written to {}; free some space or choose another folder with --artifact-dir",
        .path.display()
    )]
    Lost { path: PathBuf, lost: u64, all: u64 },
}

impl ReportError {
    pub(crate) fn create(path: &Path, source: io::Error) -> Self {
        Self::Create { path: path.to_owned(), source }
    }

    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        Self::Write { path: path.to_owned(), source }
    }
}
