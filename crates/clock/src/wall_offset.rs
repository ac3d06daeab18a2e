//! How far the wall clock is ahead of the monotonic one, watched over a run: kernel stamps are wall-clock times.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use crate::system::wall_nanos;
use crate::{EpochNanos, Mono, Nanos};

/// Readings of which the tightest is taken: one of a few is not interrupted.
const READINGS: usize = 8;
/// Both clocks run at the same rate, so that their offset stays put unless someone sets the wall clock. What is left is
/// the rounding of two readings.
const ROUNDING: Nanos = Nanos(1_000);

/// One measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WallOffset {
    /// Wall clock minus monotonic clock.
    pub nanos: i64,
    /// The truth is at most this far away.
    pub uncertainty: Nanos,
}

impl WallOffset {
    /// Reads the wall clock between two readings of the monotonic one, several times, and keeps the tightest.
    pub fn measure() -> Self {
        let mut best = Self::read_once();
        for _ in 1..READINGS {
            let next = Self::read_once();
            if next.uncertainty < best.uncertainty {
                best = next;
            }
        }
        best
    }

    fn read_once() -> Self {
        let before = Mono::now();
        let wall = wall_nanos();
        let after = Mono::now();
        let middle = u64::midpoint(before.as_nanos(), after.as_nanos());
        Self { nanos: wall as i64 - middle as i64, uncertainty: Nanos(after.since(before).0.div_ceil(2)) }
    }
}

/// How the offset changed in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffsetHistory {
    pub start_nanos: i64,
    pub end_nanos: i64,
    /// The farthest that the wall clock was set at once, in either direction; zero when nobody set it. It may have been set
    /// back again.
    pub largest_step: Nanos,
}

impl OffsetHistory {
    pub fn stepped(&self) -> bool {
        self.largest_step > Nanos::ZERO
    }
}

/// The offset that applies now. Written by one watcher, read by every thread that converts stamps.
#[derive(Debug)]
pub struct OffsetWatch {
    measure: fn() -> WallOffset,
    start: i64,
    current: AtomicI64,
    uncertainty: AtomicI64,
    largest_step: AtomicU64,
}

impl OffsetWatch {
    pub fn start() -> Self {
        Self::measured_by(WallOffset::measure)
    }

    /// For tests: another wall clock than the system's.
    pub fn measured_by(measure: fn() -> WallOffset) -> Self {
        Self { measure, ..Self::from(measure()) }
    }

    /// Measures again. Returns the step in nanoseconds, if the wall clock was set since the last time.
    pub fn resample(&self) -> Option<i64> {
        self.note((self.measure)())
    }

    /// Takes in a measurement, as [`Self::resample`] does.
    pub fn note(&self, measured: WallOffset) -> Option<i64> {
        let moved = measured.nanos - self.current.load(Ordering::Relaxed);
        let known_to = self.uncertainty.load(Ordering::Relaxed) + (measured.uncertainty + ROUNDING).0 as i64;
        let step = (moved.abs() > known_to).then_some(moved);
        // Without a step the truth has not moved, and the tighter measurement is nearer to it.
        if step.is_some() || (measured.uncertainty.0 as i64) < self.uncertainty.load(Ordering::Relaxed) {
            self.current.store(measured.nanos, Ordering::Relaxed);
            self.uncertainty.store(measured.uncertainty.0 as i64, Ordering::Relaxed);
        }
        if let Some(step) = step {
            self.largest_step.fetch_max(step.unsigned_abs(), Ordering::Relaxed);
        }
        step
    }

    /// A wall-clock time on the monotonic clock.
    pub fn mono(&self, wall: EpochNanos) -> Mono {
        let nanos = (wall.0 as i64).saturating_sub(self.current.load(Ordering::Relaxed));
        Mono::from_nanos(u64::try_from(nanos).unwrap_or(0))
    }

    pub fn history(&self) -> OffsetHistory {
        OffsetHistory {
            start_nanos: self.start,
            end_nanos: self.current.load(Ordering::Relaxed),
            largest_step: Nanos(self.largest_step.load(Ordering::Relaxed)),
        }
    }
}

impl From<WallOffset> for OffsetWatch {
    fn from(first: WallOffset) -> Self {
        Self {
            measure: WallOffset::measure,
            start: first.nanos,
            current: AtomicI64::new(first.nanos),
            uncertainty: AtomicI64::new(first.uncertainty.0 as i64),
            largest_step: AtomicU64::new(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn offset(nanos: i64, uncertainty: u64) -> WallOffset {
        WallOffset { nanos, uncertainty: Nanos(uncertainty) }
    }

    #[test]
    fn the_offset_of_a_clock_that_nobody_sets_stays_put() {
        let watch = OffsetWatch::start();
        assert_eq!(watch.resample(), None);
        let history = watch.history();
        assert!(!history.stepped() && (history.end_nanos - history.start_nanos).abs() < 1_000_000, "{history:?}");
    }

    #[test]
    fn a_stamp_of_now_lands_on_the_monotonic_now() {
        let watch = OffsetWatch::start();
        let before = Mono::now();
        let wall = wall_nanos();
        let after = Mono::now();
        let mono = watch.mono(EpochNanos(wall));
        let slack = WallOffset::measure().uncertainty + Nanos(1_000_000);
        assert!(mono + slack >= before && mono <= after + slack, "{before:?} {mono:?} {after:?}");
    }

    #[test]
    fn a_step_beyond_what_is_uncertain_is_noticed_and_followed() {
        let watch = OffsetWatch::from(offset(5_000_000, 40));
        assert_eq!(watch.note(offset(5_000_900, 60)), None, "within the rounding");
        assert_eq!(watch.note(offset(5_040_000, 50_000)), None, "the reading was interrupted");
        assert_eq!(watch.mono(EpochNanos(6_000_000)), Mono::from_nanos(1_000_000));
        assert_eq!(watch.note(offset(4_000_000, 50)), Some(-1_000_000));
        assert_eq!(watch.mono(EpochNanos(6_000_000)), Mono::from_nanos(2_000_000));
        assert_eq!(watch.note(offset(4_000_010, 30)), None);
        let history = watch.history();
        assert_eq!(
            (history.start_nanos, history.end_nanos, history.largest_step),
            (5_000_000, 4_000_010, Nanos(1_000_000))
        );
    }

    #[test]
    fn a_step_there_and_back_stays_on_record() {
        let watch = OffsetWatch::from(offset(0, 40));
        assert_eq!(watch.note(offset(3_000_000_000, 40)), Some(3_000_000_000));
        assert_eq!(watch.note(offset(0, 40)), Some(-3_000_000_000));
        assert_eq!(watch.history(), OffsetHistory { start_nanos: 0, end_nanos: 0, largest_step: Nanos(3_000_000_000) });
    }

    #[test]
    fn a_stamp_from_before_the_machine_started_is_its_start() {
        assert_eq!(OffsetWatch::from(offset(100, 1)).mono(EpochNanos(99)), Mono::from_nanos(0));
    }
}
