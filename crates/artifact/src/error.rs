//! Why a folder cannot be read.

use std::io;
use std::path::{Path, PathBuf};

use aiperf_metrics::SloError;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ArtifactError {
    #[error("cannot read {}: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "{} has no records: a summary can only be rebuilt from profile_export.jsonl, which --export-level summary does not \
         write{}", .folder.display(), .inside.as_deref().map(|inside| format!("; try {inside}")).unwrap_or_default()
    )]
    NoRecords { folder: PathBuf, inside: Option<String> },
    #[error("{} contains no readable record", .path.display())]
    Empty { path: PathBuf },
    #[error("{} contains several runs ({}); name one of them", .folder.display(), .prefixes.join(", "))]
    SeveralPrefixes { folder: PathBuf, prefixes: Vec<String> },
    #[error("cannot write {}: {source}", .path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{} already has records; choose another folder with --output-dir", .folder.display())]
    OutputInUse { folder: PathBuf },
    #[error(transparent)]
    Slo(#[from] SloError),
}

impl ArtifactError {
    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Read { path, source }
    }

    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Write { path, source }
    }
}
