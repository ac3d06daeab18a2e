//! An HTTP/1.1 server for tests, plain or under TLS: it keeps every request as it came and writes the bytes that the test
//! gives it, in the writes, with the pauses and with the end that the test asks for.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a step of a test that fails must fail the test")]

mod received;
mod reply;
mod server;

pub use received::{ReceivedRequest, read_head, read_request};
pub use reply::{AfterReply, TestReply};
pub use server::TestServer;
