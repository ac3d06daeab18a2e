//! What a whole run comes to: its numbers as JSON and CSV, in windows of time, and by phase.

mod build;
pub(crate) mod csv;
mod files;
mod genai_perf;
mod health;
pub(crate) mod json;
mod local_time;
mod percentiles;
mod phases;
mod run;
pub(crate) mod steady;
mod timeslices;
mod timestamps;

pub use build::ProgramBuild;
pub use files::{ExtraFiles, SummaryFiles, WrittenFile, write_html_report, write_summary_files};
pub use json::summary_document;
pub use local_time::LocalZone;
pub use percentiles::AskedPercentiles;
pub use phases::accounting as accounting_json;
pub use run::{PhaseReport, RunReport};
pub use timeslices::write_timeslices;
pub use timestamps::{DelayFigures, StampCounts, Timestamps};
