//! Conversations from a file: which format it has, and its rows.

mod dag;
mod detect;
mod fields;
mod grouping;
mod lines;
mod media;
mod multi_turn;
mod row;
mod single_turn;
mod window;

use std::path::Path;

use aiperf_config::{FileFormat, FileSource};
use aiperf_conversation::Conversation;
use aiperf_seed::Seed;

use crate::DatasetError;

/// The conversations of the file. Without `has_system_role` a system message in it is a turn like any other.
pub(crate) fn conversations(
    source: &FileSource,
    has_system_role: bool,
    seed: Seed,
) -> Result<Vec<Conversation>, DatasetError> {
    let path = &source.path;
    if path.is_dir() {
        return Err(DatasetError::FormatUnknown { path: path.clone(), reason: "it is a folder".to_owned() });
    }
    let bytes = std::fs::read(path)
        .map_err(|reason| DatasetError::Unreadable { path: path.clone(), reason: reason.to_string() })?;
    let format = match source.format {
        Some(format) => format,
        None => detect::format(path, &bytes)?,
    };
    // Media paths in the file are relative to the working directory.
    let base = Path::new("");
    let conversations = match format {
        FileFormat::SingleTurn => single_turn::conversations(path, &bytes, base, seed)?,
        FileFormat::MultiTurn => multi_turn::conversations(path, &bytes, base, has_system_role, seed)?,
        FileFormat::DagJsonl => dag::conversations(path, &bytes)?,
    };
    if conversations.is_empty() {
        return Err(DatasetError::NoRows { path: path.clone() });
    }
    let mut conversations = match format {
        FileFormat::SingleTurn | FileFormat::MultiTurn => window::within(source.window, conversations, path)?,
        // Its turns have no timestamps, and its conversations refer to each other by place.
        FileFormat::DagJsonl => conversations,
    };
    if let Some(cap) = source.delay_cap_ms {
        for turn in conversations.iter_mut().flat_map(|conversation| &mut conversation.turns) {
            turn.delay_ms = turn.delay_ms.map(|delay| delay.min(cap));
        }
    }
    Ok(conversations)
}
