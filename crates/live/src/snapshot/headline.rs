//! The numbers that people look at first, and the table of all metrics.

use serde::Serialize;

/// Rates are those of the last ten seconds; `phase_` means since the phase began.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Headline {
    pub requests_per_second: f64,
    pub phase_requests_per_second: f64,
    /// `None` if the endpoint produces no tokens.
    pub output_tokens_per_second: Option<f64>,
    pub phase_output_tokens_per_second: Option<f64>,
    pub input_tokens_per_second: Option<f64>,
    pub phase_input_tokens_per_second: Option<f64>,
    pub in_flight: u64,
    pub completed: u64,
    /// Failed requests of the phase.
    pub errors: u64,
    /// Failed requests among those that came back in the phase, 0 to 1.
    pub error_share: f64,
    /// The same in the last ten seconds.
    pub window_error_share: f64,
    /// Time to first token in milliseconds; without values if responses do not stream.
    pub ttft: Spread,
    /// Inter-token latency in milliseconds.
    pub itl: Spread,
    /// Request latency in milliseconds.
    pub latency: Spread,
    /// Present with SLOs.
    pub goodput: Option<GoodputState>,
}

/// Percentiles of the last ten seconds and of the whole phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Spread {
    pub window: Option<Percentiles>,
    pub phase: Option<Percentiles>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Percentiles {
    pub p50: f64,
    pub p99: f64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct GoodputState {
    /// Good requests among all that came back in the phase, 0 to 1.
    pub share: f64,
    /// Good requests per second of the phase.
    pub per_second: f64,
    /// The SLOs, in words.
    pub slos: Vec<String>,
}

/// Statistics of one metric over the successful requests of the current phase, in its display unit.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MetricRow {
    pub tag: &'static str,
    pub header: &'static str,
    pub unit: &'static str,
    pub count: u64,
    pub avg: f64,
    pub min: f64,
    pub max: f64,
    pub p1: f64,
    pub p5: f64,
    pub p10: f64,
    pub p25: f64,
    pub p50: f64,
    pub p75: f64,
    pub p90: f64,
    pub p95: f64,
    pub p99: f64,
    pub std: f64,
    pub sum: f64,
}

/// Bins for drawing, of the whole phase. Edges are in milliseconds and grow by a constant factor.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LatencyHistogram {
    pub latency: Vec<HistogramBin>,
    pub ttft: Vec<HistogramBin>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct HistogramBin {
    pub from_ms: f64,
    pub to_ms: f64,
    pub count: u64,
}
