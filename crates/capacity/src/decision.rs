//! What a search does next, and why. Each decision goes to the history file.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::load_level::{LoadLevel, three_digits};
use crate::report::CapacityReport;
use crate::step::StepPlan;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    pub action: SearchAction,
    pub reason: Reason,
    /// How many more requests the search needs, if this is known.
    pub requests_left: Option<u64>,
    /// How long these requests take.
    pub seconds_left: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchAction {
    Measure(StepPlan),
    Finish(Box<CapacityReport>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Reason {
    /// Nothing is known yet: one user.
    FirstStep,
    /// Throughput grew with the last doubling, or stayed the same once.
    ThroughputGrows {
        factor: f64,
    },
    /// The closed loop found the highest throughput, and the staircase starts below it.
    ThroughputFound {
        requests_per_s: f64,
    },
    /// The last step kept the objectives, or did not clearly violate them.
    StepHigher {
        share: f64,
    },
    /// The first step violated the objectives.
    StepLower {
        share: f64,
    },
    /// The last step left a queue behind.
    DrainQueue {
        share: f64,
    },
    /// A lower load had more violations than a higher one; both are measured again.
    ConfirmContradiction {
        level: f64,
        share: f64,
        higher_level: f64,
        higher_share: f64,
    },
    /// Measures a level from the beginning of the search again: a server that warms up is faster now.
    RepeatLevel {
        level: f64,
    },
    /// Measures above the estimate.
    RefineAbove {
        low: f64,
        median: f64,
        high: f64,
    },
    /// Measures below the estimate.
    RefineBelow {
        low: f64,
        median: f64,
        high: f64,
    },
    /// Checks the lower bound with new requests.
    VerifyLowerBound {
        low: f64,
        precision: f64,
    },
    PrecisionReached {
        precision: f64,
    },
    RequestBudgetUsed {
        precision: f64,
    },
    DurationBudgetUsed {
        precision: f64,
    },
    /// The capacity changes during the search, so a narrower interval has no meaning.
    CapacityDrifts {
        change_per_hour: f64,
    },
    /// The lowest load violates the objectives.
    AlwaysViolated {
        level: f64,
        share: f64,
    },
    /// The highest load that may be applied keeps the objectives.
    NeverViolated {
        level: f64,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: &f64| format!("{} %", three_digits(share * 100.0));
        let number = |value: &f64| three_digits(*value);
        match self {
            Self::FirstStep => write!(out, "Start with one user to see how fast the idle server is."),
            Self::ThroughputGrows { factor } => {
                write!(out, "Throughput changed by a factor of {}: double the users.", number(factor))
            }
            Self::ThroughputFound { requests_per_s } => write!(
                out,
                "Throughput stops growing at {} requests/s: raise the rate in steps below it.",
                number(requests_per_s)
            ),
            Self::StepHigher { share } => write!(out, "{} violations: go one step higher.", percent(share)),
            Self::StepLower { share } => write!(out, "{} violations at the first step: go lower.", percent(share)),
            Self::DrainQueue { share } => {
                write!(out, "{} violations left a queue behind: let it drain.", percent(share))
            }
            Self::ConfirmContradiction { level, share, higher_level, higher_share } => write!(
                out,
                "{} had {} violations but {} had {}: measure again.",
                number(level),
                percent(share),
                number(higher_level),
                percent(higher_share)
            ),
            Self::RepeatLevel { level } => {
                write!(out, "Measure {} again: is the server faster than at the beginning?", number(level))
            }
            Self::RefineAbove { low, median, high } => {
                write!(out, "Capacity is {} ({} to {}): measure above it.", number(median), number(low), number(high))
            }
            Self::RefineBelow { low, median, high } => {
                write!(out, "Capacity is {} ({} to {}): measure below it.", number(median), number(low), number(high))
            }
            Self::VerifyLowerBound { low, precision } => write!(
                out,
                "Capacity is known to ±{}: check the lower bound {} with new requests.",
                percent(precision),
                number(low)
            ),
            Self::PrecisionReached { precision } => write!(out, "Capacity is known to ±{}.", percent(precision)),
            Self::RequestBudgetUsed { precision } => {
                write!(out, "The request budget is used; capacity is known to ±{}.", percent(precision))
            }
            Self::DurationBudgetUsed { precision } => {
                write!(out, "The time budget is used; capacity is known to ±{}.", percent(precision))
            }
            Self::CapacityDrifts { change_per_hour } => {
                write!(
                    out,
                    "Capacity changes by {} per hour: a narrower interval has no meaning.",
                    percent(change_per_hour)
                )
            }
            Self::AlwaysViolated { level, share } => {
                write!(out, "{} violations at the lowest load, {}.", percent(share), number(level))
            }
            Self::NeverViolated { level } => {
                write!(out, "The highest load that may be applied, {}, keeps the objectives.", number(level))
            }
        }
    }
}

impl Decision {
    /// The load to apply, unless the search is over.
    pub fn level(&self) -> Option<LoadLevel> {
        match &self.action {
            SearchAction::Measure(plan) => Some(plan.level),
            SearchAction::Finish(_) => None,
        }
    }
}
