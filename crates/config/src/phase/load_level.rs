//! How much load a phase sends at one time, where that may be changed while the phase runs.

use super::Arrival;

/// A load that holds until another one is set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LoadLevel {
    /// Closed loop: this many sessions in flight, a new one as soon as one ends. With zero nothing new begins.
    Users(usize),
    /// Open loop: requests at this rate, whatever the server does, up to the ceiling.
    Rate { per_second: f64, arrival: Arrival, ceiling: Option<usize> },
    /// Users who pause between turns so that all together keep the rate, up to the ceiling. A phase that begins with them has
    /// them until it ends; only their number changes.
    PacedUsers { users: usize, per_second: f64, ceiling: Option<usize> },
}

impl LoadLevel {
    /// What came back, not a schedule, says when the next request is due.
    pub const fn is_closed_loop(&self) -> bool {
        matches!(self, Self::Users(_))
    }

    /// Most sessions in flight, where there is a limit.
    pub const fn session_limit(&self) -> Option<usize> {
        match self {
            Self::Users(users) => Some(*users),
            Self::Rate { ceiling, .. } | Self::PacedUsers { ceiling, .. } => *ceiling,
        }
    }
}
