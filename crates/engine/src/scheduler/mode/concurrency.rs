//! Closed loop: all slots are filled at once, and each again as soon as it is free.

use aiperf_clock::Mono;

use super::super::phase_state::PhaseState;
use super::LoadMode;
use crate::plan::EngineError;

#[derive(Debug)]
pub(super) struct ConcurrencyMode;

impl LoadMode for ConcurrencyMode {
    fn next_due(&self) -> Option<Mono> {
        None
    }

    fn knows_due_times(&self) -> bool {
        false
    }

    fn send_due(&mut self, now: Mono, state: &mut PhaseState<'_>) -> Result<(), EngineError> {
        state.start_given_back(now)?;
        fill(now, state)?;
        state.refill_reserve(now)
    }
}

/// Starts as many sessions as there is room for.
pub(super) fn fill(now: Mono, state: &mut PhaseState<'_>) -> Result<(), EngineError> {
    while state.has_room_for_session(now) {
        let session = state.draw_session(now);
        state.start(session)?;
    }
    Ok(())
}
