//! What the reader of a summary should know before believing its numbers. The rules are here; the text of each note and
//! its row in the manual are in the report crate.

mod chunking;
mod cold_start;
mod connections;
mod delivery;
mod digest;
mod evidence;
mod field_refusal;
mod input_length;
mod lost_records;
mod note;
mod occupancy;
mod pacing;
mod reached;
mod samples;
mod send_delays;
mod server_counts;
mod server_metrics;
pub mod thresholds;
mod unready;

pub use digest::Digest;
pub use evidence::Evidence;
pub use field_refusal::MaxTokensField;
pub use lost_records::LostRecords;
pub use note::{Severity, ValidityCode, ValidityNote};
pub use occupancy::GapCause;
pub use reached::{AskedConcurrency, Unreached};
pub use server_metrics::ServerClaims;
