//! `tracelab`: rounds of coding agents as their logs tell them, one per line. Sessions are put together from their rounds,
//! and agents under those that called them; then they are replayed as Weka traces are.

mod nesting;
mod round;
mod session;

use crate::file::{Contents, Document, Reading, rows};
use crate::{DatasetError, RowPlace};

use super::weka::Replay;

/// Tokens of a block, unless the user says otherwise.
const BLOCK_SIZE: u32 = 64;

pub(crate) fn load(document: &Document, reading: &mut Reading<'_>) -> Result<Contents, DatasetError> {
    let mut rounds = Vec::new();
    for (line, content) in rows(&document.bytes) {
        match round::read(content, line) {
            Ok(round) => rounds.push(round),
            Err(problem) => reading.faults.note(&document.path, RowPlace::Line(line), problem)?,
        }
    }
    let options = &reading.source.trace;
    let block_size = options.block_size.unwrap_or(BLOCK_SIZE) as usize;
    let sessions = session::collect(rounds);
    let parents = nesting::parents(&sessions, &options.agents.detection);
    let mut replay = Replay::new(reading);
    for root in (0..sessions.len()).filter(|place| parents[*place].is_none()) {
        replay.add(session::recording(&sessions, &parents, root, block_size, document))?;
    }
    replay.finish()
}
