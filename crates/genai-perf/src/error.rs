//! Why a command line of GenAI-Perf cannot be followed, in one sentence each.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

#[derive(Debug, Error, PartialEq, Eq)]
pub enum GenaiPerfError {
    #[error(
        "genai-perf needs a command: profile, analyze, config, create-template or process-export-files; --help lists \
         what each option becomes"
    )]
    NoCommand,
    #[error(
        "genai-perf has no command {0:?}; it has profile, analyze, config, create-template and process-export-files"
    )]
    UnknownCommand(String),
    #[error("{0} is not an option of {1}; `aiperf genai-perf --help` lists them")]
    UnknownFlag(String, &'static str),
    #[error("{typed} is ambiguous: {candidates}; write the whole name")]
    Ambiguous { typed: String, candidates: String },
    #[error("{0} needs a value")]
    MissingValue(String),
    #[error("{0} takes no value")]
    NoValue(String),
    #[error("unexpected argument {0:?}; `aiperf genai-perf --help` shows what each option takes")]
    StrayWord(String),
    #[error("{flag} {why}")]
    Refused { flag: String, why: &'static str },
    #[error("{flag} {value:?}: {expected}")]
    BadValue { flag: String, value: String, expected: String },
    #[error("{one} and {other} cannot be combined; give one of them")]
    Exclusive { one: String, other: String },
    #[error("{flag} needs {needed}")]
    Needs { flag: String, needed: &'static str },
    #[error("{path}: {refusal}")]
    InFile { path: String, refusal: Box<GenaiPerfError> },
    #[error("{0:?} is not valid UTF-8")]
    NotText(String),
    #[error("{path}: {problem}")]
    File { path: String, problem: String },
}

/// Why a file that GenAI-Perf would read or write cannot be used.
#[derive(Debug, Error)]
pub enum GenaiPerfFileError {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{} is not valid JSON ({source}); {advice}", path.display())]
    NotJson { path: PathBuf, source: serde_json::Error, advice: &'static str },
    #[error("{} has no list Results.run_configs; remove the file to start again", path.display())]
    NotACheckpoint { path: PathBuf },
    #[error("{} exists and is not overwritten; choose another name with --file", path.display())]
    Exists { path: PathBuf },
}

impl GenaiPerfFileError {
    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |source| Self::Read { path: path.to_owned(), source }
    }

    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |source| Self::Write { path: path.to_owned(), source }
    }

    pub(crate) fn not_json(path: &Path, advice: &'static str) -> impl FnOnce(serde_json::Error) -> Self {
        move |source| Self::NotJson { path: path.to_owned(), source, advice }
    }
}
