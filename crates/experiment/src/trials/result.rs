//! What all runs of one command say together.

use aiperf_report::{Aggregate, FailedRun, SummaryFiles, SweepReport};

/// Successful runs that statistics across runs need.
pub(super) const LEAST_SUCCESSES: usize = 2;

/// One configuration after all of its trials.
#[derive(Debug)]
pub struct CellResult {
    /// The values that distinguish it; `None` without a sweep.
    pub title: Option<String>,
    /// `None` if none of its runs succeeded.
    pub aggregate: Option<Aggregate>,
    /// Those that gave no numbers.
    pub failed: Vec<FailedRun>,
}

/// All runs of one command together.
#[derive(Debug)]
pub struct ExperimentResult {
    pub cells: Vec<CellResult>,
    pub sweep: Option<SweepReport>,
    /// Those over several runs.
    pub files: SummaryFiles,
    /// Runs that were made or kept.
    pub runs: usize,
    /// Those of them that an earlier command made.
    pub kept: usize,
    pub successful: usize,
    pub was_interrupted: bool,
    /// The server could not be reached any more, and further runs were not made.
    pub server_lost: bool,
    /// All files of all runs were written.
    pub is_written: bool,
    /// Why a file over all points of a sweep could not be made.
    pub problem: Option<String>,
}

impl ExperimentResult {
    /// Whether enough runs succeeded: two, or the only run of a search that ended with its first point.
    pub fn is_enough(&self) -> bool {
        self.successful >= LEAST_SUCCESSES.min(self.runs.max(1))
    }

    /// Points of a sweep that have no numbers.
    pub fn cells_without_result(&self) -> usize {
        let is_empty = |cell: &&CellResult| cell.title.is_some() && cell.aggregate.is_none();
        self.cells.iter().filter(is_empty).count()
    }
}
