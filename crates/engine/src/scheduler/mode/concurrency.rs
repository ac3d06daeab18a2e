//! Closed loop: all slots filled at once, and each again as soon as it is free.

use aiperf_clock::Mono;

use super::super::phase_state::Floor;
use super::Mode;
use crate::plan::EngineError;

#[derive(Debug)]
pub(super) struct Burst;

impl Mode for Burst {
    fn next_due(&self) -> Option<Mono> {
        None
    }

    fn knows_due_times(&self) -> bool {
        false
    }

    fn feed(&mut self, now: Mono, floor: &mut Floor<'_>) -> Result<(), EngineError> {
        while floor.has_room_for_session(now) {
            let session = floor.draw_session(now);
            floor.start(session)?;
        }
        Ok(())
    }
}
