//! Points in time and the spans between them, in whole nanoseconds.

use std::ops::{Add, Sub};
use std::time::Duration;

use crate::system::monotonic_nanos;

/// A point on the machine's monotonic clock (`CLOCK_MONOTONIC`), which all processes of one machine share. On Windows they
/// share it to the millisecond only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Mono(u64);

/// A span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Nanos(pub u64);

/// A point on the wall clock: nanoseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct EpochNanos(pub u64);

impl Mono {
    /// Reads the clock.
    pub fn now() -> Self {
        Self(monotonic_nanos())
    }

    /// For tests and for values that come from a file.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The span since `earlier`, or zero when `earlier` lies in the future.
    pub const fn since(self, earlier: Self) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Nanos {
    pub const ZERO: Self = Self(0);

    pub fn from_secs_f64(secs: f64) -> Self {
        Self((secs * 1e9).round().max(0.0) as u64)
    }

    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    pub const fn as_duration(self) -> Duration {
        Duration::from_nanos(self.0)
    }
}

impl From<Duration> for Nanos {
    fn from(d: Duration) -> Self {
        Self(u64::try_from(d.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl Add<Nanos> for Mono {
    type Output = Self;
    fn add(self, span: Nanos) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Sub<Nanos> for Mono {
    type Output = Self;
    fn sub(self, span: Nanos) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl Add for Nanos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_never_goes_below_zero() {
        let early = Mono::from_nanos(5);
        let late = Mono::from_nanos(9);
        assert_eq!(late.since(early), Nanos(4));
        assert_eq!(early.since(late), Nanos::ZERO);
    }

    #[test]
    fn the_clock_does_not_run_backwards() {
        let a = Mono::now();
        let b = Mono::now();
        assert!(b >= a);
    }
}
