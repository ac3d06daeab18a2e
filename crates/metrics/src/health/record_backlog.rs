//! What waited for the record threads over a whole run.

use aiperf_clock::Nanos;

/// Counted by the queue itself, so that nothing falls between two samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordBacklog {
    /// The most bytes that waited in memory.
    pub most_bytes: u64,
    /// Requests of a closed loop that had finished and waited for room before the next one could be sent.
    pub held_back: u64,
    /// When the first of them waited, from the start of the run.
    pub held_back_since: Nanos,
    /// For how long at least one of them waited.
    pub held_back_for: Nanos,
    /// Requests of an open loop whose responses were spilled to disk.
    pub spilled: u64,
    pub spilled_bytes: u64,
}
