//! Open loop: one request per arrival, whatever the server does. Open sessions come first, then new ones.

use aiperf_clock::Mono;
use aiperf_config::{Arrival, PhaseSplit, RateCurve};

use super::super::phase_state::PhaseState;
use super::LoadMode;
use crate::plan::EngineError;
use crate::schedule::{ArrivalTimes, RateFunction};

/// Arrivals handed out before events are handled again: bounds how long a burst delays them.
pub(super) const BURST: usize = 256;

#[derive(Debug)]
pub(super) struct RateMode {
    /// Of all nodes: dividing the arrivals, not the rate, keeps their shape.
    arrivals: ArrivalTimes,
    /// The number of the next arrival.
    number: u64,
    split: PhaseSplit,
    start: Mono,
    next: Mono,
}

impl RateMode {
    pub(super) fn new(rate: &RateCurve, arrival: Arrival, state: &PhaseState<'_>) -> Self {
        let seed = state.seed;
        let rate = RateFunction::new(rate, state.workload.timing.rate_ramp_interval, seed);
        let (start, split) = (state.start, state.phase.split);
        let arrivals = ArrivalTimes::new(arrival, rate, seed);
        let mut mode = Self { arrivals, number: split.first, split, start, next: start };
        mode.advance();
        mode
    }

    /// Goes on to the next arrival of this node.
    fn advance(&mut self) {
        loop {
            let (number, after) = (self.number, self.arrivals.next().unwrap_or_default());
            self.number += 1;
            if self.split.share.takes(number) {
                self.next = self.start + after;
                break;
            }
        }
    }
}

impl LoadMode for RateMode {
    fn next_due(&self) -> Option<Mono> {
        Some(self.next)
    }

    fn send_due(&mut self, now: Mono, state: &mut PhaseState<'_>) -> Result<(), EngineError> {
        for _ in 0..BURST {
            if self.next > now || !state.may_send() {
                break;
            }
            arrive(self.next, now, state)?;
            self.advance();
        }
        Ok(())
    }

    fn turns_wait_for_arrivals(&self) -> bool {
        true
    }
}

/// Sends the request of one arrival, if there is room for it.
pub(super) fn arrive(due: Mono, now: Mono, state: &mut PhaseState<'_>) -> Result<(), EngineError> {
    if let Some(mut turn) = state.waiting_for_arrival.pop_front() {
        turn.due = due;
        state.make_ready(turn);
        state.flush(now)?;
    } else if state.may_start_session() {
        if state.has_room_for_session(now) {
            let session = state.draw_session(due);
            state.start(session)?;
        } else {
            state.counts.arrivals_dropped += 1;
        }
    }
    Ok(())
}
