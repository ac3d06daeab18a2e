//! Values of the server's metrics page as people read them: counters become rates.

use std::collections::VecDeque;

use aiperf_clock::Mono;

use super::seconds::WINDOW;
use crate::snapshot::ServerHeadline;

/// The unit that marks a counter: its value is shown as its growth per second.
const PER_SECOND: &str = "/s";

#[derive(Debug, Default)]
pub(crate) struct ServerRates {
    readings: VecDeque<(Mono, Vec<ServerHeadline>)>,
}

impl ServerRates {
    pub(crate) fn note(&mut self, now: Mono, values: Vec<ServerHeadline>) -> Vec<ServerHeadline> {
        while self.readings.front().is_some_and(|(at, _)| now.since(*at) > WINDOW.into()) && self.readings.len() > 1 {
            self.readings.pop_front();
        }
        let shown = values.iter().filter_map(|value| self.shown(now, value)).collect();
        // Pages come once a second at most; a reading per second is enough for rates.
        if self.readings.back().is_none_or(|(at, _)| now.since(*at).as_secs_f64() >= 0.9) {
            self.readings.push_back((now, values));
        }
        shown
    }

    fn shown(&self, now: Mono, value: &ServerHeadline) -> Option<ServerHeadline> {
        if !value.unit.ends_with(PER_SECOND) {
            return Some(value.clone());
        }
        let (at, earlier) = self.readings.front()?;
        let earlier = earlier.iter().find(|earlier| earlier.tag == value.tag)?.value;
        let seconds = now.since(*at).as_secs_f64();
        // A server that was started again counts from zero.
        (seconds > 0.5 && value.value >= earlier)
            .then(|| ServerHeadline { value: (value.value - earlier) / seconds, ..value.clone() })
    }
}
