//! Whether a closed loop ever had as many requests in flight as it was asked to.

use super::ValidityNote;
use crate::PhaseAccounting;

/// As for rates: within a twentieth it makes no difference that a repetition of the run would not make.
pub const SHORTFALL_PERCENT: f64 = super::pacing::SHORTFALL_PERCENT;

/// What a closed loop was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskedConcurrency {
    pub limit: u64,
    /// The limit grew to its target in the course of the run.
    pub is_ramped: bool,
}

/// Why the concurrency was never reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreached {
    /// Fewer requests were sent than were to be in flight at once.
    FewRequests { sent: u64 },
    /// Fewer sessions were started, each of which sends one request at a time.
    FewSessions { sessions: u64 },
    /// The run was over before its ramp.
    Ramp,
    /// Responses ended before the client had sent the next requests.
    QuickResponses,
}

impl AskedConcurrency {
    /// `most`: the most requests that were in flight at any time.
    pub(super) fn shortfall(&self, most: u64, accounting: &PhaseAccounting) -> Option<ValidityNote> {
        let PhaseAccounting { sent, sessions_sent: sessions, .. } = *accounting;
        let why = if sent < self.limit {
            Unreached::FewRequests { sent }
        } else if sessions < self.limit && !self.is_ramped {
            Unreached::FewSessions { sessions }
        } else if self.is_ramped {
            Unreached::Ramp
        } else if sent > sessions {
            // A session keeps its slot through the pauses between its turns.
            return None;
        } else {
            Unreached::QuickResponses
        };
        let note = ValidityNote::ConcurrencyNotReached { asked: self.limit, reached: most, why };
        (most < self.limit && note.figure() > SHORTFALL_PERCENT).then_some(note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: AskedConcurrency = AskedConcurrency { limit: 50, is_ramped: false };

    fn why(asked: AskedConcurrency, most: u64, sent: u64, sessions_sent: u64) -> Option<Unreached> {
        let accounting = PhaseAccounting { sent, sessions_sent, ..PhaseAccounting::default() };
        match asked.shortfall(most, &accounting) {
            Some(ValidityNote::ConcurrencyNotReached { why, .. }) => Some(why),
            _ => None,
        }
    }

    #[test]
    fn concurrency_that_was_in_flight_once_was_reached() {
        assert_eq!(why(ASKED, 50, 200, 200), None);
        assert_eq!(why(ASKED, 48, 200, 200), None, "within a twentieth");
    }

    #[test]
    fn concurrency_that_was_never_in_flight_names_its_reason() {
        assert_eq!(why(ASKED, 10, 10, 10), Some(Unreached::FewRequests { sent: 10 }));
        assert_eq!(why(ASKED, 10, 60, 10), Some(Unreached::FewSessions { sessions: 10 }));
        assert_eq!(why(ASKED, 20, 200, 200), Some(Unreached::QuickResponses));
        let ramped = AskedConcurrency { is_ramped: true, ..ASKED };
        assert_eq!(why(ramped, 20, 200, 200), Some(Unreached::Ramp));
    }

    #[test]
    fn sessions_that_pause_between_their_turns_hold_their_slots() {
        assert_eq!(why(ASKED, 20, 200, 60), None);
    }
}
