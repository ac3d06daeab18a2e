//! A span of the run.

use aiperf_clock::{Mono, Nanos};

/// From `start` to `end`; `end` is not before `start`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    start: Mono,
    end: Mono,
}

impl Window {
    pub fn new(start: Mono, end: Mono) -> Self {
        Self { start, end: end.max(start) }
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
            Self { start, end: (start + slice).min(self.end) }
        })
    }
}
