//! How a phase went.

use aiperf_clock::Mono;
use aiperf_config::PhaseKind;

#[derive(Debug, Clone)]
pub struct PhaseOutcome {
    pub kind: PhaseKind,
    /// Before the first credit was given out.
    pub start: Mono,
    /// When the last credit came back.
    pub end: Mono,
    pub sent: u64,
    /// Came back by themselves: answered, failed or timed out.
    pub completed: u64,
    /// Cut off by the client.
    pub cut: u64,
    pub sessions_sent: u64,
    pub sessions_completed: u64,
    /// Open-loop arrivals that found the concurrency ceiling reached and were not sent.
    pub arrivals_dropped: u64,
    pub ended_by: EndReason,
}

/// Why a phase stopped sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// All requests or sessions that were asked for.
    Count,
    Duration,
    Interrupt,
}
