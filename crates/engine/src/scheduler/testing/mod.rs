//! Whole phases without sockets and without waiting: the scheduler on a virtual clock, with a simulated server behind it
//! that records every dispatch and answers when the test says.

mod conversations;
mod invariants;
mod phases;
mod server;
mod simulation;

pub(super) use self::conversations::{chat, conversation, orchestrator};
pub(super) use self::invariants::{assert_invariants, most_at_once};
pub(super) use self::phases::{agentic, closed_loop, duration, linear, profiling, rate, requests, sessions, warmup};
pub(super) use self::server::{CutReply, Dispatched, REACTION, SentBody, SimulatedReply};
pub(super) use self::simulation::{DispatchLog, Simulation};

use aiperf_clock::Nanos;

/// A span of time in milliseconds: the unit of these tests.
pub(super) const fn ms(millis: u64) -> Nanos {
    Nanos(millis * 1_000_000)
}

pub(super) const fn to_ms(span: Nanos) -> u64 {
    span.0 / 1_000_000
}
