//! What makes single runs for a series of them, and what it says of each.

use std::error::Error;
use std::time::Duration;

use aiperf_protocol::RunEnding;

use super::collate::RequestValues;
use super::figures::Figures;
use super::order::TrialAssignment;
use crate::run::RunResult;

/// Makes single runs.
pub trait Runner {
    fn run(&mut self, assignment: TrialAssignment) -> Result<TrialResult, TrialError>;

    /// The result of an earlier command that made this run; then it is not made again.
    fn kept(&mut self, _assignment: &TrialAssignment) -> Option<TrialResult> {
        None
    }

    /// Waits between two runs.
    fn pause(&mut self, length: Duration) -> Pause;
}

/// Why a run has no result.
#[derive(Debug)]
pub enum TrialError {
    /// It could not even be prepared; nothing was written.
    NotPrepared(Box<dyn Error + Send + Sync>),
    /// It broke off without a summary.
    Broken(Box<dyn Error + Send + Sync>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    Over,
    /// Someone wants everything to end.
    Interrupted,
}

/// A run that came to some end.
#[derive(Debug, Clone)]
pub struct TrialResult {
    pub ending: RunEnding,
    pub figures: Figures,
    pub values: RequestValues,
    /// All its files were written.
    pub is_written: bool,
}

impl TrialResult {
    pub fn of(result: RunResult) -> Self {
        Self {
            figures: Figures::of(&result.report.profiling.summary),
            is_written: result.files.failed.is_empty(),
            values: result.values,
            ending: result.report.ending,
        }
    }
}
