//! Where a scheduler takes its time from: the machine's clock, or one that a test moves.

use std::cell::Cell;

use crate::{Mono, Nanos};

/// A source of points in time that never go back.
pub trait Clock {
    fn now(&self) -> Mono;
}

/// The machine's monotonic clock, as [`Mono::now`] reads it.
#[derive(Debug, Clone, Copy, Default)]
pub struct MonotonicClock;

impl Clock for MonotonicClock {
    fn now(&self) -> Mono {
        Mono::now()
    }
}

/// A clock that stands still until it is told to move. With it a schedule of hours runs in the time that its
/// calculations take, and the same way each time.
#[derive(Debug, Default)]
pub struct VirtualClock {
    now: Cell<Mono>,
}

impl VirtualClock {
    pub const fn at(start: Mono) -> Self {
        Self { now: Cell::new(start) }
    }

    /// Moves to a point in time. A clock that is past it already stays where it is.
    pub fn advance_to(&self, at: Mono) {
        self.now.set(self.now.get().max(at));
    }

    pub fn advance_by(&self, span: Nanos) {
        self.now.set(self.now.get() + span);
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Mono {
        self.now.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_virtual_clock_moves_only_when_told_and_never_back() {
        let clock = VirtualClock::at(Mono::from_nanos(100));
        assert_eq!((clock.now(), clock.now()), (Mono::from_nanos(100), Mono::from_nanos(100)));
        clock.advance_by(Nanos(20));
        clock.advance_to(Mono::from_nanos(150));
        clock.advance_to(Mono::from_nanos(90));
        assert_eq!(clock.now(), Mono::from_nanos(150));
    }

    #[test]
    fn the_monotonic_clock_is_the_clock_of_all_stamps() {
        let before = Mono::now();
        let now = MonotonicClock.now();
        assert!(before <= now && now <= Mono::now());
    }
}
