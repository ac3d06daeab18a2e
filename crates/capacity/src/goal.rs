//! What a search looks for and what it may cost.

use serde::{Deserialize, Serialize};

/// Whether the capacity is a request rate or a number of users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadKind {
    Rate,
    Concurrency,
}

/// A service-level objective: at most `allowed_share` of the requests may violate it. What a violation is, the caller decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServiceObjective {
    pub name: String,
    pub allowed_share: f64,
}

/// The limits of a search. It ends when one is reached, and then says how well the capacity is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SearchBudget {
    pub max_requests: u64,
    pub max_duration_s: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchGoal {
    pub kind: LoadKind,
    /// At least one.
    pub slos: Vec<ServiceObjective>,
    /// Half the width of the 95 % interval, as a share of the capacity.
    pub precision: f64,
    pub budget: SearchBudget,
    /// No higher load is applied.
    pub max_level: f64,
}
