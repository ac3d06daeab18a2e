//! Artifact folders, of this program and of the reference, read back: the summaries rebuilt from the records alone,
//! whether everything in a folder is whole and agrees, and what its requests measured, one after the other.
#![forbid(unsafe_code)]

mod accuracy;
mod check;
mod collection;
mod error;
mod finding;
mod folder;
mod line;
mod lines;
mod merge;
mod observation;
mod origin;
mod perf_analyzer;
mod rebuild;
mod recorded;
mod records;
mod request_table;
mod requests;
mod runs;
mod schema;
mod seen_metrics;
mod series;
mod unfinished;
mod window;

pub use accuracy::{GradedAnswer, read_graded_answers};
pub use aiperf_report::PREVIOUS;
pub use check::{Checked, check};
pub use collection::{check_all, check_file, is_run_folder, stands_alone};
pub use error::ArtifactError;
pub use finding::Finding;
pub use folder::Folder;
pub use merge::{Merged, MergedNode, merge, node_folders};
pub use observation::observed;
pub use rebuild::{RebuildOptions, Rebuilt, rebuild};
pub use request_table::{RequestTable, read_request_table};
pub use requests::{RecordedFailure, RecordedRequest, RecordedRun, read_requests};
pub use runs::{FoundRun, find_runs};
pub use series::{RunSeries, TimedRequest, read_series};
pub use unfinished::UnfinishedFile;
