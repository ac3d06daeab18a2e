//! Server metrics, which are not collected yet.

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

/// Telemetry is never collected: switching it off changes nothing, and switching it on has no effect.
pub(super) fn resolve(raw: &RawOptions, warnings: &mut Vec<String>) -> Result<(), ConfigError> {
    let id = OptionId::NoServerMetrics;
    if raw.is_given(id) && !raw.flag(id)? {
        warnings.push(format!("{}=false has no effect: {SERVER_METRICS_NOT_COLLECTED}", raw.spelling(id)));
    }
    Ok(())
}
