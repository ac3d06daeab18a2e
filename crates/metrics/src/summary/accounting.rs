//! How the requests and sessions of a phase ended, as the scheduler counted them.

use aiperf_clock::EpochNanos;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PhaseAccounting {
    /// Name of the phase, as in its report.
    pub phase: String,
    pub started: EpochNanos,
    pub ended: EpochNanos,
    /// Requests put on the wire.
    pub sent: u64,
    /// Came back by themselves or were cancelled on purpose.
    pub completed: u64,
    /// Those of them that failed.
    pub errors: u64,
    /// Cut off by the end of the phase: grace period over, Ctrl-C, too many failures.
    pub cut: u64,
    /// Root sessions whose first turn was sent, whose last turn came back, and that were cut off in between.
    pub sessions_sent: u64,
    pub sessions_completed: u64,
    pub sessions_cancelled: u64,
    /// Arrivals of an open loop that waited for a slot under the concurrency ceiling.
    pub arrivals_delayed: u64,
    /// Arrivals of an open loop that were never sent, because the ceiling was reached.
    pub arrivals_dropped: u64,
}

impl PhaseAccounting {
    /// All of these phases together, from the first start to the last end; `None` if there are none.
    pub fn joined<'a>(phases: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        phases.into_iter().cloned().reduce(|all, next| Self {
            phase: all.phase,
            started: all.started.min(next.started),
            ended: all.ended.max(next.ended),
            sent: all.sent + next.sent,
            completed: all.completed + next.completed,
            errors: all.errors + next.errors,
            cut: all.cut + next.cut,
            sessions_sent: all.sessions_sent + next.sessions_sent,
            sessions_completed: all.sessions_completed + next.sessions_completed,
            sessions_cancelled: all.sessions_cancelled + next.sessions_cancelled,
            arrivals_delayed: all.arrivals_delayed + next.arrivals_delayed,
            arrivals_dropped: all.arrivals_dropped + next.arrivals_dropped,
        })
    }

    /// Arrivals of the schedule, sent or not.
    pub fn arrivals(&self) -> u64 {
        self.sent + self.arrivals_dropped
    }
}
