//! A limit on how many sessions or requests may be open, which may grow over time.

use aiperf_clock::{Mono, Nanos};
use aiperf_config::{NodeShare, Ramp};
use aiperf_seed::Seed;

use crate::schedule::step_times;

#[derive(Debug)]
pub(crate) struct RampedLimit {
    /// `None`: no limit.
    target: Option<usize>,
    /// When the limit grows by one; empty once it is at its target.
    steps: Vec<Mono>,
    inside: usize,
}

impl RampedLimit {
    pub(crate) fn new(target: Option<usize>, ramp: Option<Ramp>, start: Mono, seed: Seed) -> Self {
        Self::share_of(target, target, NodeShare::WHOLE, ramp, start, seed)
    }

    /// The part of a limit that one node has. The ramp opens the places of the whole limit one after the other, and place `k` belongs
    /// to node `k mod count`, so that the limits of all nodes add up to the whole one at any time.
    pub(crate) fn share_of(
        whole: Option<usize>,
        target: Option<usize>,
        share: NodeShare,
        ramp: Option<Ramp>,
        start: Mono,
        seed: Seed,
    ) -> Self {
        let steps: Vec<Nanos> = match (whole.or(target), ramp) {
            (Some(whole), Some(ramp)) => step_times(whole, ramp, seed),
            _ => Vec::new(),
        };
        // The first place is open from the start; the others follow step by step.
        let own = (1..).zip(steps).filter(|(place, _)| share.takes(*place));
        Self { target, steps: own.map(|(_, step)| start + step).collect(), inside: 0 }
    }

    /// Another limit from now on. What is inside beyond it stays.
    pub(crate) fn set(&mut self, target: Option<usize>) {
        self.target = target;
        self.steps.clear();
    }

    /// Counts what earlier phases have open, which must leave before the room is used again.
    pub(crate) fn with_inside(self, inside: usize) -> Self {
        Self { inside, ..self }
    }

    pub(crate) fn has_room(&self, now: Mono) -> bool {
        self.limit(now).is_none_or(|limit| self.inside < limit)
    }

    pub(crate) fn is_limited(&self) -> bool {
        self.target.is_some()
    }

    pub(crate) fn enter(&mut self) {
        self.inside += 1;
    }

    pub(crate) fn leave(&mut self) {
        self.inside = self.inside.saturating_sub(1);
    }

    /// When the limit grows next.
    pub(crate) fn next_step(&self, now: Mono) -> Option<Mono> {
        self.steps.get(self.steps.partition_point(|step| *step <= now)).copied()
    }

    fn limit(&self, now: Mono) -> Option<usize> {
        let target = self.target?;
        let missing = self.steps.len() - self.steps.partition_point(|step| *step <= now);
        Some(target - missing)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use aiperf_config::RampShape;

    use super::*;

    #[test]
    fn a_ramped_gate_lets_in_one_more_at_each_step() {
        let start = Mono::from_nanos(1_000);
        let ramp = Ramp { duration: Duration::from_secs(2), shape: RampShape::Linear };
        let mut gate = RampedLimit::new(Some(3), Some(ramp), start, Seed::fixed(1));
        let after = |secs: u64| start + Nanos(secs * 1_000_000_000);
        assert!(gate.has_room(start));
        gate.enter();
        assert!(!gate.has_room(start));
        assert_eq!(gate.next_step(start), Some(after(1)));
        assert!(gate.has_room(after(1)));
        gate.enter();
        gate.enter();
        assert!(!gate.has_room(after(2)));
        assert_eq!(gate.next_step(after(2)), None);
        gate.leave();
        assert!(gate.has_room(after(2)));
    }

    #[test]
    fn a_gate_without_limit_is_open() {
        let mut gate = RampedLimit::new(None, None, Mono::default(), Seed::fixed(1));
        for _ in 0..1_000 {
            assert!(gate.has_room(Mono::default()));
            gate.enter();
        }
    }
}
