//! What one run knows of a number: its value, and between which bounds it lies.

/// Bounds are infinite if the data sets none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Known {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Requests that it comes from, if that is known.
    pub(crate) requests: Option<u64>,
    /// Requests below which there can be no bounds, if they are too few.
    pub(crate) floor: Option<u64>,
    /// How the bounds would close in with more requests.
    pub(crate) growth: Growth,
}

/// What bounds do when there are more requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Growth {
    /// Their squared distance shrinks with the number of requests, but for this share of it, which comes from the ends of a run
    /// and shrinks with the square of that number.
    Root { end_share: f64 },
    /// They are those of a share, by its own formula: of `worth` independent requests for each one, times `unit`.
    Share { worth: f64, unit: f64 },
}

impl Known {
    pub(crate) fn is_bounded(&self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// With the lower bound of one level and the upper bound of another.
    pub(crate) fn between(lower: Self, upper: Self) -> Self {
        Self { high: upper.high, floor: lower.floor.max(upper.floor), ..lower }
    }

    /// Factor by which this number of requests changes the squared distance of a bound.
    pub(crate) fn shrinks_to(&self, requests: f64) -> Option<f64> {
        let ratio = self.requests? as f64 / requests;
        let end_share = match self.growth {
            Growth::Root { end_share } => end_share,
            Growth::Share { .. } => 0.0,
        };
        Some((1.0 - end_share) * ratio + end_share * ratio * ratio)
    }
}
