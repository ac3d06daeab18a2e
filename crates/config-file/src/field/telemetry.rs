//! What is known of servers and GPUs: `benchmark.gpuTelemetry`, `benchmark.serverMetrics`, `benchmark.networkLatency`.

use aiperf_options::catalogue::OptionId;

use super::Form::{Duration, Flag, List, NegatedFlag, Own, Scalar};
use super::{Field, OwnForm};

pub(crate) const GPU_TELEMETRY: &[Field] = &[
    Field::new("enabled", NegatedFlag(OptionId::NoGpuTelemetry)),
    // All of these are items of one option.
    Field::new("urls", List(OptionId::GpuTelemetry)).alias("url"),
    Field::new("metrics_file", List(OptionId::GpuTelemetry)),
    Field::new("collector", Own(OwnForm::GpuCollector)),
    Field::new("mode", Own(OwnForm::GpuView)),
];

pub(crate) const SERVER_METRICS: &[Field] = &[
    Field::new("enabled", NegatedFlag(OptionId::NoServerMetrics)),
    Field::new("urls", List(OptionId::ServerMetrics)).alias("url"),
    Field::new("formats", List(OptionId::ServerMetricsFormats)),
    Field::new("discovery", Own(OwnForm::Discovery)),
    Field::new("required", Flag(OptionId::ServerMetricsRequired)),
];

pub(crate) const NETWORK_LATENCY: &[Field] = &[
    Field::new("enabled", Flag(OptionId::NetworkLatencyAutomatic)),
    Field::new("ping_interval", Duration(OptionId::NetworkLatencyPingInterval)),
    Field::new("mean_ms", Scalar(OptionId::NetworkLatencyMean)),
];
