//! Where the values of a metric come from.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DataSource {
    Requests,
    Timeslices,
    GpuTelemetry,
    /// The summary of a run.
    Aggregated,
    ServerMetrics,
    ServerMetricsAggregated,
}

/// Beginnings of names that servers use.
const SERVER_PREFIXES: [&str; 12] = [
    "vllm_",
    "sglang_",
    "trtllm_",
    "nv_",
    "http_",
    "dynamo_",
    "nvidia_",
    "dcgm_",
    "gpu_",
    "process_",
    "node_",
    "container_",
];
/// Ends of names that servers use.
const SERVER_SUFFIXES: [&str; 9] = ["_total", "_count", "_sum", "_bucket", "_seconds", "_ms", "_us", "_ns", "_bytes"];

impl DataSource {
    /// As configuration files and reasons spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Timeslices => "timeslices",
            Self::GpuTelemetry => "gpu_telemetry",
            Self::Aggregated => "aggregated",
            Self::ServerMetrics => "server_metrics",
            Self::ServerMetricsAggregated => "server_metrics_aggregated",
        }
    }

    /// What to do to get this data.
    pub(crate) const fn advice(self) -> &'static str {
        match self {
            Self::Requests => "the folder has no records of single requests (profile_export.jsonl)",
            Self::Timeslices => "the run has no time slices; run with --slice-duration",
            Self::GpuTelemetry => "the run has no GPU telemetry; run with --gpu-telemetry",
            Self::Aggregated => "the folder has no summary (profile_export_aiperf.json)",
            Self::ServerMetrics | Self::ServerMetricsAggregated => {
                "the run has no server metrics; the server must have a metrics page, see --server-metrics"
            }
        }
    }
}

/// Whether a name looks like one of a server's metrics page.
pub(crate) fn looks_like_server_metric(name: &str) -> bool {
    name.contains(':')
        || SERVER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || SERVER_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}
