//! Errors of reading and writing traces.

use std::path::PathBuf;

use thiserror::Error;

#[derive(Debug, Error)]
pub enum TraceError {
    #[error("{}: cannot be read: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },

    #[error("{}: {problem}", path.display())]
    Content { path: PathBuf, problem: String },

    #[error(
        "{}: no known trace layout: {reason}; mooncake_trace and bailian_trace have one JSON object per line, \
         burst_gpt_trace and azure_trace are CSV with a header, baseten_trace is Parquet or Arrow",
        path.display()
    )]
    UnknownLayout { path: PathBuf, reason: String },

    #[error("{}, line {line}: {problem}", path.display())]
    Row { path: PathBuf, line: usize, problem: String },

    #[error("{}: contains no requests", path.display())]
    NoRequests { path: PathBuf },

    #[error("{}: cannot be written: {reason}", path.display())]
    Unwritable { path: PathBuf, reason: String },

    #[error("{}: {reason}", path.display())]
    Settings { path: PathBuf, reason: String },

    #[error("{option}: {problem}")]
    Option { option: &'static str, problem: String },
}
