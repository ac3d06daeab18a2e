//! Metrics that servers publish about themselves.

use aiperf_address::{Address, Scheme};
use aiperf_config::{Scraping, ServerMetricsConfig, ServerMetricsFormat};

use crate::catalogue::{OptionId, OptionSpec, Tokens, ValueKind};
use crate::{ConfigError, RawOptions};

/// Server Metrics: Prometheus pages of the servers.
pub(crate) const SERVER_METRICS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::ServerMetrics,
        &["server-metrics", "server-metrics-url"],
        ValueKind::Text,
        "Prometheus pages to scrape during the run, in addition to `/metrics` of each --url. `http://` and `/metrics` are added \
         if they are missing: `host:9400` is http://host:9400/metrics.",
    )
    .several(Tokens::Any)
    .supported(),
    OptionSpec::new(
        OptionId::NoServerMetrics,
        &["no-server-metrics"],
        ValueKind::Flag,
        "Do not scrape the servers' metrics.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::ServerMetricsFormats,
        &["server-metrics-formats"],
        ValueKind::Choice(&["json", "csv", "jsonl", "parquet"]),
        "File formats for the scraped server metrics: statistics of the profiling phase as JSON or CSV, every scrape as JSON \
         lines, every value of the profiling phase as Parquet.",
    )
    .several(Tokens::Any)
    .default("json, csv")
    .supported(),
    OptionSpec::new(
        OptionId::ServerMetricsRequired,
        &["server-metrics-required"],
        ValueKind::Flag,
        "Do not start the run unless each metrics page can be read: all pages of --server-metrics, or without that option the page of each server.",
    )
    .ours()
    .supported(),
];

pub(super) fn resolve(raw: &RawOptions, scraping: Scraping) -> Result<Option<ServerMetricsConfig>, ConfigError> {
    if raw.flag(OptionId::NoServerMetrics)? {
        let others = [OptionId::ServerMetrics, OptionId::ServerMetricsFormats, OptionId::ServerMetricsRequired];
        return match others.into_iter().find(|other| raw.is_given(*other)) {
            Some(other) => {
                Err(raw.conflict(OptionId::NoServerMetrics, other, "server metrics are either collected or not"))
            }
            None => Ok(None),
        };
    }
    let mut urls = Vec::new();
    for text in raw.list(OptionId::ServerMetrics) {
        let bad = |expected: &str| raw.bad(OptionId::ServerMetrics, text, expected);
        let address = Address::parse(text, Scheme::Http).map_err(|error| bad(&error.to_string()))?;
        if address.scheme().is_grpc() {
            return Err(bad("metrics pages are served over HTTP; use http:// or https://"));
        }
        if address.credentials().is_some() {
            return Err(bad("a user name or password cannot be sent to a metrics page"));
        }
        urls.push(address);
    }
    let mut formats = Vec::new();
    for text in raw.list(OptionId::ServerMetricsFormats) {
        let known = ServerMetricsFormat::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(text));
        let format = known.ok_or_else(|| {
            raw.bad(OptionId::ServerMetricsFormats, text, "the formats are json, csv, jsonl and parquet")
        })?;
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    if formats.is_empty() {
        formats.extend(ServerMetricsFormat::DEFAULT);
    }
    let required = raw.flag(OptionId::ServerMetricsRequired)?;
    Ok(Some(ServerMetricsConfig { urls, required, formats, scraping }))
}
