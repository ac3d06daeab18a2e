//! Fixed schedule: every conversation once, at the time in the data. A session that finds the ceiling reached waits for
//! room in schedule order; the schedule itself is never moved.

use aiperf_clock::{Mono, Nanos};
use aiperf_config::ScheduleZero;

use super::super::agenda::SessionToStart;
use super::super::phase_state::PhaseState;
use super::LoadMode;
use crate::plan::{EngineError, PreparedTurn};

#[derive(Debug)]
pub(super) struct FixedScheduleMode {
    /// Conversation and time, sorted by time.
    schedule: Vec<(usize, Mono)>,
    next: usize,
    start: Mono,
    zero_ms: f64,
}

impl FixedScheduleMode {
    pub(super) fn new(zero: ScheduleZero, state: &PhaseState<'_>) -> Self {
        let entries = &state.workload.fixed_schedule;
        let zero_ms = match zero {
            ScheduleZero::Earliest => entries.first().map_or(0.0, |(_, at)| *at),
            ScheduleZero::At(at) => at,
        };
        let start = state.start;
        let schedule = entries.iter().map(|(conversation, at)| (*conversation, start + since(zero_ms, *at))).collect();
        Self { schedule, next: 0, start, zero_ms }
    }
}

/// What lies before the zero is due at once.
fn since(zero_ms: f64, at_ms: f64) -> Nanos {
    Nanos::from_secs_f64((at_ms - zero_ms) / 1e3)
}

impl LoadMode for FixedScheduleMode {
    fn next_due(&self) -> Option<Mono> {
        self.schedule.get(self.next).map(|(_, due)| *due)
    }

    fn send_due(&mut self, now: Mono, state: &mut PhaseState<'_>) -> Result<(), EngineError> {
        while let Some((conversation, due)) = self.schedule.get(self.next).copied().filter(|(_, due)| *due <= now) {
            let session_id = &state.workload.conversations[conversation].session_id;
            let correlation_id = Some(format!("fixed-schedule-{session_id}"));
            let queued = state.limit_hits;
            state.starts.push_back(SessionToStart { due, conversation, correlation_id, turns: None, queued });
            self.next += 1;
        }
        state.flush(now)
    }

    fn turn_due(&self, _last_due: Mono, ended: Mono, turn: &PreparedTurn) -> Mono {
        match turn.timestamp_ms {
            Some(at) => (self.start + since(self.zero_ms, at)).max(ended),
            None => ended + turn.delay.unwrap_or_default(),
        }
    }

    fn has_more(&self) -> bool {
        self.next < self.schedule.len()
    }
}
