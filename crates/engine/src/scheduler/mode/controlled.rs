//! A load that is set while the phase runs: users or a rate, one after the other in any order, without a restart.

use aiperf_clock::Mono;
use aiperf_config::LoadLevel;

use super::super::phase_state::PhaseState;
use super::LoadMode;
use super::concurrency::fill;
use super::rate::{BURST, arrive};
use crate::plan::EngineError;
use crate::schedule::SteppedArrivals;

#[derive(Debug)]
pub(super) struct ControlledMode {
    level: LoadLevel,
    /// Stands still while the load is a number of users.
    arrivals: SteppedArrivals,
    /// When the last arrival that was handed out is due: at most a moment from now.
    last_due: Mono,
}

impl ControlledMode {
    pub(super) fn new(level: LoadLevel, state: &mut PhaseState<'_>) -> Self {
        let arrivals = SteppedArrivals::new(state.start, state.seed);
        let mut mode = Self { level, arrivals, last_due: state.start };
        mode.set_load(level, state.start, state);
        mode
    }
}

impl LoadMode for ControlledMode {
    fn next_due(&self) -> Option<Mono> {
        self.arrivals.next_due()
    }

    fn send_due(&mut self, now: Mono, state: &mut PhaseState<'_>) -> Result<(), EngineError> {
        if self.level.is_closed_loop() {
            return fill(now, state);
        }
        for _ in 0..BURST {
            let Some(due) = self.arrivals.next_due().filter(|due| *due <= now && state.may_send()) else { break };
            arrive(due, now, state)?;
            self.last_due = due;
            self.arrivals.advance();
        }
        Ok(())
    }

    fn set_load(&mut self, level: LoadLevel, now: Mono, state: &mut PhaseState<'_>) {
        // Only a phase that begins with them has them.
        if matches!(level, LoadLevel::PacedUsers { .. }) {
            return;
        }
        // Arrivals that workers have already are sent under the load before.
        let since = now.max(self.last_due);
        self.level = level;
        state.is_closed_loop = level.is_closed_loop();
        state.sessions.set(level.session_limit());
        match level {
            LoadLevel::Users(_) => {
                self.arrivals.pause(since);
                for mut turn in std::mem::take(&mut state.waiting_for_arrival) {
                    turn.due = since;
                    state.make_ready(turn);
                }
            }
            LoadLevel::Rate { per_second, arrival, .. } => self.arrivals.set_rate(since, per_second, arrival),
            LoadLevel::PacedUsers { .. } => {}
        }
        state.environment.progress.enter_load(state.index, level, since);
    }

    fn knows_due_times(&self) -> bool {
        !self.level.is_closed_loop()
    }

    fn turns_wait_for_arrivals(&self) -> bool {
        !self.level.is_closed_loop()
    }
}
