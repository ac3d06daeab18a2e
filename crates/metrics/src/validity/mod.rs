//! What the reader of a summary should know before believing its numbers. Here it is found; the words are the report's.

mod chunking;
mod code;
mod cold_start;
mod connections;
mod delivery;
mod digest;
mod evidence;
mod explanation;
mod field_refusal;
mod input_length;
mod lost_records;
mod note;
mod occupancy;
mod pacing;
mod reached;
mod samples;
mod server_counts;
mod unready;

pub use code::ValidityCode;
pub use digest::Digest;
pub use evidence::Evidence;
pub use explanation::Explanation;
pub use field_refusal::MaxTokensField;
pub use lost_records::LostRecords;
pub use note::{Severity, ValidityNote};
pub use occupancy::GapCause;
pub use reached::{AskedConcurrency, Unreached};

/// From one request in a hundred on, the p99 of a run is that of such requests.
pub(crate) const NOTED_SHARE_PERCENT: f64 = 1.0;
