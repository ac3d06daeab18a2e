//! What one run knows of a number: its value, and between which bounds it lies.

/// Bounds are infinite where the data sets none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Known {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Requests that it comes from, where that is known.
    pub(crate) requests: Option<u64>,
    /// Requests below which there can be no bounds, where they are too few.
    pub(crate) floor: Option<u64>,
}

impl Known {
    pub(crate) fn is_bounded(&self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }
}
