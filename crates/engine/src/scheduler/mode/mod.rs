//! The ways to load a server. A mode says when sessions begin and when their later turns are due; the floor sends them.

mod agentic_replay;
mod concurrency;
mod fixed_schedule;
mod rate;
mod user_centric;

use aiperf_clock::Mono;
use aiperf_config::Pace;

use super::phase_state::Floor;
use crate::plan::{EngineError, PreparedTurn};

pub(super) trait Mode {
    /// When it wants to be asked again; `None`: only when something comes back.
    fn next_due(&self) -> Option<Mono>;

    /// Hands over what is due.
    fn feed(&mut self, now: Mono, floor: &mut Floor<'_>) -> Result<(), EngineError>;

    /// When a later turn is due, whose predecessor was due at `last_due` and ended at `ended`.
    fn turn_due(&self, _last_due: Mono, ended: Mono, turn: &PreparedTurn) -> Mono {
        ended + turn.delay.unwrap_or_default()
    }

    /// Whether it has sessions left to start.
    fn has_more(&self) -> bool {
        true
    }

    /// Due times come from a schedule, not from what came back.
    fn knows_due_times(&self) -> bool {
        true
    }

    /// Later turns wait for an arrival, because the rate counts requests, not sessions.
    fn turns_wait_for_arrivals(&self) -> bool {
        false
    }
}

pub(super) fn of(pace: &Pace, floor: &mut Floor<'_>) -> Box<dyn Mode> {
    match pace {
        Pace::AgenticReplay(_) => Box::new(agentic_replay::Agentic::new(floor)),
        Pace::Concurrency(_) => Box::new(concurrency::Burst),
        Pace::Rate { rate, arrival, .. } => Box::new(rate::Rate::new(rate, *arrival, floor)),
        Pace::FixedSchedule { zero, .. } => Box::new(fixed_schedule::Fixed::new(*zero, floor)),
        Pace::UserCentric { per_second, users, .. } => Box::new(user_centric::Users::new(*users, *per_second, floor)),
    }
}
