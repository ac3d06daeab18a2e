//! How a phase went.

use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::PhaseKind;
use aiperf_conversation::BranchCounts;
use aiperf_protocol::RunOutcome;

#[derive(Debug, Clone)]
pub struct PhaseOutcome {
    pub kind: PhaseKind,
    pub name: Arc<str>,
    /// Before the first credit was given out.
    pub start: Mono,
    /// When the last credit came back.
    pub end: Mono,
    pub counts: PhaseCounts,
    /// Why it stopped sending.
    pub ended_by: RunOutcome,
    /// Requests were still in flight when the grace period was over.
    pub grace_exceeded: bool,
    /// Present for an agentic replay.
    pub replay: Option<ReplayOutcome>,
    /// Present if the server could not be reached when the phase ended.
    pub outage: Option<Outage>,
}

/// A time in which no connection to the server could be made, and nothing else came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// When the first request that could not connect began.
    pub since: Mono,
    /// When the last request that could not connect failed.
    pub last: Mono,
    /// How many requests could not connect.
    pub failures: u64,
}

/// How the recorded sessions of a phase were entered and continued.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReplayOutcome {
    /// Where the first session of each lane was entered.
    pub entries: Vec<ReplayEntry>,
    /// Sessions that ended with all of their agents.
    pub trees_completed: u64,
    /// Stretches without any request that were shortened.
    pub idle_jumps: u64,
    /// By how much they were shortened, in total.
    pub idle_skipped: Nanos,
}

/// Where a recorded session was entered.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayEntry {
    pub session_id: Arc<str>,
    /// The start point as a share of the recorded time.
    pub ratio: f64,
    /// The next turn of its main line.
    pub root_next: usize,
    /// How many turns its main line has.
    pub root_turns: usize,
    /// Lines of requests with some before the start point and some after it.
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
    /// Arrivals that found a limit reached and were not sent.
    pub arrivals_dropped: u64,
    /// Requests that a limit held back after they were due.
    pub arrivals_delayed: u64,
    pub branches: BranchCounts,
}
