//! How far a search for a capacity is.

use serde::Serialize;

/// What a search has tried, what it knows, and what it does now.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CapacityProgress {
    /// `requests/s` or `users`.
    pub unit: &'static str,
    /// The step that goes on, from 1.
    pub step: usize,
    /// The load of that step in words, and why it is applied.
    pub load: String,
    pub reason: String,
    /// The capacity with its 95 % interval, once the load has come near it.
    pub estimate: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// What the search still needs, if that is known.
    pub requests_left: Option<u64>,
    pub seconds_left: Option<f64>,
    /// Loads that were measured, in the order of the steps.
    pub tried: Vec<TriedLoad>,
}

/// One load that was measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct TriedLoad {
    pub load: f64,
    pub requests: u64,
    /// The share of requests that violated an objective.
    pub violations: f64,
    /// The share that the objective allows.
    pub allowed: f64,
}
