//! Why runs cannot be compared.

use std::path::PathBuf;

use aiperf_artifact::ArtifactError;
use thiserror::Error;

use crate::{Quantity, Share};

#[derive(Debug, Error)]
pub enum CompareError {
    #[error("{}: this folder does not exist; name the artifact folder of a run", .0.display())]
    Missing(PathBuf),
    #[error("{} is not a folder; name the artifact folder of a run", .0.display())]
    NoFolder(PathBuf),
    #[error(
        "{} contains neither profile_export.jsonl nor profile_export_aiperf.json: it is not an artifact folder{}", .folder.display(),
        .inside.as_deref().map(|inside| format!("; try {inside}")).unwrap_or_default()
    )]
    NothingThere { folder: PathBuf, inside: Option<String> },
    #[error("{}: profile_export.jsonl is empty, and there is no summary: the run ended before its first request", .0.display())]
    NoRecords(PathBuf),
    #[error("{} is a sweep; name the folder of one of its points, such as {example}", .folder.display())]
    Sweep { folder: PathBuf, example: String },
    #[error("cannot read {}: {why}", .path.display())]
    Summary { path: PathBuf, why: String },
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    #[error("--metric: no run has {quantity}; {there}")]
    Nowhere { quantity: Quantity, there: String },
    #[error("--metric {0} was given more than once")]
    Twice(Quantity),
    #[error(
        "--metric: {0} has no better or worse, so no gate can be made of it; `aiperf compare` shows how it changed"
    )]
    Neutral(Quantity),
    #[error(
        "--detect {detect} is not above the threshold of {quantity}, {threshold}: a change that small is never reported; use a larger --detect or a smaller threshold"
    )]
    Undetectable { quantity: Quantity, detect: Share, threshold: Share },
    #[error("--threshold has no effect when every --metric has a threshold of its own; remove it")]
    ThresholdOfNothing,
    #[error("{} and {} have no metric in common to compare", .0.display(), .1.display())]
    NothingInCommon(PathBuf, PathBuf),
}
