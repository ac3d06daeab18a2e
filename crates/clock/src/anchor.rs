//! Ties the monotonic clock to the wall clock once per run, so that files can carry epoch times of monotonic stamps.

use crate::system::wall_nanos;
use crate::{EpochNanos, Mono, Nanos};

#[derive(Debug, Clone, Copy)]
pub struct WallAnchor {
    mono: Mono,
    wall: EpochNanos,
}

impl WallAnchor {
    /// Reads both clocks. The monotonic one is read before and after, and the middle is taken, so that a preemption
    /// between the readings shifts the anchor by half of it at most.
    pub fn take() -> Self {
        let before = Mono::now();
        let wall = wall_nanos();
        let after = Mono::now();
        Self { mono: Mono::from_nanos(u64::midpoint(before.as_nanos(), after.as_nanos())), wall: EpochNanos(wall) }
    }

    /// For tests: an anchor at chosen points.
    pub const fn at(mono: Mono, wall: EpochNanos) -> Self {
        Self { mono, wall }
    }

    /// The wall-clock time of a monotonic stamp.
    pub fn epoch(&self, at: Mono) -> EpochNanos {
        let wall = self.wall.0;
        EpochNanos(if at >= self.mono {
            wall.saturating_add(at.since(self.mono).0)
        } else {
            wall.saturating_sub(self.mono.since(at).0)
        })
    }

    /// The monotonic stamp of a wall-clock time.
    pub fn mono(&self, at: EpochNanos) -> Mono {
        if at >= self.wall { self.mono + Nanos(at.0 - self.wall.0) } else { self.mono - Nanos(self.wall.0 - at.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_before_and_after_the_anchor_map_to_the_wall() {
        let anchor = WallAnchor::at(Mono::from_nanos(100), EpochNanos(1_000));
        assert_eq!(anchor.epoch(Mono::from_nanos(130)), EpochNanos(1_030));
        assert_eq!(anchor.epoch(Mono::from_nanos(70)), EpochNanos(970));
        for nanos in [70, 100, 130] {
            assert_eq!(anchor.mono(anchor.epoch(Mono::from_nanos(nanos))), Mono::from_nanos(nanos));
        }
    }
}
