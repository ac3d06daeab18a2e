//! `capacity_history.jsonl`: the goal of a search, then one line for each step, durable before the next step begins. The next
//! decision follows from these lines alone, so a search that was killed continues from them.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use aiperf_capacity::StepRecord;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::result::CapacityDecision;

/// The first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Header {
    schema_version: String,
    aiperf_version: String,
    goal: Value,
}

/// The line of a step: why it was made, and all that it gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryStep {
    pub decision: CapacityDecision,
    pub record: StepRecord,
}

#[derive(Debug, Error)]
pub enum HistoryError {
    #[error("{}: {source}", .path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{} line {line} cannot be read: {reason}; the search cannot be continued", .path.display())]
    Line { path: PathBuf, line: usize, reason: String },
    #[error("{} is empty; there is nothing to continue", .path.display())]
    Empty { path: PathBuf },
    #[error("{} was written for another goal:\n  then: {then}\n  now:  {now}\nRepeat the command with the settings of then", .path.display())]
    OtherGoal { path: PathBuf, then: String, now: String },
}

/// A history that is open for further steps.
#[derive(Debug)]
pub struct CapacityHistory {
    path: PathBuf,
    file: File,
}

impl CapacityHistory {
    /// Begins a history.
    pub fn create(path: &Path, aiperf_version: &str, goal: Value) -> Result<Self, HistoryError> {
        let failed = |source| HistoryError::File { path: path.to_owned(), source };
        let file = File::create(path).map_err(failed)?;
        let mut history = Self { path: path.to_owned(), file };
        let schema_version = super::CapacityFile::schema_version();
        history.put(&Header { schema_version, aiperf_version: aiperf_version.to_owned(), goal })?;
        if let Some(Ok(folder)) = path.parent().map(File::open) {
            // Not every file system lets a folder be synced.
            let _ = folder.sync_all();
        }
        Ok(history)
    }

    /// The history that a search left, and the steps in it. A last line that was not written to its end is dropped.
    pub fn resume(path: &Path, goal: &Value) -> Result<(Self, Vec<HistoryStep>), HistoryError> {
        let failed = |source| HistoryError::File { path: path.to_owned(), source };
        let text = std::fs::read(path).map_err(failed)?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let (header, steps) = read_lines(path, &text[..whole])?;
        if header.goal != *goal {
            let (then, now) = (header.goal.to_string(), goal.to_string());
            return Err(HistoryError::OtherGoal { path: path.to_owned(), then, now });
        }
        let mut file = OpenOptions::new().write(true).open(path).map_err(failed)?;
        file.set_len(whole as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok((Self { path: path.to_owned(), file }, steps))
    }

    /// The steps in a history.
    pub fn read(path: &Path) -> Result<Vec<HistoryStep>, HistoryError> {
        let text = std::fs::read(path).map_err(|source| HistoryError::File { path: path.to_owned(), source })?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        read_lines(path, &text[..whole]).map(|(_, steps)| steps)
    }

    /// Adds a step, and returns when it is on disk.
    pub fn append(&mut self, step: &HistoryStep) -> Result<(), HistoryError> {
        self.put(step)
    }

    fn put(&mut self, line: &impl Serialize) -> Result<(), HistoryError> {
        let mut text = serde_json::to_vec(line).unwrap_or_default();
        text.push(b'\n');
        let written = self.file.write_all(&text).and_then(|()| self.file.sync_data());
        written.map_err(|source| HistoryError::File { path: self.path.clone(), source })
    }
}

fn read_lines(path: &Path, text: &[u8]) -> Result<(Header, Vec<HistoryStep>), HistoryError> {
    let bad = |line: usize, error: serde_json::Error| HistoryError::Line {
        path: path.to_owned(),
        line,
        reason: error.to_string(),
    };
    let mut lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).enumerate();
    let (_, first) = lines.next().ok_or_else(|| HistoryError::Empty { path: path.to_owned() })?;
    let header = serde_json::from_slice(first).map_err(|error| bad(1, error))?;
    let steps = lines.map(|(index, line)| serde_json::from_slice(line).map_err(|error| bad(index + 1, error)));
    Ok((header, steps.collect::<Result<_, _>>()?))
}
