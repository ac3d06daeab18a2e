//! The statistics as one JSON document, schema version 1.1 of the reference. Fields of ours: `engines`, `notes` of an endpoint, and the
//! bounds of percentiles. Absent values are left out, never null.

use aiperf_clock::Nanos;
use aiperf_telemetry::prometheus::Labels;
use aiperf_telemetry::series::{GaugeStatistics, HistogramIncrease, Window};
use aiperf_telemetry::server::{
    EndpointReport, FetchStatistics, MetricReport, SeriesReport, SeriesStatistics, SliceReport,
};
use serde_json::{Map, Value, json};

use super::{EngineSummary, ServerMetricsExport};

const SCHEMA_VERSION: &str = "1.1";

pub(super) fn document(export: &ServerMetricsExport<'_>) -> Value {
    let metrics: Map<String, Value> =
        export.metrics.metrics.iter().map(|report| (report.name.clone(), metric(export, report))).collect();
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("schema_version", SCHEMA_VERSION.into());
    put("aiperf_version", export.aiperf_version.into());
    put("benchmark_id", export.benchmark_id.into());
    put("summary", summary(export));
    put("metrics_phase", "profiling".into());
    put("engines", export.metrics.engines.iter().map(|report| json!(EngineSummary::new(report))).collect());
    put("metrics", Value::Object(metrics));
    put("input_config", export.input_config.clone());
    Value::Object(object)
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

fn metric(export: &ServerMetricsExport<'_>, report: &MetricReport) -> Value {
    let mut object = Map::new();
    object.insert("type".to_owned(), report.kind.name().into());
    object.insert("description".to_owned(), report.description.clone().into());
    if let Some(unit) = &report.unit {
        object.insert("unit".to_owned(), unit.clone().into());
    }
    object.insert("series".to_owned(), report.series.iter().map(|one| series(export, one)).collect());
    Value::Object(object)
}

fn series(export: &ServerMetricsExport<'_>, series: &SeriesReport) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("endpoint_url", series.endpoint_url.clone().into());
    if !series.labels.is_empty() {
        put("labels", labels(&series.labels));
    }
    put("stats", statistics(&series.statistics, export.metrics.window));
    if let SeriesStatistics::Histogram(increase) = &series.statistics
        && increase.count > 0.0
    {
        put("buckets", buckets(increase));
        put("percentile_bounds", percentile_bounds(increase));
    }
    if !series.slices.is_empty() {
        put("timeslices", series.slices.iter().map(|one| slice(export, one)).collect());
    }
    Value::Object(object)
}

pub(super) fn labels(labels: &Labels) -> Value {
    labels.iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect::<Map<_, _>>().into()
}

fn slice(export: &ServerMetricsExport<'_>, slice: &SliceReport) -> Value {
    let mut object = Map::new();
    object.insert("start_ns".to_owned(), export.epoch(slice.window.start()).into());
    object.insert("end_ns".to_owned(), export.epoch(slice.window.end()).into());
    if !slice.is_complete {
        object.insert("is_complete".to_owned(), false.into());
    }
    match &slice.statistics {
        SeriesStatistics::Gauge(gauge) => {
            put_numbers(&mut object, [("avg", gauge.avg), ("min", gauge.min), ("max", gauge.max)]);
        }
        SeriesStatistics::Counter { total, rate, .. } => put_numbers(&mut object, [("total", *total), ("rate", *rate)]),
        SeriesStatistics::Histogram(increase) => {
            put_count_and_sum(&mut object, increase.count, increase.sum);
            if increase.count > 0.0 {
                object.insert("buckets".to_owned(), buckets(increase));
            }
        }
        SeriesStatistics::Summary { count, sum, .. } => put_count_and_sum(&mut object, *count, *sum),
    }
    Value::Object(object)
}

fn put_numbers<const N: usize>(object: &mut Map<String, Value>, numbers: [(&str, f64); N]) {
    object.extend(numbers.map(|(key, value)| (key.to_owned(), json!(value))));
}

fn put_count_and_sum(object: &mut Map<String, Value>, count: f64, sum: f64) {
    object.insert("count".to_owned(), whole(count));
    if count > 0.0 {
        put_numbers(object, [("sum", sum), ("avg", sum / count)]);
    }
}

/// A count without a fraction.
fn whole(count: f64) -> Value {
    (count.round().max(0.0) as u64).into()
}

fn statistics(statistics: &SeriesStatistics, window: Window) -> Value {
    let seconds = window.length().as_secs_f64();
    let per_second = |amount: f64| if seconds > 0.0 { amount / seconds } else { 0.0 };
    let mut object = Map::new();
    match statistics {
        SeriesStatistics::Gauge(gauge) => put_gauge(&mut object, gauge),
        SeriesStatistics::Counter { total, rate, slices } => {
            put_numbers(&mut object, [("total", *total), ("rate", *rate)]);
            if let Some(spread) = slices {
                put_numbers(
                    &mut object,
                    [
                        ("rate_avg", spread.avg),
                        ("rate_min", spread.min),
                        ("rate_max", spread.max),
                        ("rate_std", spread.std),
                    ],
                );
            }
        }
        SeriesStatistics::Histogram(increase) => {
            put_count_and_sum(&mut object, increase.count, increase.sum);
            if increase.count > 0.0 {
                let rates = [("count_rate", per_second(increase.count)), ("sum_rate", per_second(increase.sum))];
                put_numbers(&mut object, rates);
                for percent in GaugeStatistics::PERCENTILES {
                    if let Some(estimate) = increase.percentile(f64::from(percent)) {
                        object.insert(format!("p{percent}_estimate"), json!(estimate.value));
                    }
                }
            }
        }
        SeriesStatistics::Summary { count, sum, quantiles } => {
            put_count_and_sum(&mut object, *count, *sum);
            put_numbers(&mut object, [("count_rate", per_second(*count)), ("sum_rate", per_second(*sum))]);
            let quantiles: Map<String, Value> =
                quantiles.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            object.insert("quantiles".to_owned(), quantiles.into());
        }
    }
    Value::Object(object)
}

fn put_gauge(object: &mut Map<String, Value>, gauge: &GaugeStatistics) {
    put_numbers(object, [("avg", gauge.avg), ("min", gauge.min), ("max", gauge.max), ("std", gauge.std)]);
    for (percent, value) in GaugeStatistics::PERCENTILES.iter().zip(gauge.percentiles) {
        object.insert(format!("p{percent}"), json!(value));
    }
}

fn buckets(increase: &HistogramIncrease) -> Value {
    increase.buckets.iter().map(|(bound, count)| (bound.text.clone(), whole(*count))).collect::<Map<_, _>>().into()
}

/// The bucket that each percentile lies in; without `high` in the last one.
fn percentile_bounds(increase: &HistogramIncrease) -> Value {
    let mut object = Map::new();
    for percent in GaugeStatistics::PERCENTILES {
        if let Some(estimate) = increase.percentile(f64::from(percent)) {
            let mut bounds = Map::new();
            bounds.insert("low".to_owned(), json!(estimate.low));
            if estimate.high.is_finite() {
                bounds.insert("high".to_owned(), json!(estimate.high));
            }
            object.insert(format!("p{percent}"), bounds.into());
        }
    }
    object.into()
}
