//! Why a command line of GenAI-Perf cannot be followed, in one sentence each.

use thiserror::Error;

#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum Refusal {
    #[error(
        "genai-perf needs a command: profile, analyze, config, create-template or process-export-files; --help says what \
         options become"
    )]
    NoCommand,
    #[error(
        "genai-perf has no command {0:?}; it has profile, analyze, config, create-template and process-export-files"
    )]
    UnknownCommand(String),
    #[error("{0} is not an option of {1}; `aiperf genai-perf --help` lists them")]
    UnknownFlag(String, &'static str),
    #[error("{typed} may be {candidates}; write it out")]
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
    #[error("{one} and {other} exclude each other; give one of them")]
    Exclusive { one: String, other: String },
    #[error("{flag} needs {needed}")]
    Needs { flag: String, needed: &'static str },
    #[error("{path}: {refusal}")]
    InFile { path: String, refusal: Box<Refusal> },
    #[error("{0:?} is not valid UTF-8")]
    NotText(String),
    #[error("{path}: {problem}")]
    File { path: String, problem: String },
}
