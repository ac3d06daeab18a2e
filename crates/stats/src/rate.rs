//! Rates: what happened per second. The span is cut into equal blocks, and the sums of the blocks are a series whose mean
//! is the rate (batch means; Law and Kelton, "Simulation Modeling and Analysis", 9.5.3).

use crate::long_run::Criterion;
use crate::mean::{Moments, of_batches};
use crate::{Estimate, Level};

/// At most this many blocks, and at least as many events in one on average as `EVENTS_PER_BLOCK`.
const BLOCKS: usize = 512;
const EVENTS_PER_BLOCK: usize = 10;

/// Something that happened: when, and how much of it (1 for a request, its tokens for a token rate).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CountedEvent {
    /// Seconds.
    pub at: f64,
    pub amount: f64,
}

/// The time that the rate is over, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeSpan {
    pub start: f64,
    pub end: f64,
}

impl TimeSpan {
    /// Also what lies a rounding beyond its ends.
    pub(crate) fn holds(&self, at: f64) -> bool {
        self.start - 1e-6 <= at && at <= self.end + 1e-6
    }
}

/// Amount per second; the order of events does not matter. `None` when the span has no length.
pub fn rate(events: impl ExactSizeIterator<Item = CountedEvent>, span: TimeSpan, level: Level) -> Option<Estimate> {
    let length = span.end - span.start;
    if !length.is_finite() || length <= 0.0 {
        return None;
    }
    let count = events.len();
    let blocks = (count / EVENTS_PER_BLOCK).clamp(1, BLOCKS);
    let block = length / blocks as f64;
    let mut sums = vec![0.0; blocks];
    let (mut total, mut squares) = (0.0, 0.0);
    for event in events {
        let index = ((event.at - span.start) / block).clamp(0.0, (blocks - 1) as f64) as usize;
        sums[index] += event.amount;
        total += event.amount;
        squares += event.amount * event.amount;
    }
    for sum in &mut sums {
        *sum /= block;
    }
    // Of a Poisson stream with these amounts, so that effective samples are events of such a stream.
    let variance = count as f64 * squares / (length * length);
    let moments = Moments { count, mean: total / length, variance, covered: 1.0 };
    // Blocks are long and few: what looks like memory is more often chance.
    Some(of_batches(&moments, &sums, Criterion::Schwarz, level))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every(seconds: f64, count: usize) -> impl ExactSizeIterator<Item = CountedEvent> {
        (0..count).map(move |i| CountedEvent { at: (i as f64 + 0.5) * seconds, amount: 1.0 })
    }

    #[test]
    fn a_steady_beat_has_a_narrow_interval() {
        let estimate = rate(every(0.1, 1000), TimeSpan { start: 0.0, end: 100.0 }, Level::P95).unwrap();
        assert!((estimate.value - 10.0).abs() < 1e-9);
        assert!(estimate.interval.unwrap().margin(estimate.value) < 0.02 * estimate.value, "{estimate:?}");
    }

    #[test]
    fn a_handful_of_events_has_a_rate_and_no_interval() {
        let estimate = rate(every(1.0, 5), TimeSpan { start: 0.0, end: 5.0 }, Level::P95).unwrap();
        assert_eq!((estimate.value, estimate.interval), (1.0, None));
        assert_eq!(rate(every(1.0, 5), TimeSpan { start: 1.0, end: 1.0 }, Level::P95), None);
    }
}
