//! A number and how sure it is.

/// Both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    pub fn overlaps(&self, other: &Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// The larger of the two distances to the value: what may stand after a ±.
    pub fn margin(&self, value: f64) -> f64 {
        (value - self.low).max(self.high - value)
    }

    /// Both ends turned by `convert`, which may turn the order round.
    pub fn map(&self, convert: impl Fn(f64) -> f64) -> Self {
        let (a, b) = (convert(self.low), convert(self.high));
        Self { low: a.min(b), high: a.max(b) }
    }
}

/// Whether there are samples enough to say how sure a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    Enough,
    /// `needed`: independent samples that would do.
    TooFew {
        needed: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub value: f64,
    /// `None` if an honest one cannot be given.
    pub interval: Option<Interval>,
    /// Independent samples that would say as much as those that there are.
    pub effective_samples: f64,
    pub support: Support,
}

impl Estimate {
    pub fn is_supported(&self) -> bool {
        self.support == Support::Enough
    }
}
