//! One benchmark from configuration to artifacts: opens the targets, makes the data, runs the phases, keeps the
//! records, writes the files.
#![forbid(unsafe_code)]

mod error;
mod failure;
mod http_timing;
mod monitor;
mod observe;
mod prepared;
mod raw;
mod records;
mod run;
mod target;
mod trace_data;
mod verdict;

pub use error::RunError;
pub use monitor::Monitor;
pub use run::{Run, RunResult};
pub use verdict::Verdict;
