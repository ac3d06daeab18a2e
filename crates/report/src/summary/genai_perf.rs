//! The summary as GenAI-Perf, the reference's predecessor, wrote it, for scripts that still look for its files. The numbers
//! are by its definitions, too, which leave reasoning out.

use aiperf_metrics::{Metric, MetricResult, Percentile};
use serde_json::{Map, Value, json};

use aiperf_table::csv::{LINE_END, number};

/// Metric, its key and its name there, in the order of its files.
const WITH_STATISTICS: [(Metric, &str, &str); 9] = [
    (Metric::TimeToFirstToken, "time_to_first_token", "Time To First Token (ms)"),
    (Metric::TimeToSecondToken, "time_to_second_token", "Time To Second Token (ms)"),
    (Metric::RequestLatency, "request_latency", "Request Latency (ms)"),
    (Metric::InterTokenLatency, "inter_token_latency", "Inter Token Latency (ms)"),
    (
        Metric::OutputTokenThroughputPerUser,
        "output_token_throughput_per_user",
        "Output Token Throughput Per User (tokens/sec/user)",
    ),
    (Metric::OutputSequenceLength, "output_sequence_length", "Output Sequence Length (tokens)"),
    (Metric::InputSequenceLength, "input_sequence_length", "Input Sequence Length (tokens)"),
    (Metric::ImageThroughput, "image_throughput", "Image Throughput (images/sec)"),
    (Metric::ImageLatency, "image_latency", "Image Latency (ms/image)"),
];
const SINGLE: [(Metric, &str, &str); 4] = [
    (Metric::OutputTokenThroughput, "output_token_throughput", "Output Token Throughput (tokens/sec)"),
    (Metric::RequestThroughput, "request_throughput", "Request Throughput (per sec)"),
    (Metric::Goodput, "request_goodput", "Request Goodput (per sec)"),
    (Metric::RequestCount, "request_count", "Request Count (count)"),
];

pub(crate) fn json(results: &[MetricResult], input_config: &Value) -> Value {
    let mut object = Map::new();
    for (result, key, _) in found(results, &SINGLE) {
        let unit = if result.metric == Metric::RequestCount { "count" } else { unit(result) };
        object.insert(key.to_owned(), json!({"unit": unit, "avg": finite(result.stats.avg)}));
    }
    for (result, key, _) in found(results, &WITH_STATISTICS) {
        let mut metric = Map::new();
        metric.insert("unit".to_owned(), unit(result).into());
        metric.insert("avg".to_owned(), finite(result.stats.avg));
        for percentile in Percentile::REFERENCE {
            metric.insert(percentile.name().to_owned(), finite(result.stats.percentile(percentile)));
        }
        for (name, value) in [("min", result.stats.min), ("max", result.stats.max), ("std", result.stats.std)] {
            metric.insert(name.to_owned(), finite(value));
        }
        object.insert(key.to_owned(), Value::Object(metric));
    }
    object.insert("telemetry_stats".to_owned(), json!({}));
    object.insert("input_config".to_owned(), input_config.clone());
    Value::Object(object)
}

pub(crate) fn csv(results: &[MetricResult]) -> String {
    let mut text = String::from("Metric,avg,min,max,p99,p95,p90,p75,p50,p25,p10,p5,p1");
    text.push_str(LINE_END);
    for (MetricResult { stats, .. }, _, name) in found(results, &WITH_STATISTICS) {
        let percentiles = Percentile::REFERENCE.into_iter().rev().map(|percentile| stats.percentile(percentile));
        let cells: Vec<String> = [stats.avg, stats.min, stats.max].into_iter().chain(percentiles).map(number).collect();
        text.push_str(&format!("{name},{}{LINE_END}", cells.join(",")));
    }
    text.push_str(&format!("{LINE_END}Metric,Value{LINE_END}"));
    for (result, _, name) in found(results, &SINGLE) {
        text.push_str(&format!("{name},{}{LINE_END}", number(result.stats.avg)));
    }
    text
}

fn found<'a>(
    results: &'a [MetricResult],
    wanted: &'a [(Metric, &'static str, &'static str)],
) -> impl Iterator<Item = (&'a MetricResult, &'static str, &'static str)> {
    wanted.iter().filter_map(|(metric, key, name)| {
        let result = results.iter().find(|result| result.metric == *metric)?;
        Some((result, *key, *name))
    })
}

fn unit(result: &MetricResult) -> &'static str {
    result.metric.definition().shown.label()
}

fn finite(value: Option<f64>) -> Value {
    value.filter(|value| value.is_finite()).map_or(Value::Null, Value::from)
}
