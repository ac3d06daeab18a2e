//! What is sent: conversations made from a description or read from a file. Their outlines are complete before the run
//! starts, and contents that must be generated follow when they are needed. The same seed gives the same bytes, whatever the number of threads.
#![forbid(unsafe_code)]

mod assignment;
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
mod session;
mod synthetic;
mod text;
mod trace;

pub use cache_bust::{MarkedSession, WARMUP_MARKER, mark};
pub use dataset::{Dataset, build, build_with_hub};
pub use error::{DatasetError, RowPlace};
pub use file::{SkippedRows, conversations_of, peek};
pub use public::public_conversations_of;
pub use sampler::Sampler;
