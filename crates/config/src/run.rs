//! The whole configuration of one run, resolved: nothing in it needs a default any more.

use std::time::Duration;

use crate::{
    CacheBust, CiTarget, DatasetConfig, EndpointConfig, NetworkLatency, OutputConfig, PhaseConfig, Scenario, Tuning,
};

#[derive(Debug, Clone)]
pub struct Config {
    pub endpoint: EndpointConfig,
    pub dataset: DatasetConfig,
    pub cache_bust: CacheBust,
    /// Present when any warmup trigger was given.
    pub warmup: Option<PhaseConfig>,
    pub profiling: PhaseConfig,
    /// The scenario that the run is held to, where one was named.
    pub scenario: Option<Scenario>,
    /// Several lanes of an agentic replay may begin with the same recorded session.
    pub allow_dataset_wrap: bool,
    pub output: OutputConfig,
    /// `None`: latencies are only shown as they are.
    pub network_latency: Option<NetworkLatency>,
    /// What must be known, and how well, for the run to end early; all of it.
    pub until_ci: Vec<CiTarget>,
    /// Of all confidence intervals.
    pub confidence_level: f64,
    /// `None`: not repeatable, drawn from the operating system.
    pub random_seed: Option<u64>,
    /// `None`: sized to the machine.
    pub workers_max: Option<usize>,
    pub record_processors: Option<usize>,
    /// Share of failed requests above which the run is given up.
    pub failed_request_threshold: Option<f64>,
    /// How long nothing but connection failures may come back before the run is ended; `None`: for ever.
    pub unreachable_timeout: Option<Duration>,
    /// What the environment variables say.
    pub tuning: Tuning,
    /// The command line that repeats this run, with secrets redacted.
    pub command_line: String,
    /// Things the user should know before the run starts; printed as warnings.
    pub warnings: Vec<String>,
}
