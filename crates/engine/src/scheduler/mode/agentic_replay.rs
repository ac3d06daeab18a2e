//! Agentic replay: every lane has one recorded session in progress, with all of its agents, and gets the next session when
//! the last agent has ended.

use aiperf_clock::Mono;

use super::super::phase_state::PhaseState;
use super::super::replay_lanes::ReplayLanes;
use super::LoadMode;
use crate::plan::EngineError;

#[derive(Debug)]
pub(super) struct AgenticReplayMode;

impl AgenticReplayMode {
    pub(super) fn new(state: &mut PhaseState<'_>) -> Self {
        state.enter_recordings();
        Self
    }
}

impl LoadMode for AgenticReplayMode {
    fn next_due(&self) -> Option<Mono> {
        None
    }

    fn knows_due_times(&self) -> bool {
        false
    }

    fn send_due(&mut self, now: Mono, state: &mut PhaseState<'_>) -> Result<(), EngineError> {
        // A session that waits for room has its lane already.
        while state.starts.is_empty()
            && state.may_start_session()
            && state.lanes.as_ref().is_some_and(ReplayLanes::has_free_lane)
        {
            let session = state.draw_session(now);
            state.starts.push_back(session);
            state.flush(now)?;
        }
        Ok(())
    }
}
