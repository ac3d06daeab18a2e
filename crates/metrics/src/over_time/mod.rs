//! How a phase went over time: concurrency and rates weighted by time, windows of equal length, the steady state, and
//! throughput.

pub(crate) mod levels;
pub(crate) mod parallel;
pub(crate) mod slices;
mod steady;
mod step;
pub(crate) mod throughput;
pub(crate) mod time_weighted;
pub(crate) mod timeline;

pub use slices::{Slice, Slices};
pub use steady::{SteadyState, SteadyWindow};
