//! Shows the progress of a run. It reads snapshots and never makes anyone wait.

mod line;
mod silence;
mod ticker;

pub(crate) use line::{Snapshot, Spread, Transfer, render, render_log, render_transfer};
pub(crate) use ticker::{ProgressLine, Style, clear_line};
