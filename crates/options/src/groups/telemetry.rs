//! Server metrics and GPU telemetry, of which neither is collected yet.

use crate::catalogue::{OptionId, OptionSpec, Tokens, ValueKind};
use crate::{ConfigError, RawOptions};

const SERVER_METRICS_NOT_COLLECTED: &str = "server metrics are not collected yet, and their files are not written";

pub(crate) const SERVER_METRICS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::ServerMetrics,
        &["server-metrics", "server-metrics-url"],
        ValueKind::Text,
        "Prometheus pages to scrape during the run, in addition to the server's own.",
    )
    .several(Tokens::Any)
    .ignored(SERVER_METRICS_NOT_COLLECTED),
    OptionSpec::new(
        OptionId::NoServerMetrics,
        &["no-server-metrics"],
        ValueKind::Flag,
        "Do not scrape the server's metrics.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::ServerMetricsFormats,
        &["server-metrics-formats"],
        ValueKind::Choice(&["json", "csv", "jsonl", "parquet"]),
        "File formats for the scraped server metrics.",
    )
    .several(Tokens::Any)
    .default("json, csv")
    .ignored(SERVER_METRICS_NOT_COLLECTED),
];

const GPU_TELEMETRY_NOT_COLLECTED: &str = "GPU telemetry is not collected yet, and its files are not written";

/// GPU Telemetry: readings of the GPUs.
pub(crate) const GPU_TELEMETRY: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::GpuTelemetry,
        &["gpu-telemetry"],
        ValueKind::Text,
        "Sources of GPU telemetry: `pynvml`, `amdsmi`, DCGM URLs, or a CSV file of metrics.",
    )
    .several(Tokens::Any)
    .default("DCGM on ports 9400 and 9401 of this machine")
    .ignored(GPU_TELEMETRY_NOT_COLLECTED),
    OptionSpec::new(OptionId::NoGpuTelemetry, &["no-gpu-telemetry"], ValueKind::Flag, "Do not collect GPU telemetry.")
        .supported(),
];

/// Telemetry is never collected: switching it off changes nothing, and switching it on has no effect.
pub(super) fn resolve(raw: &RawOptions, warnings: &mut Vec<String>) -> Result<(), ConfigError> {
    for (id, why) in [
        (OptionId::NoServerMetrics, SERVER_METRICS_NOT_COLLECTED),
        (OptionId::NoGpuTelemetry, GPU_TELEMETRY_NOT_COLLECTED),
    ] {
        if raw.is_given(id) && !raw.flag(id)? {
            warnings.push(format!("{}=false has no effect: {why}", raw.spelling(id)));
        }
    }
    Ok(())
}
