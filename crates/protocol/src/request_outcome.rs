//! How one request ended.

/// How a request ended. Metric columns store its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RequestOutcome {
    /// The server gave a complete and valid answer.
    #[default]
    Success,
    /// The connection, the server or the answer failed.
    Failed,
    /// The server refused the prompt because it is too long for the model.
    ContextOverflow,
    /// The request was in flight when the run ended. This says nothing about the server, so it is counted apart from failures.
    CutOff,
    /// There was no server, or it was not ready.
    ServerNotReady,
    /// The client cancelled the request because `--request-cancellation-rate` asks for it.
    CancelledOnPurpose,
}

impl RequestOutcome {
    /// Each at the place of its number.
    const ALL: [Self; 6] = [
        Self::Success,
        Self::Failed,
        Self::ContextOverflow,
        Self::CutOff,
        Self::ServerNotReady,
        Self::CancelledOnPurpose,
    ];

    pub const fn number(self) -> u64 {
        self as u64
    }

    pub fn from_number(number: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    pub const fn is_success(self) -> bool {
        matches!(self, Self::Success)
    }

    /// Whether the request counts as an error: neither answered nor cut off by the end of the run.
    pub const fn is_failure(self) -> bool {
        !matches!(self, Self::Success | Self::CutOff)
    }

    /// Whether the client itself ended the request.
    pub const fn is_cancelled(self) -> bool {
        matches!(self, Self::CutOff | Self::CancelledOnPurpose)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_gives_its_outcome_back() {
        for outcome in RequestOutcome::ALL {
            assert_eq!(RequestOutcome::from_number(outcome.number()), Some(outcome));
        }
        assert_eq!(RequestOutcome::from_number(6), None);
    }
}
