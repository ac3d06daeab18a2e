//! Why a data set cannot be built, with the file, the line and what was expected there.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    #[error("--input-file {}: cannot be read: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },

    #[error(
        "--input-file {}: looks like {format}, which is not supported yet; single_turn, multi_turn and dag_jsonl are",
        path.display()
    )]
    FormatNotSupported { path: PathBuf, format: &'static str },

    #[error(
        "--input-file {}: no known format: {reason}; a single_turn file has one JSON object per line with text, image, \
         audio or video",
        path.display()
    )]
    FormatUnknown { path: PathBuf, reason: String },

    #[error("--input-file {}, line {line}: {problem}", path.display())]
    Row { path: PathBuf, line: usize, problem: String },

    #[error(
        "--input-file {}: no conversation starts {asked}; they start between {earliest} and {latest} \
         ms: change --fixed-schedule-start-offset or --fixed-schedule-end-offset",
        path.display()
    )]
    EmptyWindow { path: PathBuf, asked: String, earliest: f64, latest: f64 },

    #[error(
        "--fixed-schedule: the first turn of session {session} has no timestamp; give every conversation one, or choose \
         another way to load (--no-fixed-schedule for a trace)"
    )]
    NoTimestamp { session: String },

    #[error("--input-file {}: holds no rows", path.display())]
    NoRows { path: PathBuf },

    #[error("--public-dataset {name}: {problem}")]
    Public { name: &'static str, problem: String },

    #[error("--public-dataset {name}: {source}{advice}")]
    PublicHub { name: &'static str, source: Box<aiperf_hub::HubError>, advice: &'static str },

    #[error("--public-dataset {name}: a hub to read it from is needed")]
    NoHub { name: &'static str },

    #[error("--num-dataset-entries 0: a data set needs at least one conversation")]
    NoEntries,

    #[error("--model: at least one model is needed")]
    NoModels,
}
