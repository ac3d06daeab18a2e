//! A span of the run.

use aiperf_clock::{Mono, Nanos};

/// From `start` to `end`; `end` is not before `start`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    start: Mono,
    end: Mono,
    idle_since: Mono,
}

impl Window {
    pub fn new(start: Mono, end: Mono) -> Self {
        Self { start, end: end.max(start), idle_since: start }
    }

    /// Nothing was in flight from `since` until the start of the window: what counters showed in that time is what they showed at the
    /// start.
    #[must_use]
    pub fn after_idle(self, since: Mono) -> Self {
        Self { idle_since: since.min(self.start), ..self }
    }

    /// The same start with another end.
    #[must_use]
    pub fn until(self, end: Mono) -> Self {
        Self { end: end.max(self.start), ..self }
    }

    /// The earliest time whose state is that at the start.
    pub const fn idle_since(self) -> Mono {
        self.idle_since
    }

    pub const fn start(self) -> Mono {
        self.start
    }

    pub const fn end(self) -> Mono {
        self.end
    }

    pub const fn length(self) -> Nanos {
        self.end.since(self.start)
    }

    /// Slices of this length, of which the last may be shorter. Empty if `slice` is zero.
    pub fn slices(self, slice: Nanos) -> impl Iterator<Item = Self> {
        let count = if slice.0 == 0 { 0 } else { self.length().0.div_ceil(slice.0) };
        (0..count).map(move |index| {
            let start = self.start + Nanos(slice.0 * index);
            let idle_since = if index == 0 { self.idle_since } else { start };
            Self { start, end: (start + slice).min(self.end), idle_since }
        })
    }
}
