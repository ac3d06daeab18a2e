//! Equal slices of the time of a run, the same for every chart that has time as its axis.

use crate::number::round_up;

const NANOS: f64 = 1e9;
const FEWEST: f64 = 10.0;
const MOST: f64 = 120.0;
/// Requests that a slice has on average, so that its percentiles say something.
const REQUESTS_IN_SLICE: f64 = 20.0;

#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeBins {
    /// Epoch time of the window.
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    width_ns: u64,
    count: usize,
}

impl TimeBins {
    /// Slices with a round length, as many as `requests` requests allow.
    pub(crate) fn of(window: (u64, u64), requests: usize) -> Self {
        let (start_ns, end_ns) = (window.0, window.1.max(window.0 + 1));
        let length = (end_ns - start_ns) as f64;
        let wanted = (requests as f64 / REQUESTS_IN_SLICE).clamp(FEWEST, MOST);
        let width_ns = (round_up(length / wanted / NANOS) * NANOS).max(1.0) as u64;
        let count = (end_ns - start_ns).div_ceil(width_ns).max(1) as usize;
        Self { start_ns, end_ns, width_ns, count }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn width_s(&self) -> f64 {
        self.width_ns as f64 / NANOS
    }

    /// Seconds of the window.
    pub(crate) fn seconds(&self) -> f64 {
        (self.end_ns - self.start_ns) as f64 / NANOS
    }

    /// Seconds from the start of the window.
    pub(crate) fn offset_s(&self, at_ns: u64) -> f64 {
        (i128::from(at_ns) - i128::from(self.start_ns)) as f64 / NANOS
    }

    /// The slice of a time; times outside the window belong to the first or the last.
    pub(crate) fn index(&self, at_ns: u64) -> usize {
        let index = at_ns.saturating_sub(self.start_ns) / self.width_ns;
        usize::try_from(index).unwrap_or(usize::MAX).min(self.count - 1)
    }

    /// Seconds of a slice that are in the window: the last one may be cut.
    pub(crate) fn seconds_of(&self, index: usize) -> f64 {
        let start = self.start_ns + self.width_ns * index as u64;
        (self.end_ns.saturating_sub(start)).min(self.width_ns).max(1) as f64 / NANOS
    }

    /// Adds to each slice the seconds of it between two times.
    pub(crate) fn spread(&self, from_ns: u64, until_ns: u64, into: &mut [f64]) {
        let (from, until) = (from_ns.max(self.start_ns), until_ns.min(self.end_ns));
        if from >= until {
            return;
        }
        for (index, slot) in into.iter_mut().enumerate().take(self.index(until - 1) + 1).skip(self.index(from)) {
            let start = self.start_ns + self.width_ns * index as u64;
            let covered = until.min(start + self.width_ns).saturating_sub(from.max(start));
            *slot += covered as f64 / NANOS;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn slices_are_round_and_cover_the_window() {
        let bins = TimeBins::of((5 * SECOND, 18 * SECOND + 900_000_000), 400);
        assert!((bins.width_s() - 1.0).abs() < 1e-12);
        assert_eq!(bins.len(), 14);
        assert_eq!(
            (bins.index(0), bins.index(5 * SECOND), bins.index(6 * SECOND), bins.index(99 * SECOND)),
            (0, 0, 1, 13)
        );
        assert!((bins.seconds_of(13) - 0.9).abs() < 1e-9);
        assert!((bins.offset_s(4 * SECOND) + 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_span_is_spread_over_its_slices() {
        let bins = TimeBins::of((0, 10 * SECOND), 200);
        let mut seconds = vec![0.0; bins.len()];
        bins.spread(SECOND / 2, 2 * SECOND + SECOND / 4, &mut seconds);
        assert_eq!(&seconds[..4], &[0.5, 1.0, 0.25, 0.0]);
        bins.spread(9 * SECOND, 20 * SECOND, &mut seconds);
        assert!((seconds[9] - 1.0).abs() < 1e-12);
    }
}
