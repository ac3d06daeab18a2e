//! The runs of a sweep, or of several trials.

use serde::Serialize;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SweepProgress {
    pub done: usize,
    pub total: usize,
    pub cells: Vec<CellProgress>,
    /// Seconds that the rest will probably take.
    pub eta: Option<f64>,
}

/// One run of the sweep, with its headline numbers once it is done.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CellProgress {
    /// Its values in words: `concurrency 8`, with several trials `concurrency 8, trial 2`.
    pub name: String,
    pub state: CellState,
    pub seconds: f64,
    pub requests_per_second: Option<f64>,
    pub output_tokens_per_second: Option<f64>,
    pub ttft_p50: Option<f64>,
    pub ttft_p99: Option<f64>,
    pub itl_p50: Option<f64>,
    pub itl_p99: Option<f64>,
    pub latency_p50: Option<f64>,
    pub latency_p99: Option<f64>,
    pub error_share: Option<f64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CellState {
    #[default]
    Waiting,
    Running,
    Complete,
    Failed,
    Cancelled,
}
