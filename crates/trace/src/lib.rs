//! Traces of recorded load: reading every layout, analysis, changes, and generation. The analysis tools and the data sets use
//! the same readers, so that the analysed requests are those that are sent.
#![forbid(unsafe_code)]

pub mod agentic;
mod analysis;
mod error;
mod input;
mod layout;
mod number_map;
mod prefix_tree;
pub mod report;
mod request;
mod synthesis;
mod trace;
mod validation;
mod write;

pub use analysis::{
    Analysis, ArrivalStatistics, ArrivalWindow, CacheProfile, ModelShape, SessionPoint, SessionSource,
    SessionStatistics, Statistics, analyze,
};
pub use error::TraceError;
pub use input::{
    MOST_UNPACKED, SourceError, catch_panic, check_pages, lines, not_json, not_utf8, read_file, unpack, unpacking,
};
pub use layout::Layout;
pub use request::{BlockId, TracePrompt, TraceRequest};
pub use synthesis::{Effectless, effectless, synthesize};
pub use trace::Trace;
pub use validation::{RowProblem, ValidationReport, request_problem, session_problems, validate};
