//! Evenly spaced arrivals.

#[derive(Debug)]
pub(super) struct Constant {
    per_second: f64,
    count: u64,
}

impl Constant {
    pub(super) const fn new(per_second: f64) -> Self {
        Self { per_second, count: 0 }
    }

    /// Computed from the count, not summed up, so that the grid stays exact however long the phase.
    pub(super) fn next_due(&mut self) -> f64 {
        self.count += 1;
        self.count as f64 / self.per_second
    }
}
