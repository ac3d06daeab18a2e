//! How a phase went.

use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::PhaseKind;
use aiperf_conversation::BranchCounts;

use crate::control::StopReason;

#[derive(Debug, Clone)]
pub struct PhaseOutcome {
    pub kind: PhaseKind,
    pub name: &'static str,
    /// Before the first credit was given out.
    pub start: Mono,
    /// When the last credit came back.
    pub end: Mono,
    pub counts: PhaseCounts,
    pub ended_by: EndReason,
    /// Requests were still in flight when the grace period was over.
    pub grace_exceeded: bool,
    /// Of an agentic replay.
    pub replay: Option<ReplayOutcome>,
    /// The server was out of reach when the phase ended.
    pub outage: Option<Outage>,
}

/// A time in which no connection to the server could be made, and nothing else came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// When the first of the requests began that could not connect.
    pub since: Mono,
    /// When the last of them had failed.
    pub last: Mono,
    /// How many there were.
    pub failures: u64,
}

/// How the recorded sessions of a phase were entered and gone on with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReplayOutcome {
    /// Where the first session of each lane was entered.
    pub entries: Vec<ReplayEntry>,
    /// Sessions that ended with all of their agents.
    pub trees_completed: u64,
    /// Times without any request that were shortened, and by how much in all.
    pub idle_jumps: u64,
    pub idle_skipped: Nanos,
}

/// Where a recorded session was entered.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayEntry {
    pub session_id: Arc<str>,
    /// As a share of its recorded time.
    pub ratio: f64,
    /// The next turn of its main line, and how many there are.
    pub root_next: usize,
    pub root_turns: usize,
    /// Lines of requests with some before that point and some after it.
    pub live: usize,
}

/// Credits and sessions of a phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PhaseCounts {
    pub sent: u64,
    /// Came back by themselves: answered, failed, timed out or given up on purpose.
    pub completed: u64,
    /// Cut off by the client at the end of the phase.
    pub cut: u64,
    pub sessions_sent: u64,
    pub sessions_completed: u64,
    pub sessions_cut: u64,
    /// ArrivalTimes that found a limit reached and were not sent.
    pub arrivals_dropped: u64,
    /// Requests that a limit held back after they were due.
    pub arrivals_delayed: u64,
    pub branches: BranchCounts,
}

/// Why a phase stopped sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndReason {
    /// All that was asked for.
    Count,
    Duration,
    /// Someone who watched it said that what is known suffices, and why.
    Enough(Arc<str>),
    Stopped(StopReason),
}
