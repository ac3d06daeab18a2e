//! The load modes. A mode decides when sessions begin and when their later turns are due; [`PhaseState`] sends them.

mod agentic_replay;
mod concurrency;
mod controlled;
mod fixed_schedule;
mod rate;
mod user_centric;

use aiperf_clock::Mono;
use aiperf_config::{LoadLevel, Pace};

use super::phase_state::PhaseState;
use crate::plan::{EngineError, PreparedTurn};

pub(super) trait LoadMode {
    /// When the mode must be asked again; `None`: only when something comes back.
    fn next_due(&self) -> Option<Mono>;

    /// Hands over what is due.
    fn send_due(&mut self, now: Mono, state: &mut PhaseState<'_>) -> Result<(), EngineError>;

    /// When a later turn is due, whose predecessor was due at `last_due` and ended at `ended`.
    fn turn_due(&self, _last_due: Mono, ended: Mono, turn: &PreparedTurn) -> Mono {
        ended + turn.delay.unwrap_or_default()
    }

    /// Whether the mode has sessions left to start.
    fn has_more(&self) -> bool {
        true
    }

    /// Goes on with another load, where it is controlled.
    fn set_load(&mut self, _level: LoadLevel, _now: Mono, _state: &mut PhaseState<'_>) {}

    /// Whether due times come from a schedule, not from what came back.
    fn knows_due_times(&self) -> bool {
        true
    }

    /// Later turns wait for an arrival, because the rate counts requests, not sessions.
    fn turns_wait_for_arrivals(&self) -> bool {
        false
    }
}

pub(super) fn of(pace: &Pace, state: &mut PhaseState<'_>) -> Box<dyn LoadMode> {
    match pace {
        Pace::AgenticReplay(_) => Box::new(agentic_replay::AgenticReplayMode::new(state)),
        Pace::Concurrency(_) => Box::new(concurrency::ConcurrencyMode),
        Pace::Controlled(LoadLevel::PacedUsers { per_second, users, ceiling }) => {
            Box::new(user_centric::UserCentricMode::controlled(*users, *per_second, *ceiling, state))
        }
        Pace::Controlled(level) => Box::new(controlled::ControlledMode::new(*level, state)),
        Pace::Rate { rate, arrival, .. } => Box::new(rate::RateMode::new(rate, *arrival, state)),
        Pace::FixedSchedule { zero, .. } => Box::new(fixed_schedule::FixedScheduleMode::new(*zero, state)),
        Pace::UserCentric { per_second, users, .. } => {
            Box::new(user_centric::UserCentricMode::new(*users, *per_second, state))
        }
    }
}
