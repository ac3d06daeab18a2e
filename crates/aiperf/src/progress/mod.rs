//! Shows the progress of a run. It reads snapshots and never makes anyone wait.

mod line;
mod silence;
mod ticker;

pub(crate) use line::{LatencyRange, ProgressNow, Snapshot, Transfer, Work};
pub(crate) use ticker::{ProgressLine, ProgressStyle, without_line};
