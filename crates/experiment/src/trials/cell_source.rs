//! Where the points of a sweep come from if they are not known before it starts: a search that is asked for the next point
//! and told what was measured there.

use std::error::Error;

use aiperf_config::Cell;
use aiperf_report::{FailedRun, SweepCell};

use super::collate::RequestValues;

/// Chooses one point after the other. A source that is told the same results asks for the same points, so that a search
/// can be resumed.
pub trait CellSource {
    /// The next point, or `None` if there is nothing more to learn.
    fn next_cell(&mut self) -> Result<Option<Cell>, Box<dyn Error + Send + Sync>>;

    /// What all trials of the point that was asked for last gave.
    fn tell(&mut self, result: &MeasuredCell);
}

/// A point after all of its trials.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredCell {
    /// Its place among all points, from 0.
    pub index: usize,
    /// Its numbers over the trials that succeeded.
    pub cell: SweepCell,
    /// The numbers of each trial that succeeded.
    pub trials: Vec<SweepCell>,
    /// The values of all requests of each of these trials, if the search needs them.
    pub(crate) values: Vec<RequestValues>,
    pub failed: Vec<FailedRun>,
}
