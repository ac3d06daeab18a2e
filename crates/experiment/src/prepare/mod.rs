//! Everything that happens before the first request: settings, targets, checks, and questions to the server.

pub(crate) mod capacity;
pub(crate) mod counting;
pub(crate) mod data_warnings;
pub(crate) mod discovery;
pub(crate) mod node_split;
pub(crate) mod readiness;
pub(crate) mod replay_plan;
pub(crate) mod scenario;
pub(crate) mod secrets;
pub(crate) mod server_hook;
pub(crate) mod settings;
pub(crate) mod start_time;
pub(crate) mod strictness;
pub(crate) mod target;
