//! Why a data set cannot be built, with the file, the line and what was expected there.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    #[error("--input-file {}: cannot be read: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },

    #[error(
        "--input-file {}: looks like {format}, which is not supported yet; single_turn is (one JSON object per line with \
         text, image, audio or video)",
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

    #[error("--input-file {}: holds no rows", path.display())]
    NoRows { path: PathBuf },

    #[error("--num-dataset-entries 0: a data set needs at least one conversation")]
    NoEntries,

    #[error("--model: at least one model is needed")]
    NoModels,
}
