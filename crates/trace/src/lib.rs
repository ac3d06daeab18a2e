//! Recorded load: reading traces of every layout, measuring what sizes a cache, changing a trace, and making one. The
//! same reader serves the tools and the data sets, so that what is analysed is what is sent.
#![forbid(unsafe_code)]

pub mod agentic;
mod analysis;
mod error;
mod field;
mod hash;
mod layout;
mod lines;
mod model_shape;
mod packed;
mod parquet_pages;
mod prefix;
pub mod report;
mod request;
mod shield;
mod source;
mod synthesis;
mod text_fault;
mod trace;
mod validation;
mod write;

pub use analysis::{
    Analysis, Arrivals, CacheProfile, SessionPoint, SessionSource, Sessions, Statistics, WindowCounts, analyze,
};
pub use error::TraceError;
pub use layout::Layout;
pub use model_shape::ModelShape;
pub use packed::{MOST_UNPACKED, unpack, unpacking};
pub use parquet_pages::check_pages;
pub use request::{BlockId, Prompt, Request};
pub use shield::shielded;
pub use source::{SourceError, read_file};
pub use synthesis::{Effectless, effectless, synthesize};
pub use text_fault::{not_json, not_utf8};
pub use trace::Trace;
pub use validation::{Checked, Problem, request_problem, session_problems, validate};
