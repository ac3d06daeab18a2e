//! Open loop: one request per arrival, whatever the server does. Open sessions come first, then new ones.

use aiperf_clock::Mono;
use aiperf_config::{Arrival, RateCurve};

use super::super::phase_state::Floor;
use super::Mode;
use crate::plan::EngineError;
use crate::schedule::{Arrivals, RateFunction};

/// Arrivals handed out before events are looked at again: bounds the time that a burst keeps the conductor deaf.
const BURST: usize = 256;

#[derive(Debug)]
pub(super) struct Rate {
    arrivals: Arrivals,
    start: Mono,
    next: Mono,
}

impl Rate {
    pub(super) fn new(rate: &RateCurve, arrival: Arrival, floor: &Floor<'_>) -> Self {
        let seed = floor.plan.seed;
        let rate = RateFunction::new(rate, floor.plan.timing.rate_ramp_interval, seed);
        let mut arrivals = Arrivals::new(arrival, rate, seed);
        let next = floor.start + arrivals.next().unwrap_or_default();
        Self { arrivals, start: floor.start, next }
    }
}

impl Mode for Rate {
    fn next_due(&self) -> Option<Mono> {
        Some(self.next)
    }

    fn feed(&mut self, now: Mono, floor: &mut Floor<'_>) -> Result<(), EngineError> {
        for _ in 0..BURST {
            if self.next > now || !floor.may_send() {
                break;
            }
            if let Some(mut turn) = floor.waiting_for_arrival.pop_front() {
                turn.due = self.next;
                floor.make_ready(turn);
                floor.flush(now)?;
            } else if floor.may_start_session() {
                if floor.has_room_for_session(now) {
                    let session = floor.draw_session(self.next);
                    floor.start(session)?;
                } else {
                    floor.counts.arrivals_dropped += 1;
                }
            }
            self.next = self.start + self.arrivals.next().unwrap_or_default();
        }
        Ok(())
    }

    fn turns_wait_for_arrivals(&self) -> bool {
        true
    }
}
