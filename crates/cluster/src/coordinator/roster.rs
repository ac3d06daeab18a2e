//! Which nodes are alive, by the time of their last sign of life. Time is passed in.

use std::collections::BTreeMap;
use std::time::Duration;

use aiperf_clock::{Mono, Nanos};

#[derive(Debug)]
pub(super) struct Roster {
    timeout: Nanos,
    /// Nodes that are expected to be alive, and when they were last heard.
    heard: BTreeMap<u64, Mono>,
}

impl Roster {
    pub(super) fn new(timeout: Duration) -> Self {
        Self { timeout: timeout.into(), heard: BTreeMap::new() }
    }

    /// A sign of life.
    pub(super) fn see(&mut self, node: u64, now: Mono) {
        self.heard.insert(node, now);
    }

    /// A node that has ended is not expected to be heard any more.
    pub(super) fn dismiss(&mut self, node: u64) {
        self.heard.remove(&node);
    }

    /// Whether a node is expected to be heard.
    pub(super) fn expects(&self, node: u64) -> bool {
        self.heard.contains_key(&node)
    }

    /// The bus was away: silence until now says nothing.
    pub(super) fn excuse_all(&mut self, now: Mono) {
        self.heard.values_mut().for_each(|heard| *heard = now);
    }

    /// Nodes that have been silent for too long.
    pub(super) fn silent(&self, now: Mono) -> Vec<u64> {
        self.silences(now).into_iter().map(|(node, _)| node).collect()
    }

    fn silences(&self, now: Mono) -> Vec<(u64, Nanos)> {
        let silence = |(node, heard): (&u64, &Mono)| (*node, now.since(*heard));
        self.heard.iter().map(silence).filter(|(_, silence)| *silence >= self.timeout).collect()
    }

    /// Nodes that have been silent for too long, and for how long. They are not expected any more.
    pub(super) fn take_lost(&mut self, now: Mono) -> Vec<(u64, Nanos)> {
        let lost = self.silences(now);
        for (node, _) in &lost {
            self.heard.remove(node);
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_node_is_lost_once_and_the_silence_of_the_bus_is_excused() {
        let (start, second) = (Mono::now(), Nanos(1_000_000_000));
        let mut roster = Roster::new(Duration::from_secs(2));
        (0..3).for_each(|node| roster.see(node, start));
        roster.dismiss(2);
        roster.see(0, start + second);
        assert_eq!(roster.take_lost(start + second), []);
        assert_eq!(roster.take_lost(start + Nanos(2_000_000_000)), [(1, Nanos(2_000_000_000))]);
        assert_eq!(roster.take_lost(start + Nanos(2_500_000_000)), []);
        roster.excuse_all(start + Nanos(9_000_000_000));
        assert_eq!(roster.take_lost(start + Nanos(10_000_000_000)), []);
    }
}
