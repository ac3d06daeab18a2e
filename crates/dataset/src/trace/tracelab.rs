//! `tracelab`: rounds of coding agents from their logs, one per line. Rounds are collected into sessions, and subagents are
//! assigned to the sessions that called them. The result is replayed like a Weka trace.

mod nesting;
mod round;
mod session;

use crate::file::{FileContents, LoadedFile, ReadContext};
use crate::{DatasetError, RowPlace};

use super::weka::RecordingConverter;

/// The default number of tokens per block.
const BLOCK_SIZE: u32 = 64;

pub(crate) fn load(document: &LoadedFile, reading: &mut ReadContext<'_>) -> Result<FileContents, DatasetError> {
    let mut rounds = Vec::new();
    for (line, content) in aiperf_trace::lines(&document.bytes) {
        match round::read(content, line) {
            Ok(round) => rounds.push(round),
            Err(problem) => reading.row_errors.note(&document.path, RowPlace::Line(line), problem)?,
        }
    }
    let options = &reading.source.trace;
    let block_size = options.block_size.unwrap_or(BLOCK_SIZE) as usize;
    let sessions = session::collect(rounds);
    let parents = nesting::parents(&sessions, &options.agents.detection);
    let mut replay = RecordingConverter::new(reading);
    for root in (0..sessions.len()).filter(|place| parents[*place].is_none()) {
        replay.add(session::recording(&sessions, &parents, root, block_size, document))?;
    }
    replay.finish()
}
