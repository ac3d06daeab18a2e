//! The report of SPEED-Bench runs: one row for each model, one column for each category, from artifact folders of this program and of
//! AIPerf.
#![forbid(unsafe_code)]

mod category;
mod figure;
mod matrix;
mod metric;

pub use matrix::{Matrix, Unreported};
pub use metric::SpeedBenchMetric;
