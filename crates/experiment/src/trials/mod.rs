//! Several runs of one command: the points of a sweep and their repetitions, one after the other, and their aggregates.

mod aggregate;
mod cell_source;
mod collate;
mod conclusion;
mod convergence;
mod estimate;
mod figure_file;
mod figures;
mod order;
mod packed_figures;
mod plan;
mod post_process;
mod recipe;
mod result;
mod runner;
#[cfg(test)]
mod samples;
mod search_source;
mod seeds;
mod series;
mod sla;
mod sweep;
#[cfg(test)]
mod tests;
mod trial_mark;

pub use cell_source::{CellSource, MeasuredCell, MeasuredTrial};
pub use estimate::{ProbeFigures, RunEstimate};
pub use figures::Figures;
pub use order::{TrialAssignment, assignments, run_names};
pub use plan::ExperimentPlan;
pub use result::{CellResult, ExperimentResult};
pub use runner::{Pause, Runner, TrialError, TrialResult};
pub use search_source::SearchSource;
pub use series::{run_search, run_trials};
pub use trial_mark::TrialMark;
