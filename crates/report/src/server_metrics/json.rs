//! The statistics as one JSON document, schema version 1.1 of the reference. Fields of ours: `engines`, `notes` of an endpoint, and the
//! bounds of percentiles. Absent values are left out, never null.

use aiperf_clock::Nanos;
use aiperf_telemetry::server::{EndpointReport, FetchStatistics};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::series_json::MetricMap;
use super::{EngineSummary, ServerMetricsExport};
use crate::folder::part_file::indented;

const SCHEMA_VERSION: &str = "1.1";

#[derive(Serialize)]
struct MetricsDocument<'a> {
    schema_version: &'static str,
    aiperf_version: &'a str,
    benchmark_id: &'a str,
    summary: Value,
    metrics_phase: &'static str,
    engines: Vec<EngineSummary>,
    metrics: MetricMap<'a>,
    input_config: &'a Value,
}

pub(super) fn document(export: &ServerMetricsExport<'_>) -> String {
    let document = MetricsDocument {
        schema_version: SCHEMA_VERSION,
        aiperf_version: export.aiperf_version,
        benchmark_id: export.benchmark_id,
        summary: summary(export),
        metrics_phase: "profiling",
        engines: export.metrics.engines.iter().map(EngineSummary::new).collect(),
        metrics: MetricMap(export),
        input_config: export.input_config,
    };
    indented(&document, 0)
}

fn summary(export: &ServerMetricsExport<'_>) -> Value {
    let window = export.metrics.window;
    let endpoints = &export.metrics.endpoints;
    let urls = |wanted: &dyn Fn(&EndpointReport) -> bool| -> Vec<&str> {
        endpoints.iter().filter(|endpoint| wanted(endpoint)).map(|endpoint| endpoint.url.as_str()).collect()
    };
    let info: Map<String, Value> =
        endpoints.iter().map(|endpoint| (endpoint.url.clone(), endpoint_info(export, endpoint))).collect();
    let ranges: Map<String, Value> = export
        .phases
        .iter()
        .map(|(name, start, end)| {
            ((*name).to_owned(), json!({"start_ns": export.epoch(*start), "end_ns": export.epoch(*end)}))
        })
        .collect();
    json!({
        "endpoints_configured": urls(&|_| true),
        "endpoints_successful": urls(&|endpoint| endpoint.has_pages),
        "start_time": export.zone.iso(export.anchor.epoch(window.start())),
        "end_time": export.zone.iso(export.anchor.epoch(window.end())),
        "endpoint_info": info,
        "phase_time_ranges": ranges,
    })
}

fn endpoint_info(export: &ServerMetricsExport<'_>, endpoint: &EndpointReport) -> Value {
    let FetchStatistics { fetches, first_fetch, last_fetch, latency_sum, updates } = &endpoint.fetched;
    let mut info = Map::new();
    let mut put = |key: &str, value: Value| info.insert(key.to_owned(), value);
    put("total_fetches", (*fetches).into());
    if let (Some(first), Some(last)) = (first_fetch, last_fetch) {
        put("first_fetch_ns", export.epoch(*first).into());
        put("last_fetch_ns", export.epoch(*last).into());
        put("avg_fetch_latency_ms", json!(latency_sum.as_millis_f64() / (*fetches).max(1) as f64));
    }
    put("unique_updates", updates.len().into());
    if let (Some(first), Some(last)) = (updates.first(), updates.last()) {
        put("first_update_ns", export.epoch(*first).into());
        put("last_update_ns", export.epoch(*last).into());
        put("duration_seconds", json!(last.since(*first).as_secs_f64()));
        let mut gaps: Vec<Nanos> = updates.windows(2).map(|pair| pair[1].since(pair[0])).collect();
        gaps.sort_unstable();
        if let Some(half) = gaps.len().checked_sub(1).map(|last| last / 2) {
            let median = u64::midpoint(gaps[half].0, gaps[gaps.len() / 2].0);
            put("avg_update_interval_ms", json!(last.since(*first).as_millis_f64() / gaps.len() as f64));
            put("median_update_interval_ms", json!(Nanos(median).as_millis_f64()));
        }
    }
    if !endpoint.problems.is_empty() {
        put("notes", endpoint.problems.iter().map(ToString::to_string).collect());
    }
    Value::Object(info)
}
