//! Reports of runs, sweeps and comparisons as one HTML file. This crate reads artifact folders and computes compact columns; the
//! scripts under `page/` draw them in the browser. The file names no other file and no address, so it can be mailed and opened
//! offline.
#![forbid(unsafe_code)]

mod column;
mod comparison;
mod error;
mod number;
mod page;
mod payload;
mod run;
mod sweep;
mod time_bins;

pub use comparison::comparison_page;
pub use error::HtmlReportError;
pub use run::{RunPageOptions, run_page};
pub use sweep::{is_sweep, sweep_page};
