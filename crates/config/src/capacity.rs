//! The search for a capacity: the highest load within service-level objectives.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Arrival;

/// What a search for a capacity looks for, and what it may cost.
#[derive(Debug, Clone, PartialEq)]
pub struct CapacitySearch {
    pub of: CapacityOf,
    /// At least one.
    pub slos: Vec<CapacitySlo>,
    /// Half the width of the interval of the answer, as a share of the capacity.
    pub precision: f64,
    /// `None`: no limit.
    pub max_requests: Option<u64>,
    pub max_duration: Duration,
    /// The most users that may be tried.
    pub max_users: Option<u32>,
    /// How the arrivals of a rate are drawn.
    pub arrival: Arrival,
    /// The search in the folder is continued.
    pub resumes: bool,
}

/// What the capacity is a number of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CapacityOf {
    /// Requests per second in an open loop.
    Rate,
    /// Users in a closed loop, each with one request in flight.
    Users,
}

impl CapacityOf {
    pub const NAMES: [&'static str; 2] = ["rate", "users"];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::Users => "users",
        }
    }
}

/// A service-level objective: this percentile of a metric stays within a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct CapacitySlo {
    /// Tag of a metric that each request has.
    pub metric: String,
    /// Above 0 and below 100.
    pub percentile: f64,
    /// In the unit that is shown for the metric.
    pub limit: f64,
}

impl CapacitySlo {
    /// The percentile if none is given.
    pub const USUAL_PERCENTILE: f64 = 99.0;

    /// The share of requests that may violate the limit.
    pub fn allowed_share(&self) -> f64 {
        // So that p99 does not allow 0.010000000000000009.
        ((100.0 - self.percentile) * 1e6).round() / 1e8
    }
}

impl fmt::Display for CapacitySlo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:p{}:{}", self.metric, self.percentile, self.limit)
    }
}

impl CapacitySearch {
    /// The section of result files.
    pub(crate) fn section(&self) -> Value {
        json!({
            "of": self.of.name(),
            "slos": self.slos.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "precision": self.precision,
            "max_requests": self.max_requests,
            "max_duration": self.max_duration.as_secs_f64(),
            "max_users": self.max_users,
        })
    }
}
