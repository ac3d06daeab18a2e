//! Several runs of one command: the points of a sweep and their repetitions, one after the other, and their aggregates.

mod aggregate;
mod collate;
mod convergence;
mod figures;
mod order;
#[cfg(test)]
mod samples;
mod seeds;
mod series;
mod sweep;
#[cfg(test)]
mod tests;

pub use figures::Figures;
pub use order::{TrialAssignment, run_names};
pub use series::{CellResult, ExperimentResult, Pause, Runner, TrialError, TrialResult, run_trials};
