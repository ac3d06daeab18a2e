//! One table of all metrics, and all that turns observations into numbers: the values of one record, columns over a
//! run, statistics, and what is derived from them.
#![forbid(unsafe_code)]

mod observation;

pub use observation::{Failure, HttpTiming, Observation, TokenCounts};
