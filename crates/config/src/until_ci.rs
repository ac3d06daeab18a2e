//! How sure a number must be before a run may end.

use std::fmt;

/// One number of the summary and how far off it may be.
#[derive(Debug, Clone, PartialEq)]
pub struct CiTarget {
    /// Tag of the metric.
    pub metric: String,
    pub stat: CiStat,
    pub margin: CiMargin,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CiStat {
    Avg,
    /// Above 0 and below 100.
    Percentile(f64),
}

/// Half of the confidence interval, at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CiMargin {
    /// As a share of the number itself: 0.05 for 5 %.
    Relative(f64),
    /// In the unit that is shown for the metric.
    Absolute(f64),
}

impl fmt::Display for CiTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.metric, self.stat, self.margin)
    }
}

impl fmt::Display for CiStat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Avg => f.write_str("avg"),
            Self::Percentile(percent) => write!(f, "p{percent}"),
        }
    }
}

impl fmt::Display for CiMargin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // So that 5 % do not become 5.000000000000001 %.
            Self::Relative(share) => write!(f, "{}%", (share * 1e6).round() / 1e4),
            Self::Absolute(margin) => write!(f, "{margin}"),
        }
    }
}
