//! Shows the progress of a run. It reads snapshots and never makes anyone wait.
#![forbid(unsafe_code)]

mod line;
mod silence;
mod ticker;

pub use line::{Snapshot, Spread, Transfer, render, render_log, render_transfer};
pub use ticker::{ProgressLine, Style, clear_line};
