//! The summary as JSON, schema version 1.4. Absent values are left out, never null; numbers are always finite.

use aiperf_metrics::{
    ClientLoad, Confidence, FailureGroup, Interval, Metric, MetricKind, MetricResult, Percentile, Stats, Summary,
};
use serde_json::{Map, Number, Value, json};

use crate::records::record::ErrorDetails;
use crate::records::spec_decode;
use crate::validity::json as validity;
use crate::{PhaseReport, RunPlace, RunReport};

use super::{health, phases, steady, timestamps};

const SCHEMA_VERSION: &str = "1.4";

/// Metrics that come first, in this order; all others follow the run's own fields in catalogue order.
const LEADING: [Metric; 25] = [
    Metric::RequestThroughput,
    Metric::RequestLatency,
    Metric::RequestCount,
    Metric::TimeToFirstToken,
    Metric::TimeToSecondToken,
    Metric::InterTokenLatency,
    Metric::OutputTokenThroughput,
    Metric::OutputTokenThroughputPerUser,
    Metric::OutputSequenceLength,
    Metric::InputSequenceLength,
    Metric::Goodput,
    Metric::GoodRequestCount,
    Metric::OutputTokenCount,
    Metric::ReasoningTokenCount,
    Metric::MinRequestTimestamp,
    Metric::MaxResponseTimestamp,
    Metric::InterChunkLatency,
    Metric::TotalOutputTokens,
    Metric::TotalReasoningTokens,
    Metric::BenchmarkDuration,
    Metric::TotalIsl,
    Metric::TotalOsl,
    Metric::ErrorRequestCount,
    Metric::ErrorIsl,
    Metric::TotalErrorIsl,
];

/// The summary as its JSON file has it.
pub fn summary_document(report: &RunReport) -> Value {
    run_summary(report)
}

/// The summary of the whole run.
pub(crate) fn run_summary(report: &RunReport) -> Value {
    let mut object = phase_object(report, &report.profiling, report.telemetry_data.as_ref());
    if !report.accounting.is_empty() {
        let counts = report.accounting.iter().map(phases::accounting).collect();
        object.insert("phase_accounting".to_owned(), counts);
    }
    if report.is_joined() {
        object.insert("phase_results".to_owned(), phases::results(report));
    }
    if report.lost.any() {
        object.insert("records_lost".to_owned(), report.lost.count.into());
    }
    if let Some(client) = &report.client_health {
        object.insert("client_health".to_owned(), health::client_health(client));
    }
    if let Some(stamps) = &report.timestamps {
        object.insert("timestamps".to_owned(), timestamps::timestamps(stamps));
    }
    if let Some(citation) = &report.selftest {
        let reached = ClientLoad::of(&report.profiling.summary);
        object.insert("selftest".to_owned(), citation.json(reached.as_ref()));
    }
    if let Some(metrics) = &report.server_metrics {
        object.insert("server_metrics".to_owned(), metrics.json());
    }
    if let Some(steady) = &report.profiling.summary.steady {
        object.insert("steady_state".to_owned(), steady::json(steady, &report.profiling.summary));
    }
    object.insert("validity".to_owned(), validity::validity(&report.validity()));
    for (key, value) in &report.carried {
        match (object.get_mut(key), value) {
            (Some(Value::Array(notes)), Value::Array(earlier)) if key == "validity" => {
                validity::carry_over(notes, earlier);
            }
            (Some(_), _) => {}
            (None, value) => drop(object.insert(key.clone(), value.clone())),
        }
    }
    if let Some(accuracy) = &report.accuracy {
        accuracy.put(&mut object);
    }
    if let Some(branches) = &report.branch_stats {
        object.insert("branch_stats".to_owned(), branches.clone());
    }
    if let Some(replay) = &report.agentic_replay {
        object.insert("agentic_replay".to_owned(), replay.clone());
    }
    if let Some(warmup) = &report.warmup {
        let metrics = warmup.summary.results.iter().map(|result| (result.metric.tag().to_owned(), metric(result, &[])));
        object.insert("warmup_metrics".to_owned(), Value::Object(metrics.collect()));
    }
    put_acceptance(&mut object, &report.profiling.summary);
    put_other_metrics(&mut object, &report.profiling);
    if let Some(metadata) = &report.metadata {
        object.insert("metadata".to_owned(), metadata.clone());
    }
    Value::Object(object)
}

/// The summary of one phase, for its own file.
pub(crate) fn phase_summary(report: &RunReport, phase: &PhaseReport) -> Value {
    let mut object = phase_object(report, phase, None);
    put_acceptance(&mut object, &phase.summary);
    put_other_metrics(&mut object, phase);
    Value::Object(object)
}

fn phase_object(report: &RunReport, phase: &PhaseReport, telemetry: Option<&Value>) -> Map<String, Value> {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("schema_version", SCHEMA_VERSION.into());
    put("aiperf_version", report.aiperf_version.clone().into());
    put("benchmark_id", report.benchmark_id.clone().into());
    for lead in LEADING {
        if let Some(result) = phase.summary.results.iter().find(|result| result.metric == lead) {
            put(lead.tag(), metric(result, &phase.percentiles.named(lead)));
        }
    }
    if let Some(telemetry) = telemetry {
        put("telemetry_data", telemetry.clone());
    }
    put("input_config", report.input_config.clone());
    put("run_info", run_info(report));
    put("was_cancelled", report.ending.outcome.is_stopped().into());
    let reason = report.ending.incomplete_reason();
    put("is_complete", reason.is_none().into());
    if let Some(reason) = reason {
        put("incomplete_reason", reason.into());
    }
    put("error_summary", error_summary(&phase.summary.failures));
    put("start_time", report.zone.iso(phase.summary.start).into());
    put("end_time", report.zone.iso(phase.summary.end).into());
    object
}

fn put_acceptance(object: &mut Map<String, Value>, summary: &Summary) {
    if !summary.spec_decode_acceptance.is_empty() {
        let pooled = spec_decode::histogram(&summary.spec_decode_acceptance);
        object.insert("pooled_spec_decode_acceptance_histogram".to_owned(), pooled);
    }
}

fn put_other_metrics(object: &mut Map<String, Value>, phase: &PhaseReport) {
    for result in phase.summary.results.iter().filter(|result| !LEADING.contains(&result.metric)) {
        object.insert(result.metric.tag().to_owned(), metric(result, &phase.percentiles.named(result.metric)));
    }
}

fn run_info(report: &RunReport) -> Value {
    let mut info = Map::new();
    let mut put = |key: &str, value: Value| info.insert(key.to_owned(), value);
    let place = report.place.as_ref();
    put("benchmark_id", report.benchmark_id.clone().into());
    if let Some(place) = place {
        put("sweep_id", place.sweep_id.clone().into());
    }
    if let Some(seed) = report.random_seed {
        put("random_seed", seed.into());
    }
    put("trial", place.map_or(0, |place| place.trial).into());
    if let Some(RunPlace { label, variation, .. }) = place {
        put("run_label", label.clone().into());
        put("variation_label", variation.label.clone().into());
        put("variation_index", variation.index.into());
        put("variation_values", Value::Object(variation.values.clone()));
    }
    put("cli_command", report.cli_command.clone().into());
    Value::Object(info)
}

/// Failures that say the same, with how often they came.
pub(crate) fn error_summary(failures: &[FailureGroup]) -> Value {
    let entry = |group: &FailureGroup| json!({"error_details": ErrorDetails(&group.failure), "count": group.count});
    failures.iter().map(entry).collect()
}

/// All that is known of a metric. `asked`: percentiles beyond the usual ones, with their names.
pub(crate) fn metric(result: &MetricResult, asked: &[(String, f64)]) -> Value {
    let mut metric = plain_metric(result, asked);
    if let Value::Object(object) = &mut metric {
        for percentile in Percentile::RARE {
            let value = result.stats.percentile(percentile).and_then(Number::from_f64);
            object.extend(value.map(|number| (percentile.name().to_owned(), Value::Number(number))));
        }
        object.extend(result.confidence.as_ref().map(|known| ("ci".to_owned(), interval_object(known))));
    }
    metric
}

/// What the reference has of a metric.
pub(crate) fn plain_metric(result: &MetricResult, asked: &[(String, f64)]) -> Value {
    let Stats { avg, min, max, std, count, sum, .. } = result.stats;
    let mut object = Map::new();
    object.insert("unit".to_owned(), result.metric.definition().shown.label().into());
    let mut put = |key: &str, value: Option<f64>| {
        if let Some(number) = value.and_then(Number::from_f64) {
            object.insert(key.to_owned(), Value::Number(number));
        }
    };
    put("avg", avg);
    for percentile in Percentile::REFERENCE {
        put(percentile.name(), result.stats.percentile(percentile));
    }
    for (name, value) in asked {
        put(name, Some(*value));
    }
    put("min", min);
    put("max", max);
    put("std", std);
    if let Some(count) = count {
        object.insert("count".to_owned(), count.into());
    }
    // What a ratio adds up is counted; other sums have the unit of their values.
    let counted = result.metric.definition().kind == MetricKind::Derived;
    if let Some(number) =
        sum.and_then(|sum| if counted { Some(Number::from(sum as u64)) } else { Number::from_f64(sum) })
    {
        object.insert("sum".to_owned(), Value::Number(number));
    }
    Value::Object(object)
}

/// The `ci` object: the level, both ends for each statistic, and the statistics that too few samples support.
fn interval_object(confidence: &Confidence) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("level", confidence.level.get().into());
    // It is an estimate: more digits would only be noise.
    put("effective_samples", ((confidence.effective_samples * 10.0).round() / 10.0).into());
    let percentiles = Percentile::ALL.map(|percentile| (percentile.name(), confidence.percentile(percentile)));
    for (name, surety) in std::iter::once(("avg", confidence.avg)).chain(percentiles) {
        if let Some(Interval { low, high }) = surety.interval() {
            put(name, json!([low, high]));
        }
    }
    let unsupported: Vec<&str> = confidence.unsupported().collect();
    if !unsupported.is_empty() {
        put("unsupported", unsupported.into());
    }
    Value::Object(object)
}
