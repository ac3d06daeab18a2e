//! The routes over real sockets, with example runs.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where something is not as it should be")]

mod access;
mod files;
mod reference;
mod routes;
mod streams;
mod support;
