//! What a coordinator wrote about a node: who it was, how it ended, and how far its clock was from the coordinator's.

use serde::Deserialize;
use serde_json::Value;

use crate::Folder;

/// Its name in the folder of a node.
pub(crate) const FILE: &str = "node.json";

/// The offset of a node's clock from a time on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the unit belongs to the names of the file")]
pub(super) struct ClockSegment {
    /// On the node's clock.
    pub(super) from_ns: u64,
    /// The node's clock minus the coordinator's.
    pub(super) offset_ns: i64,
    pub(super) bound_ns: u64,
}

/// The clock of a node over its run; without a measurement it is the clock of all.
#[derive(Debug, Default)]
pub(super) struct NodeClock {
    /// By time.
    segments: Vec<ClockSegment>,
}

impl NodeClock {
    /// As the coordinator, or a node that was told its offset, describes it.
    pub(super) fn of(node: &Value) -> Self {
        let listed = serde_json::from_value(node["clock"].clone()).unwrap_or_default();
        let alone = || {
            let offset_ns = node["clock_offset_ns"].as_i64()?;
            Some(ClockSegment { from_ns: 0, offset_ns, bound_ns: node["clock_bound_ns"].as_u64().unwrap_or(0) })
        };
        let mut segments: Vec<ClockSegment> = listed;
        segments.extend(if segments.is_empty() { alone() } else { None });
        segments.sort_by_key(|segment| segment.from_ns);
        Self { segments }
    }

    /// Which segment a time of the node belongs to. Times before the first belong to it.
    pub(super) fn place(&self, at_ns: u64) -> usize {
        self.segments.partition_point(|segment| segment.from_ns <= at_ns).saturating_sub(1)
    }

    pub(super) fn segments(&self) -> &[ClockSegment] {
        &self.segments
    }

    pub(super) fn offset_at(&self, at_ns: u64) -> i64 {
        self.segments.get(self.place(at_ns)).map_or(0, |segment| segment.offset_ns)
    }

    pub(super) fn bound(&self) -> Option<u64> {
        self.segments.iter().map(|segment| segment.bound_ns).max()
    }
}

/// What a coordinator wrote about the node of a folder, if one did.
pub(super) fn find(folder: &Folder) -> Option<Value> {
    Folder::json(&folder.paths().dir().join(FILE)).filter(Value::is_object)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_time_has_the_offset_that_was_measured_before_it() {
        let segment =
            |from_ns, offset_ns, bound_ns| json!({"from_ns": from_ns, "offset_ns": offset_ns, "bound_ns": bound_ns});
        let clock = NodeClock::of(&json!({"clock": [segment(200, 7, 3), segment(100, 5, 2)]}));
        assert_eq!([50, 100, 199, 200, 999].map(|at| clock.offset_at(at)), [5, 5, 5, 7, 7]);
        assert_eq!(clock.bound(), Some(3));
        let alone = NodeClock::of(&json!({"clock_offset_ns": -4, "clock_bound_ns": 1}));
        assert_eq!((alone.offset_at(9), alone.bound()), (-4, Some(1)));
        let unknown = NodeClock::of(&json!({}));
        assert_eq!((unknown.offset_at(9), unknown.bound()), (0, None));
    }
}
