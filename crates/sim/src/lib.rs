//! An inference server that is none: it answers like one, over real sockets, at a speed and with faults that are chosen, and
//! it knows the truth. For every request it keeps when it came and when each chunk of the reply was written, so that what a
//! client measured can be held against what happened.
//!
//! [`Sim::start`] runs it inside a program, [`serve`] as a program of its own. [`SIM_OPTIONS`] is the table of everything
//! that can be set.

#![forbid(unsafe_code)]

mod admission;
mod ask;
mod connection;
mod descriptor_limit;
mod dialect;
mod distribution;
mod draws;
mod embeddings;
mod error;
mod exchange;
mod fault;
mod files;
mod form;
mod generate;
mod grpc;
mod http_request;
mod http_response;
mod kserve;
mod listener;
mod media_out;
mod message;
mod one_piece;
mod option_table;
mod options;
mod prefix_cache;
mod prompt;
mod rankings;
mod reply;
mod route;
mod serve;
mod server;
mod server_metrics;
mod server_state;
mod speculation;
mod stream_reply;
mod timeline;
mod truth;
mod truth_log;
mod video;
mod vocabulary;
mod whole_reply;
mod worker;

pub use distribution::Distribution;
pub use error::{OptionError, SimError};
pub use fault::{FaultOptions, Trigger};
pub use option_table::{SIM_OPTIONS, SimOption};
pub use options::{ReasoningField, SimOptions, TokenCounting, ToolUse, UsageReport};
pub use route::serves;
pub use serve::{Shutdown, serve};
pub use server::Sim;
pub use truth::{Outcome, TruthRecord};
