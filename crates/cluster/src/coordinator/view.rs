//! What a coordinator can show of a run while it goes on.

use std::collections::BTreeMap;

use crate::clock_offset::ClockReading;
use crate::message::{Counters, NodeCard};

/// One node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeView {
    /// The share that it sends.
    pub index: u64,
    pub host: String,
    pub address: Option<String>,
    pub counters: Counters,
    pub clock: Option<ClockReading>,
    pub cpu_percent: f64,
    /// The number of the phase whose start it waits for.
    pub waits_for: Option<u64>,
    /// Bytes of records that are on the node's disk only.
    pub unshipped: u64,
    pub is_lost: bool,
    pub has_ended: bool,
    /// Distributions of latencies: how many values each bucket has.
    pub sketches: BTreeMap<String, Vec<(u32, u64)>>,
}

impl NodeView {
    pub(super) fn new(index: u64) -> Self {
        Self { index, ..Self::default() }
    }

    pub(super) fn know(&mut self, card: &NodeCard) {
        self.host.clone_from(&card.host);
        self.address.clone_from(&card.address);
    }

    /// `node-3 (host, 10.0.0.7)`.
    pub fn title(&self) -> String {
        let address = self.address.as_ref().map_or_else(String::new, |address| format!(", {address}"));
        format!("node-{} ({}{address})", self.index, self.host)
    }
}

/// The whole run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunView {
    pub nodes: Vec<NodeView>,
}

impl RunView {
    /// The counters of all nodes together. The phase is that of the node that is furthest behind.
    pub fn total(&self) -> Counters {
        let mut total = Counters::default();
        let first =
            self.nodes.iter().filter(|node| !node.is_lost && !node.has_ended).map(|node| &node.counters.phase).next();
        total.phase = first.cloned().unwrap_or_default();
        for Counters { sent, returned, failed, expected, recorded, .. } in self.nodes.iter().map(|node| &node.counters)
        {
            total.sent += sent;
            total.returned += returned;
            total.failed += failed;
            total.recorded += recorded;
            total.expected = expected.map(|own| own + total.expected.unwrap_or(0)).or(total.expected);
        }
        total
    }

    /// The distribution of a latency over all nodes: buckets with the number of their values, in order.
    pub fn sketch(&self, name: &str) -> BTreeMap<u32, u64> {
        let mut all = BTreeMap::new();
        for (bucket, count) in self.nodes.iter().filter_map(|node| node.sketches.get(name)).flatten() {
            *all.entry(*bucket).or_default() += count;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_sums_over_the_nodes() {
        let node = |index, sent, expected| {
            let counters = Counters { sent, expected, ..Counters::default() };
            let sketches = BTreeMap::from([("latency".to_owned(), vec![(index as u32, sent), (9, 1)])]);
            NodeView { counters, sketches, ..NodeView::new(index) }
        };
        let view = RunView { nodes: vec![node(0, 5, Some(10)), node(1, 7, Some(11)), node(2, 1, None)] };
        assert_eq!((view.total().sent, view.total().expected), (13, Some(21)));
        assert_eq!(view.sketch("latency"), BTreeMap::from([(0, 5), (1, 7), (2, 1), (9, 3)]));
    }
}
