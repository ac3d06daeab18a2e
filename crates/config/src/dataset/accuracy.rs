//! The questions of an accuracy benchmark.

use std::path::PathBuf;
use std::sync::Arc;

use aiperf_accuracy::{AccuracyBenchmark, BenchmarkSettings};

/// Which questions are asked, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccuracySource {
    pub benchmark: AccuracyBenchmark,
    pub settings: BenchmarkSettings,
    /// Sent before each question.
    pub system_prompt: Option<Arc<str>>,
    pub data: AccuracyData,
    /// Ask only this many questions, from the beginning of the data set.
    pub entries: Option<usize>,
    /// The endpoint takes chat messages, so that worked examples can be turns of their own.
    pub takes_messages: bool,
}

/// Where the rows of a benchmark come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccuracyData {
    /// The benchmark's repository on the hub, at a branch or commit.
    Hub { revision: String },
    /// A copy of that repository on this machine.
    Folder(PathBuf),
}
