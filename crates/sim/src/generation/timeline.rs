//! The time in which the simulated server works: it passes like real time, except while the whole server stands still.

use aiperf_clock::{Mono, Nanos};

/// When the server stands still.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeline {
    stall: Option<(Mono, Mono)>,
}

impl Timeline {
    pub(crate) fn new(start: Mono, stall_at: Nanos, stall_for: Nanos) -> Self {
        let begin = start + stall_at;
        Self { stall: (stall_for > Nanos::ZERO).then(|| (begin, begin + stall_for)) }
    }

    /// The point at which work that starts at `from` and takes `span` is done.
    pub(crate) fn advance(&self, from: Mono, span: Nanos) -> Mono {
        let done = from + span;
        match self.stall {
            Some((begin, end)) if from < end && done >= begin => {
                let left = if from >= begin { span } else { done.since(begin) };
                end + left
            }
            _ => done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Mono {
        Mono::from_nanos(nanos)
    }

    #[test]
    fn without_a_stall_time_just_passes() {
        let timeline = Timeline::new(at(0), Nanos(5), Nanos::ZERO);
        assert_eq!(timeline.advance(at(3), Nanos(10)), at(13));
    }

    #[test]
    fn work_stops_for_the_whole_stall() {
        let timeline = Timeline::new(at(100), Nanos(50), Nanos(30));
        assert_eq!(timeline.advance(at(100), Nanos(49)), at(149), "done before");
        assert_eq!(timeline.advance(at(140), Nanos(20)), at(190), "caught in the middle");
        assert_eq!(timeline.advance(at(160), Nanos(5)), at(185), "started inside");
        assert_eq!(timeline.advance(at(180), Nanos(5)), at(185), "started after");
    }
}
