//! Why a report could not be made.

use std::io;
use std::path::PathBuf;

use aiperf_artifact::ArtifactError;
use aiperf_metrics::SloError;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum HtmlReportError {
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    #[error(transparent)]
    Slo(#[from] SloError),
    #[error("cannot read {}: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot compress the data of the report: {0}")]
    Compress(#[from] io::Error),
}
