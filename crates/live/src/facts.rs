//! What is known of a run before it starts.

use aiperf_metrics::MetricContext;
use aiperf_protocol::PhaseKind;
use serde::Serialize;
use serde_json::Value;

/// What was asked for, in words. Secrets have been taken out.
#[derive(Debug, Clone, Default, Serialize)]
pub struct RunFacts {
    pub version: String,
    pub models: Vec<String>,
    /// As `--endpoint-type` spells it.
    pub endpoint_type: String,
    pub urls: Vec<String>,
    pub streaming: bool,
    /// The load in words: `concurrency 64`, `10 requests/s, poisson`.
    pub load: String,
    pub slos: Vec<SloLimit>,
    pub artifact_dir: String,
    /// The configuration as result files show it.
    pub input_config: Value,
    pub command_line: String,
    /// Which run of a sweep or of several trials it is, in words.
    pub cell: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SloLimit {
    pub tag: String,
    /// In the metric's display unit.
    pub limit: f64,
}

/// What is known once a run is ready to start.
#[derive(Debug, Clone, Default)]
pub struct RunPlan {
    pub benchmark_id: String,
    pub phases: Vec<PhasePlan>,
}

/// What one phase will do.
#[derive(Debug, Clone)]
pub struct PhasePlan {
    pub name: String,
    pub kind: PhaseKind,
    pub requests: Option<u64>,
    pub sessions: Option<u64>,
    /// Seconds.
    pub duration: Option<f64>,
    /// Seconds; `None`: no limit.
    pub grace: Option<f64>,
    pub context: MetricContext,
}
