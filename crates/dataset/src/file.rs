//! Conversations from a file: which format it has, and its rows.

mod detect;
mod media;
mod row;
mod single_turn;

use std::path::Path;

use aiperf_config::{FileFormat, FileSource};
use aiperf_conversation::Conversation;
use aiperf_seed::Seed;

use crate::DatasetError;

pub(crate) fn conversations(source: &FileSource, seed: Seed) -> Result<Vec<Conversation>, DatasetError> {
    let unreadable =
        |reason: std::io::Error| DatasetError::Unreadable { path: source.path.clone(), reason: reason.to_string() };
    if source.path.is_dir() {
        let reason = "it is a folder".to_owned();
        return Err(DatasetError::FormatUnknown { path: source.path.clone(), reason });
    }
    let bytes = std::fs::read(&source.path).map_err(unreadable)?;
    let format = match source.format {
        Some(format) => format,
        None => detect::format(&source.path, &bytes)?,
    };
    match format {
        // Media paths in the file are relative to the working directory.
        FileFormat::SingleTurn => single_turn::conversations(&source.path, &bytes, Path::new(""), seed),
    }
}
