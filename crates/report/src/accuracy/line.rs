//! `accuracy_export.jsonl`: one line for each graded answer, in the order in which they were graded.

use std::path::Path;

use aiperf_clock::EpochNanos;
use serde::Serialize;

use crate::ReportError;
use crate::records::lines::{LineFile, LineTotals};
use crate::records::metadata::epoch;

/// One graded answer.
#[derive(Debug, Clone, Serialize)]
pub struct AccuracyLine<'a> {
    pub session_num: u64,
    /// The name of the question, which is the same in every run with the same data.
    pub conversation_id: &'a str,
    pub x_request_id: &'a str,
    pub worker_id: &'a str,
    pub benchmark_phase: &'a str,
    /// When the answer was complete.
    #[serde(serialize_with = "epoch")]
    pub timestamp_ns: EpochNanos,
    pub task: &'a str,
    pub grader_name: &'a str,
    pub passed: bool,
    pub unparsed: bool,
    pub confidence: f64,
    pub expected: &'a str,
    pub actual: &'a str,
    pub explanation: &'a str,
    pub model_output: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_thinking: Option<&'a str>,
    /// Why there is no answer, if the request failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
}

#[derive(Debug)]
pub struct AccuracyWriter {
    lines: LineFile,
}

impl AccuracyWriter {
    pub fn create(path: &Path) -> Result<Self, ReportError> {
        Ok(Self { lines: LineFile::create(path)? })
    }

    /// Fails once at most, when the disk first refuses; later losses are counted.
    pub fn write(&self, line: &AccuracyLine<'_>) -> Result<(), ReportError> {
        self.lines.append_json(line)
    }

    pub fn finish(self) -> LineTotals {
        self.lines.finish()
    }
}
