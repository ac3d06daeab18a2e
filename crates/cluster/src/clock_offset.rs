//! How far the coordinator's clock is from a node's, by two-way probes, with a bound on the error that needs no assumption about
//! the network: the coordinator read its clock after the node sent the probe and before the node had the answer.

use serde::{Deserialize, Serialize};

/// How far two clocks can drift apart in a second; ordinary oscillators stay below a fifth of it.
const DRIFT_PER_SECOND_NS: u64 = 100_000;
const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// One probe: two readings of the node's clock around two of the coordinator's, all in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Probe {
    pub(crate) sent: u64,
    pub(crate) coordinator_received: u64,
    pub(crate) coordinator_sent: u64,
    pub(crate) received: u64,
}

/// An offset and its error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockReading {
    /// When it was measured, on the node's clock.
    pub at_ns: u64,
    /// The node's clock minus the coordinator's.
    pub offset_ns: i64,
    /// The error is at most this.
    pub bound_ns: u64,
}

impl ClockReading {
    /// The coordinator's time of a time of the node.
    pub const fn to_coordinator(self, node_ns: u64) -> u64 {
        node_ns.saturating_add_signed(-self.offset_ns)
    }

    /// The node's time of a time of the coordinator.
    pub const fn to_node(self, coordinator_ns: u64) -> u64 {
        coordinator_ns.saturating_add_signed(self.offset_ns)
    }

    /// The bound at a later or earlier time of the node's clock: both clocks may have drifted since.
    pub const fn bound_at(self, node_ns: u64) -> u64 {
        let seconds_ns = node_ns.abs_diff(self.at_ns);
        self.bound_ns + (seconds_ns / NANOS_PER_SECOND + 1) * DRIFT_PER_SECOND_NS * (seconds_ns > 0) as u64
    }
}

/// The offset of a node's clock from a time on, until the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockSegment {
    /// On the node's clock.
    pub from_ns: u64,
    /// The node's clock minus the coordinator's.
    pub offset_ns: i64,
    /// The error is at most this, drift included.
    pub bound_ns: u64,
}

/// Measurements as segments: each holds until the next one, the last until `end_ns`.
pub(crate) fn segments(readings: &[ClockReading], end_ns: u64) -> Vec<ClockSegment> {
    let mut readings = readings.to_vec();
    readings.sort_by_key(|reading| reading.at_ns);
    readings.dedup();
    let ends = readings.iter().skip(1).map(|next| next.at_ns).chain([end_ns]);
    readings
        .iter()
        .zip(ends)
        .map(|(reading, end)| ClockSegment {
            from_ns: reading.at_ns,
            offset_ns: reading.offset_ns,
            bound_ns: reading.bound_at(end.max(reading.at_ns)),
        })
        .collect()
}

/// The offset that all probes allow. Each of them gives an interval; the offset is in all of them, so that the middle of what they
/// have in common is off by at most half of its length. `None` without a probe.
pub(crate) fn offset_of(probes: &[Probe]) -> Option<ClockReading> {
    let last = probes.last()?;
    // The node's clock minus the coordinator's lies between these.
    let least = probes.iter().map(|probe| i128::from(probe.sent) - i128::from(probe.coordinator_received)).max()?;
    let most = probes.iter().map(|probe| i128::from(probe.received) - i128::from(probe.coordinator_sent)).min()?;
    if most < least {
        // A clock was set between the probes: only the tightest one says something.
        return probes.iter().filter_map(|probe| alone(*probe)).min_by_key(|reading| reading.bound_ns);
    }
    let (offset, width) = (i128::midpoint(least, most), most - least);
    Some(ClockReading {
        at_ns: last.received,
        offset_ns: i64::try_from(offset).ok()?,
        bound_ns: u64::try_from((width + 1) / 2).ok()?,
    })
}

fn alone(probe: Probe) -> Option<ClockReading> {
    let there_and_back = probe.received.checked_sub(probe.sent)?;
    let held = probe.coordinator_sent.checked_sub(probe.coordinator_received)?;
    let least = i128::from(probe.sent) - i128::from(probe.coordinator_received);
    let most = i128::from(probe.received) - i128::from(probe.coordinator_sent);
    let bound_ns = there_and_back.checked_sub(held)?.div_ceil(2);
    Some(ClockReading { at_ns: probe.received, offset_ns: i64::try_from(i128::midpoint(least, most)).ok()?, bound_ns })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A probe over a network with these delays, of a node whose clock is ahead by `offset`.
    fn probe(start: u64, offset: i64, there: u64, held: u64, back: u64) -> Probe {
        let node = |coordinator: u64| coordinator.saturating_add_signed(offset);
        Probe {
            sent: node(start),
            coordinator_received: start + there,
            coordinator_sent: start + there + held,
            received: node(start + there + held + back),
        }
    }

    const START: u64 = 1_794_700_000_000_000_000;

    #[test]
    fn an_uneven_path_is_within_the_bound() {
        let reading = offset_of(&[probe(START, 5_000_000, 900_000, 20_000, 100_000)]).unwrap();
        assert_eq!((reading.offset_ns, reading.bound_ns), (4_600_000, 500_000));
        assert_eq!(reading.to_node(reading.to_coordinator(START)), START);
        assert!(reading.bound_at(reading.at_ns + 2_000_000_000) > reading.bound_ns + 200_000);
        assert_eq!(reading.bound_at(reading.at_ns), reading.bound_ns);
        assert_eq!(offset_of(&[]), None);
    }

    proptest! {
        #[test]
        fn the_true_offset_is_always_within_the_bound(
            offset in -10_000_000_000_i64..10_000_000_000,
            paths in proptest::collection::vec((0_u64..50_000_000, 0_u64..1_000_000, 0_u64..50_000_000), 1..20),
        ) {
            let probes: Vec<Probe> = paths
                .iter()
                .enumerate()
                .map(|(index, (there, held, back))| probe(START + index as u64 * 100_000_000, offset, *there, *held, *back))
                .collect();
            let reading = offset_of(&probes).unwrap();
            prop_assert!(reading.offset_ns.abs_diff(offset) <= reading.bound_ns, "{reading:?} for {offset}");
            let tightest = paths.iter().map(|(there, _, back)| (there + back).div_ceil(2)).min().unwrap();
            prop_assert!(reading.bound_ns <= tightest);
        }
    }
}
