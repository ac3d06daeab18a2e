//! Live metrics of a run: one value of each every few seconds. The step is the time since the phase began in seconds.

use aiperf_live::{Snapshot, Spread};

use crate::store::MetricValue;

/// The values of a snapshot; empty before the first phase.
pub(crate) fn live_metrics(snapshot: &Snapshot) -> Vec<MetricValue> {
    let Some(phase) = snapshot.current_phase() else { return Vec::new() };
    let (at_ms, step) = (snapshot.at_ns / 1_000_000, phase.elapsed as i64);
    let mut values: Vec<(String, f64)> = Vec::new();
    let counters = [
        ("requests.sent", phase.sent as f64),
        ("requests.completed", (phase.completed + phase.failed) as f64),
        ("requests.errors", phase.failed as f64),
        ("requests.cancelled", phase.cancelled as f64),
        ("requests.in_flight", phase.in_flight as f64),
        ("sessions.sent", phase.sessions_sent as f64),
        ("sessions.completed", phase.sessions_completed as f64),
        ("phase.elapsed_sec", phase.elapsed),
    ];
    values.extend(counters.map(|(name, value)| (format!("live.aiperf.timing.{name}.{}", phase.kind.name()), value)));
    let headline = &snapshot.headline;
    values.push(("live.requests_per_second".into(), headline.requests_per_second));
    values.extend(headline.output_tokens_per_second.map(|rate| ("live.output_tokens_per_second".into(), rate)));
    for (name, spread) in [
        ("time_to_first_token", headline.ttft),
        ("inter_token_latency", headline.itl),
        ("request_latency", headline.latency),
    ] {
        values.extend(window(name, spread));
    }
    values.extend(snapshot.metrics.iter().map(|row| (format!("live.aiperf.{}", row.tag), row.avg)));
    values.extend(snapshot.server.iter().map(|row| (format!("live.server.{}", row.tag), row.value)));
    for gpu in &snapshot.gpus {
        let readings = [("power_watts", gpu.power_watts), ("utilization_percent", gpu.utilization_percent)];
        let named = readings.into_iter().filter_map(|(name, value)| Some((name, value?)));
        values.extend(named.map(|(name, value)| (format!("live.gpu.{}.{name}", gpu.index), value)));
    }
    let finite = values.into_iter().filter(|(_, value)| value.is_finite());
    finite.map(|(key, value)| MetricValue { key, value, at_ms, step }).collect()
}

/// Percentiles of the last ten seconds, in milliseconds.
fn window(name: &str, spread: Spread) -> Vec<(String, f64)> {
    let percentiles = spread.window.map(|window| [("p50", window.p50), ("p99", window.p99)]);
    let percentiles = percentiles.into_iter().flatten();
    percentiles.map(|(percentile, value)| (format!("live.{name}.{percentile}"), value)).collect()
}
