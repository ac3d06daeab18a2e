//! Agentic replay: every lane has one recorded session with all of its agents under way, and gets the next one when the
//! last of them has ended.

use aiperf_clock::Mono;

use super::super::phase_state::Floor;
use super::super::replay_lanes::Trees;
use super::Mode;
use crate::plan::EngineError;

#[derive(Debug)]
pub(super) struct Agentic;

impl Agentic {
    pub(super) fn new(floor: &mut Floor<'_>) -> Self {
        floor.enter_recordings();
        Self
    }
}

impl Mode for Agentic {
    fn next_due(&self) -> Option<Mono> {
        None
    }

    fn knows_due_times(&self) -> bool {
        false
    }

    fn feed(&mut self, now: Mono, floor: &mut Floor<'_>) -> Result<(), EngineError> {
        // One that waits for room has its lane already.
        while floor.starts.is_empty()
            && floor.may_start_session()
            && floor.trees.as_ref().is_some_and(Trees::has_free_lane)
        {
            let session = floor.draw_session(now);
            floor.starts.push_back(session);
            floor.flush(now)?;
        }
        Ok(())
    }
}
