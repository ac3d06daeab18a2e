//! Data sets through the public door.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a step of a test that fails must fail the test")]

mod agent_order;
mod agents;
mod described;
mod files;
mod generated;
mod public;
mod sessions;
mod single_turn;
mod synthetic;
mod traces;
