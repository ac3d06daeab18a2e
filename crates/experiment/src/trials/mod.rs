//! Several runs of one command: each point of a sweep and each repetition in its turn, and what they say together.

mod aggregate;
mod collate;
mod conduct;
mod convergence;
mod figures;
mod order;
#[cfg(test)]
mod samples;
mod seeds;
mod sweep;
#[cfg(test)]
mod tests;

pub use conduct::{CellResult, ExperimentResult, Finished, Pause, Runner, Trouble, conduct};
pub use figures::Figures;
pub use order::Assignment;
