//! How sure a number is. Intervals for means, percentiles and rates of values that follow each other in time and so are
//! not independent, the number of samples that a percentile needs, and the part of a run in which nothing drifts.
//! `docs/statistics.md` has the methods in words, their sources and how often they hold the truth.
#![forbid(unsafe_code)]

mod batches;
mod closed_loop;
pub mod distribution;
mod estimate;
mod level;
mod long_run;
mod mean;
mod order;
mod proportion;
mod quantile;
mod rate;
mod sample;
mod share;
pub mod steady;
mod two_samples;

pub use closed_loop::{ClosedLoopRate, HeldSlot, RunEnd, closed_loop_rate};
pub use estimate::{Estimate, Interval, Support};
pub use level::{Level, LevelError};
pub use mean::{effective_samples, mean};
pub use order::{at_rank, linear};
pub use proportion::{PairedCounts, mcnemar, wilson};
pub use quantile::{floor, quantile};
pub use rate::{CountedEvent, TimeSpan, rate};
pub use sample::Sample;
pub use share::share;
pub use two_samples::same_distribution;
