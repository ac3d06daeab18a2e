//! A simulated inference server: real sockets and protocols, no model. Its speed and its faults are options, and it records the truth:
//! for every request it keeps when the request arrived and when each chunk of the reply was written, so that a client's measurements can
//! be compared with what happened.
//!
//! [`Sim::start`] runs it inside a program, [`serve`] as a program of its own. [`SIM_OPTIONS`] is the table of everything that can be
//! set. `server/` has sockets and routes, `api/` the APIs, `generation/` the simulated model, `monitoring/` the
//! pages for monitoring systems, `truth/` the record.

#![forbid(unsafe_code)]

mod api;
mod error;
mod generation;
mod monitoring;
mod option_table;
mod options;
mod server;
mod truth;

pub use error::{OptionError, SimError};
pub use generation::distribution::Distribution;
pub use generation::fault::{FaultOptions, Trigger};
pub use monitoring::gpu::GpuOptions;
pub use monitoring::window::{TrueGauge, WindowTruth};
pub use option_table::{SIM_OPTIONS, SimOption};
pub use options::{ReasoningField, SimOptions, TokenCounting, ToolUse, UsageReport};
pub use server::{Shutdown, Sim, serve, serves};
pub use truth::{TruthOutcome, TruthRecord};
