//! Process plugins: programs in any language that speak JSON Lines over stdin and stdout.
//!
//! Every message is one JSON object on one line with a `type`. The first exchange is a handshake with the version of the protocol.
//! Answers have a time limit, lines and memory have a limit, and what a program writes to stderr goes to the log.

mod client;
mod collector;
mod error;
mod exporter;
mod grader;
mod lines;
mod loader;
mod planner;
mod process_group;

pub use client::{Hello, PROTOCOL, PluginClient};
pub use collector::CollectorServer;
pub use error::PluginError;
pub use exporter::{ExportedRun, StreamExporter, export};
pub use grader::{PluginGrade, ProcessGrader};
pub use loader::ProcessLoaders;
pub use planner::ProcessPlanner;
