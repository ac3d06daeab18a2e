//! How a run, or one phase of it, ended.

/// How a run or a phase ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunOutcome {
    /// Everything that was asked for was sent.
    Completed,
    /// The duration was over.
    DurationOver,
    /// A rule that may end a run early was satisfied.
    EarlyStop,
    /// The run was stopped before its end.
    Stopped(StopReason),
    /// The run reached its end and has results, but not what was asked for: it did not become stable, for example.
    TargetMissed,
    /// The run reached its end, and no request succeeded.
    NothingSucceeded,
}

/// Why a run was stopped before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The user interrupted it.
    Interrupt,
    /// More requests failed than `--failed-request-threshold` allows.
    FailedRequests,
    /// A request of the warmup failed without which the profiling phase cannot start.
    FailedWarmup,
    /// The server could not be reached for too long.
    Unreachable,
    /// A thread of the client panicked: a request is lost and would never come back.
    Defect,
    /// Known only by the sentence in the files of the run.
    Recorded,
    /// Records lagged, and the responses that waited for them could not be spilled to disk.
    SpillFailed,
    /// The coordinator of the nodes ended the run of this node.
    Coordinator,
}

impl RunOutcome {
    /// Whether everything that was asked for was done.
    pub const fn is_complete(self) -> bool {
        matches!(self, Self::Completed | Self::DurationOver | Self::EarlyStop)
    }

    pub const fn is_stopped(self) -> bool {
        matches!(self, Self::Stopped(_))
    }

    pub const fn is_interrupted(self) -> bool {
        matches!(self, Self::Stopped(StopReason::Interrupt))
    }
}

/// How a run ended, and a sentence on what kept it from ending as asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnding {
    pub outcome: RunOutcome,
    /// Present unless the run is complete or the user interrupted it.
    pub reason: Option<String>,
}

impl RunEnding {
    pub const COMPLETED: Self = Self { outcome: RunOutcome::Completed, reason: None };
    pub const INTERRUPTED: Self = Self { outcome: RunOutcome::Stopped(StopReason::Interrupt), reason: None };

    /// An ending that needs a reason.
    pub fn because(outcome: RunOutcome, reason: impl Into<String>) -> Self {
        Self { outcome, reason: Some(reason.into()) }
    }

    /// Why the results do not cover everything that was asked for; `None` for a complete run.
    pub fn incomplete_reason(&self) -> Option<&str> {
        if self.outcome.is_interrupted() {
            return Some("The run was cancelled before all requests were done.");
        }
        self.reason.as_deref()
    }
}
