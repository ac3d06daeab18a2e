//! The whole configuration of one run, resolved: nothing in it needs a default any more.

use std::time::Duration;

use crate::{
    AccuracyConfig, ApiConfig, CacheBust, CapacitySearch, CiTarget, DatasetConfig, EndpointConfig, GpuCost,
    GpuTelemetry, MlflowConfig, NodeShare, OtelConfig, OutputConfig, Phases, ServerMetricsConfig, Tuning, UserFile,
    WandbConfig,
};

#[derive(Debug, Clone)]
pub struct Config {
    pub endpoint: EndpointConfig,
    pub dataset: DatasetConfig,
    pub cache_bust: CacheBust,
    pub phases: Phases,
    /// The capacity that the run searches for; its profiling phase then has a load that is controlled.
    pub capacity: Option<CapacitySearch>,
    /// The scenario that the run names.
    pub scenario: Option<Scenario>,
    /// Several lanes of an agentic replay may start with the same recorded session.
    pub allow_dataset_wrap: bool,
    /// `None`: answers are not graded.
    pub accuracy: Option<AccuracyConfig>,
    pub output: OutputConfig,
    /// `None`: the run has no live interface.
    pub api: Option<ApiConfig>,
    /// `None`: latencies are reported only with the network round trip in them.
    pub network_latency: Option<NetworkLatency>,
    /// `None`: no telemetry of GPUs is collected.
    pub gpu_telemetry: Option<GpuTelemetry>,
    /// `None`: costs are not reported.
    pub gpu_cost: Option<GpuCost>,
    /// `None`: the metrics pages of servers are not scraped.
    pub server_metrics: Option<ServerMetricsConfig>,
    /// `None`: nothing is sent to an OpenTelemetry collector.
    pub otel: Option<OtelConfig>,
    /// `None`: the run is not stored in MLflow.
    pub mlflow: Option<MlflowConfig>,
    /// `None`: the run is not written for Weights & Biases.
    pub wandb: Option<WandbConfig>,
    /// Precision that every one of these metrics must reach for the run to end early.
    pub until_ci: Vec<CiTarget>,
    /// Confidence level of all confidence intervals.
    pub confidence_level: f64,
    /// `None`: drawn from the operating system, so the run cannot be repeated.
    pub random_seed: Option<u64>,
    /// Which part of the run this process sends.
    pub node: NodeShare,
    /// When the first phase begins, as time since the Unix epoch; `None`: as soon as everything is ready.
    pub start_at: Option<Duration>,
    /// `None`: sized to the machine.
    pub workers_max: Option<usize>,
    pub record_processors: Option<usize>,
    /// How long all requests may fail to connect before the run ends; `None`: no limit.
    pub unreachable_timeout: Option<Duration>,
    /// Settings of the environment variables.
    pub tuning: Tuning,
    /// The command line that repeats this run, with secrets redacted.
    pub command_line: String,
    /// Files of the user's own.
    pub user_files: Vec<UserFile>,
    /// Warnings to print before the run starts.
    pub warnings: Vec<String>,
}

/// The only scenario so far. A scenario is a name for a run with locked settings, so that results can be compared.
pub const SCENARIO: &str = "inferencex-agentx-mvp";

/// The scenario that a run names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scenario {
    pub name: &'static str,
    /// `--unsafe-override`: settings that the scenario forbids are kept, and the results are not valid for submission.
    pub overridden: bool,
    /// Settings that the scenario forbids, in words; empty unless overridden.
    pub violations: Vec<String>,
    /// Options that the scenario sets itself.
    pub set: Vec<String>,
}

/// Where the network round-trip time comes from; latencies are also reported without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkLatency {
    /// The user gives it.
    Given(Duration),
    /// Measured while the profiling phase runs.
    Measured(RttProbing),
}

/// How the round-trip time is measured: with connections that are opened and closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RttProbing {
    /// Pause between two measurements of a server.
    pub interval: Duration,
    /// Minimum number of measurements.
    pub min_samples: usize,
    /// Time limit for opening a connection.
    pub connect_timeout: Duration,
    /// Maximum time to wait at the end of the run for missing measurements.
    pub top_up: Duration,
}

impl Default for RttProbing {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(1),
            min_samples: 5,
            connect_timeout: Duration::from_secs(5),
            top_up: Duration::from_secs(3),
        }
    }
}
