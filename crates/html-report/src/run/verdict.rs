//! R1: the answer to "may I quote these numbers?", in one sentence, and the figures of the strip below it.

use serde_json::{Value, json};

use crate::number::short;
use crate::run::requests::Requests;
use crate::run::slo::{SloLimit, good_requests};
use crate::time_bins::TimeBins;

pub(crate) fn json(requests: &Requests, summary: &Value, slos: &[SloLimit], bins: &TimeBins) -> Value {
    let empty = Vec::new();
    let notes = summary["validity"].as_array().unwrap_or(&empty);
    let warnings = notes.iter().filter(|note| note["severity"] == "warning").count();
    let complete = summary["is_complete"].as_bool().unwrap_or(!summary.is_null());
    let (successes, failures) = (requests.successes(), requests.failures());
    let state = match (complete, warnings) {
        (false, _) => "bad",
        (true, 0) => "good",
        (true, _) => "warning",
    };
    let good = (!slos.is_empty()).then(|| good_requests(requests, slos));
    json!({
        "state": state,
        "sentence": sentence(requests, summary, complete, warnings, bins),
        "reason": summary["incomplete_reason"],
        "requests": requests.len(),
        "successes": successes,
        "failures": failures,
        "cut_off": requests.len() - successes - failures,
        "throughput": short(successes as f64 / bins.seconds()),
        "good": good,
        "goodput": good.map(|good| short(good as f64 / bins.seconds())),
        "validity": notes,
        "steady": steady(&summary["steady_state"], bins),
        "metrics": figures(summary),
    })
}

fn sentence(requests: &Requests, summary: &Value, complete: bool, warnings: usize, bins: &TimeBins) -> String {
    let quote = match (complete, warnings) {
        (false, _) if summary.is_null() => "The run left no summary: read its numbers as a part of a run".to_owned(),
        (false, _) => "The run is incomplete: do not quote its numbers".to_owned(),
        (true, 0) => "No check found a problem: the numbers can be quoted".to_owned(),
        (true, 1) => "One check gave a warning: read it before you quote the numbers".to_owned(),
        (true, count) => format!("{count} checks gave warnings: read them before you quote the numbers"),
    };
    let (successes, failures) = (requests.successes(), requests.failures());
    let failed = match failures {
        0 => "none failed".to_owned(),
        failures => {
            format!("{} failed ({:.2}\u{a0}%)", grouped(failures), 100.0 * failures as f64 / requests.len() as f64)
        }
    };
    let rate = successes as f64 / bins.seconds();
    format!(
        "{quote}. {} of {} requests succeeded in {:.1} s, {rate:.2} per second; {failed}.",
        grouped(successes),
        grouped(requests.len()),
        bins.seconds()
    )
}

/// With a comma after each three digits.
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let head = digits.len() % 3;
    let groups = digits.as_bytes()[head..].chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    let first = (head > 0).then(|| digits[..head].to_owned());
    first.into_iter().chain(groups).collect::<Vec<_>>().join(",")
}

fn steady(steady: &Value, bins: &TimeBins) -> Value {
    let (start, end) = (steady["start_ns"].as_u64(), steady["end_ns"].as_u64());
    match (start, end) {
        (Some(start), Some(end)) => json!({
            "reached": true,
            "start": short(bins.offset_s(start)),
            "end": short(bins.offset_s(end)),
            "requests": steady["request_count"],
        }),
        _ => json!({"reached": false, "reason": steady["reason"]}),
    }
}

/// Metrics of the summary table, with their intervals.
fn figures(summary: &Value) -> Vec<Value> {
    let tags = [
        "request_throughput",
        "output_token_throughput",
        "time_to_first_token",
        "inter_token_latency",
        "request_latency",
        "output_token_throughput_per_user",
        "input_sequence_length",
        "output_sequence_length",
        "schedule_lag",
        "client_send_delay",
        "cost_per_million_output_tokens",
        "nvidia_output_tokens_per_joule",
    ];
    let row = |tag: &&str| {
        let metric = summary.get(*tag).filter(|metric| metric.is_object())?;
        let stat = |name: &str| metric[name].as_f64().map_or(Value::Null, short);
        let label = aiperf_metrics::Metric::from_tag(tag).map_or(*tag, |metric| metric.definition().header);
        Some(json!({
            "tag": tag,
            "label": label,
            "unit": metric["unit"],
            "avg": stat("avg"),
            "min": stat("min"),
            "p50": stat("p50"),
            "p90": stat("p90"),
            "p95": stat("p95"),
            "p99": stat("p99"),
            "max": stat("max"),
            "std": stat("std"),
            "ci": metric["ci"],
        }))
    };
    tags.iter().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        assert_eq!([7, 999, 1_000, 1_234_567].map(grouped), ["7", "999", "1,000", "1,234,567"]);
    }
}
