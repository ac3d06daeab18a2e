//! How conversations ended that others started.

use std::ops::Add;

use serde::Serialize;

/// Sums over the branches of a phase, named as in the summary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct BranchCounts {
    pub children_spawned: u64,
    /// Ended by themselves, every turn answered.
    pub children_completed: u64,
    /// Ended by themselves, with at least one failed turn.
    pub children_errored: u64,
    /// Cut off at the end of the phase.
    pub children_truncated: u64,
    /// Branches that start some time after the turn that started them, as the data set tells.
    pub children_delayed: u64,
    /// Times that a parent, or an orchestrator in a round, had to wait for children.
    pub parents_suspended: u64,
    pub parents_resumed: u64,
    /// Given up because a child had failed.
    pub parents_failed_due_to_child_error: u64,
    /// Joins that were reached, but whose parent had been given up or cut off.
    pub joins_suppressed: u64,
    /// Orchestrators that were started, and those that went through all of their rounds.
    pub graphs_admitted: u64,
    pub graphs_completed_to_end: u64,
}

impl Add for BranchCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            children_spawned: self.children_spawned + other.children_spawned,
            children_completed: self.children_completed + other.children_completed,
            children_errored: self.children_errored + other.children_errored,
            children_truncated: self.children_truncated + other.children_truncated,
            children_delayed: self.children_delayed + other.children_delayed,
            parents_suspended: self.parents_suspended + other.parents_suspended,
            parents_resumed: self.parents_resumed + other.parents_resumed,
            parents_failed_due_to_child_error: self.parents_failed_due_to_child_error
                + other.parents_failed_due_to_child_error,
            joins_suppressed: self.joins_suppressed + other.joins_suppressed,
            graphs_admitted: self.graphs_admitted + other.graphs_admitted,
            graphs_completed_to_end: self.graphs_completed_to_end + other.graphs_completed_to_end,
        }
    }
}
