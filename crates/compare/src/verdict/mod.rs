//! The verdict on one number. Threshold and interval must agree; if they do not, the data is inconclusive.

pub(crate) mod bounds;
pub(crate) mod change;
mod direction;
mod forecast;
pub(crate) mod row;

use std::fmt;

pub use bounds::Question;
pub use change::{Change, Scale};
pub use direction::Direction;
pub use forecast::{Forecast, SampleUnit};
pub use row::ComparisonRow;

use crate::Share;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Better,
    Worse,
    Equal,
    /// Of a number that is neither better nor worse.
    Changed,
    Inconclusive,
    /// Of a run that did not reach its end.
    Withheld,
}

impl Verdict {
    /// A change counts when its interval leaves out zero and it is larger than the threshold; it is none when its interval
    /// lies within the threshold.
    pub(crate) fn of(change: &Change, threshold: Share, direction: Direction) -> Self {
        let limit = threshold.get();
        if change.low >= -limit && change.high <= limit {
            return Self::Equal;
        }
        let rose = change.low > 0.0 && change.share > limit;
        let fell = change.high < 0.0 && change.share < -limit;
        match direction {
            _ if !rose && !fell => Self::Inconclusive,
            Direction::Neutral => Self::Changed,
            Direction::LessIsBetter => {
                if rose {
                    Self::Worse
                } else {
                    Self::Better
                }
            }
            Direction::MoreIsBetter => {
                if rose {
                    Self::Better
                } else {
                    Self::Worse
                }
            }
        }
    }

    /// As files spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inconclusive => "cannot tell",
            other => other.word(),
        }
    }

    /// As people read it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Equal => "equal",
            Self::Changed => "changed",
            Self::Inconclusive => "inconclusive",
            Self::Withheld => "no verdict",
        }
    }
}

/// Why the data is inconclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InconclusiveReason {
    /// The interval reaches from no change to one that counts.
    Wide,
    /// Too few for any interval.
    TooFew {
        side: String,
    },
    /// Only a summary, which states no interval of it.
    NoInterval {
        side: String,
    },
    /// One number for the whole run, without its spread.
    OneNumber,
    Absent {
        side: String,
    },
    /// The baseline is zero, of which nothing is a share.
    NothingToShare,
    /// Nothing failed on either side, of too few requests to rule out that more than the threshold would. Shares in percent.
    TooFewForErrors {
        at_most: String,
        needed: u64,
    },
}

impl InconclusiveReason {
    /// `unit`: what more of would help.
    pub fn sentence(&self, unit: SampleUnit) -> String {
        match self {
            Self::Wide => format!("the interval is too wide; take more {}", unit.name()),
            Self::TooFew { side } => format!("{side} has too few requests for an interval"),
            Self::NoInterval { side } => {
                format!(
                    "{side} has no records, and its summary has no interval; repeat the run with records, or several times"
                )
            }
            Self::OneNumber => {
                "this is one number per run; its spread needs several runs (--num-profile-runs)".to_owned()
            }
            Self::Absent { side } => format!("{side} does not have this metric"),
            Self::NothingToShare => "the baseline is 0, so there is no relative change".to_owned(),
            Self::TooFewForErrors { at_most, needed } => format!(
                "no request failed on either side, but this many requests only show that at most {at_most} fail; {needed} requests without a failure are enough"
            ),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn change(share: f64, low: f64, high: f64) -> Change {
        Change { scale: Scale::Relative, absolute: share, share, low, high }
    }

    fn of_latency(share: f64, low: f64, high: f64) -> Verdict {
        Verdict::of(&change(share, low, high), Share::of_percent(2.5), Direction::LessIsBetter)
    }

    #[test]
    fn threshold_and_interval_must_agree() {
        assert_eq!(of_latency(0.05, 0.01, 0.09), Verdict::Worse);
        assert_eq!(of_latency(-0.05, -0.09, -0.01), Verdict::Better);
        assert_eq!(of_latency(0.05, -0.01, 0.11), Verdict::Inconclusive, "zero is in the interval");
        assert_eq!(of_latency(0.02, 0.01, 0.03), Verdict::Inconclusive, "sure, but it may be too little to count");
        assert_eq!(of_latency(0.01, 0.005, 0.015), Verdict::Equal, "sure, and too little to count");
        assert_eq!(of_latency(0.0, -0.02, 0.02), Verdict::Equal);
        assert_eq!(of_latency(0.0, -0.03, 0.03), Verdict::Inconclusive);
        assert_eq!(of_latency(9.0, f64::NEG_INFINITY, f64::INFINITY), Verdict::Inconclusive);
    }

    #[test]
    fn what_is_worse_depends_on_the_metric() {
        let fell = change(-0.1, -0.12, -0.08);
        let of = |direction| Verdict::of(&fell, Share::of_percent(2.5), direction);
        assert_eq!(of(Direction::LessIsBetter), Verdict::Better);
        assert_eq!(of(Direction::MoreIsBetter), Verdict::Worse);
        assert_eq!(of(Direction::Neutral), Verdict::Changed);
    }

    proptest! {
        #[test]
        fn a_verdict_of_worse_is_never_within_doubt(share in -0.5_f64..0.5, below in 0.0_f64..0.5, above in 0.0_f64..0.5) {
            let (low, high) = (share - below, share + above);
            match of_latency(share, low, high) {
                Verdict::Worse => prop_assert!(low > 0.0 && share > 0.025),
                Verdict::Better => prop_assert!(high < 0.0 && share < -0.025),
                Verdict::Equal => prop_assert!(low >= -0.025 && high <= 0.025),
                _ => {}
            }
        }
    }
}
