//! What is raised, and the load that a value of it stands for.

use aiperf_config::{Arrival, ControlVariable, LoadLevel, Pace};

use crate::watch::load_control::LoadDecision;

/// A part of the load, with the parts that stay as they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Lever {
    /// Sessions in flight of a closed loop.
    Sessions,
    /// The ceiling of an open loop.
    Ceiling {
        per_second: f64,
        arrival: Arrival,
    },
    /// The ceiling of simulated users.
    CeilingOfUsers {
        users: usize,
        per_second: f64,
    },
    /// Requests that wait for their first token.
    Prefill,
    Rate {
        arrival: Arrival,
        ceiling: Option<usize>,
    },
    Users {
        per_second: f64,
        ceiling: Option<usize>,
    },
}

impl Lever {
    /// The lever of a load that was asked for, and the load that it begins with; `None` if the load has no such part.
    pub(super) fn of(pace: &Pace, variable: ControlVariable, first: f64) -> Option<(Self, LoadLevel)> {
        let asked = match pace {
            Pace::Concurrency(users) => LoadLevel::Users(*users),
            Pace::Rate { rate, arrival, ceiling } => {
                LoadLevel::Rate { per_second: rate.points.first()?.per_second, arrival: *arrival, ceiling: *ceiling }
            }
            Pace::UserCentric { per_second, users, ceiling } => {
                LoadLevel::PacedUsers { users: *users, per_second: *per_second, ceiling: *ceiling }
            }
            Pace::FixedSchedule { .. } | Pace::AgenticReplay(_) | Pace::Controlled(_) => return None,
        };
        let lever = match (variable, asked) {
            (ControlVariable::PrefillConcurrency, level) => return Some((Self::Prefill, level)),
            (ControlVariable::Concurrency, LoadLevel::Users(_)) => Self::Sessions,
            (ControlVariable::Concurrency, LoadLevel::Rate { per_second, arrival, .. }) => {
                Self::Ceiling { per_second, arrival }
            }
            (ControlVariable::Concurrency, LoadLevel::PacedUsers { users, per_second, .. }) => {
                Self::CeilingOfUsers { users, per_second }
            }
            (ControlVariable::RequestRate, LoadLevel::Rate { arrival, ceiling, .. }) => Self::Rate { arrival, ceiling },
            (ControlVariable::Users, LoadLevel::PacedUsers { per_second, ceiling, .. }) => {
                Self::Users { per_second, ceiling }
            }
            (ControlVariable::RequestRate | ControlVariable::Users, _) => return None,
        };
        Some((lever, lever.level(first)?))
    }

    /// What the engine is told for a value.
    pub(super) fn decision(self, value: f64) -> LoadDecision {
        self.level(value).map_or(LoadDecision::SetPrefillLimit(value as usize), LoadDecision::Set)
    }

    /// Whether the engine says when a value came into force.
    pub(super) const fn is_load(self) -> bool {
        !matches!(self, Self::Prefill)
    }

    fn level(self, value: f64) -> Option<LoadLevel> {
        let whole = value as usize;
        match self {
            Self::Sessions => Some(LoadLevel::Users(whole)),
            Self::Ceiling { per_second, arrival } => {
                Some(LoadLevel::Rate { per_second, arrival, ceiling: Some(whole) })
            }
            Self::CeilingOfUsers { users, per_second } => {
                Some(LoadLevel::PacedUsers { users, per_second, ceiling: Some(whole) })
            }
            Self::Prefill => None,
            Self::Rate { arrival, ceiling } => Some(LoadLevel::Rate { per_second: value, arrival, ceiling }),
            Self::Users { per_second, ceiling } => Some(LoadLevel::PacedUsers { users: whole, per_second, ceiling }),
        }
    }
}
