//! The conversations that a run sends: generated from a description, read from a file, or taken from a public data set. Their
//! outlines are complete before the run starts; contents that must be generated follow when they are needed. The same seed
//! gives the same bytes with any number of threads.
#![forbid(unsafe_code)]

mod accuracy;
mod cache_bust;
#[cfg(test)]
mod counting;
mod dataset;
mod deferred;
mod error;
mod file;
mod length;
mod media;
mod public;
mod sampler;
mod session_names;
mod synthetic;
mod text;
mod trace;
mod turn_defaults;

pub use accuracy::{AnswerKey, AnswerKeys, QuestionOrigin};
pub use cache_bust::{MarkedSession, WARMUP_MARKER, mark};
pub use dataset::{Dataset, build, build_with_hub};
pub use error::{DatasetError, RowPlace};
pub use file::{SkippedRows, conversations_of, peek};
pub use public::public_conversations_of;
pub use sampler::Sampler;
