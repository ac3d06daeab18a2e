//! The real program against the simulator, over real sockets. What the client wrote is held against what the server knows to
//! have happened, never against how long things should have taken.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where something is not as it should be")]

mod support;

mod command_line;
mod determinism;
mod endpoints;
mod failures;
mod interrupts;
mod load;
mod outputs;
mod readme;
mod requests;
mod transports;
mod truth;
