//! Where the points of a sweep come from if they are not known before it starts: a search that is asked for the next point
//! and told what was measured there.

use std::error::Error;

use aiperf_config::Cell;
use aiperf_metrics::Metric;
use aiperf_report::{FailedRun, SweepCell};

use super::figures::Figures;

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
    /// Each trial that succeeded.
    pub trials: Vec<MeasuredTrial>,
    pub failed: Vec<FailedRun>,
}

/// One trial of a point that succeeded.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredTrial {
    pub figures: Figures,
    /// Values of all requests by metric, if the runs keep them.
    pub values: Vec<(Metric, Vec<f64>)>,
}
