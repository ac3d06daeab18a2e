//! Why no picture can be drawn at all. A single plot that cannot be drawn is skipped, with its reason, instead.

use std::io;
use std::path::PathBuf;

use aiperf_artifact::ArtifactError;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum PlotError {
    #[error("cannot read {}: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}", .path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read {}: {problem}", .path.display())]
    NotReadable { path: PathBuf, problem: String },
    #[error("{} is a file; name the folder of a run, or a folder with runs in it", .0.display())]
    NotAFolder(PathBuf),
    #[error(
        "{} has no run in it: a run has profile_export.jsonl, profile_export_aiperf.json, \
         profile_export_aiperf_aggregate.json or profile_export_genai_perf.json", .0.display()
    )]
    NoRuns(PathBuf),
    #[error("plot configuration {file}: {problem}")]
    Config { file: String, problem: String },
    #[error("{0}")]
    Preset(String),
    #[error("--mode single: there are {count} runs; name the folder of one of them")]
    SeveralRuns { count: usize },
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
}
