//! R11: input and output lengths that were asked for, and those that came about.

use aiperf_metrics::Metric;
use serde_json::{Value, json};

use crate::number::{round_up, short};
use crate::run::requests::Requests;

const COLUMNS: f64 = 40.0;

pub(crate) fn json(requests: &Requests, input_config: &Value) -> Value {
    let input = requests.of_successes(Metric::InputSequenceLength);
    let output = requests.of_successes(Metric::OutputSequenceLength);
    let prompts = &input_config["datasets"][0]["prompts"];
    let asked_mean = |key: &str| prompts[key]["mean"].as_f64().or_else(|| prompts[key].as_f64());
    let asked_output: Vec<f64> = (0..requests.len()).filter_map(|row| requested(requests, row)).collect();
    json!({
        "input": histogram(&input, &[], asked_mean("isl")),
        "output": histogram(&output, &asked_output, asked_mean("osl")),
    })
}

/// The output length that a request asked for. Records say it directly or by how much the answer missed it.
fn requested(requests: &Requests, row: usize) -> Option<f64> {
    let by_difference = || {
        let length = requests.value(Metric::OutputSequenceLength, row)?;
        let percent = requests.value(Metric::OslMismatchDiffPct, row)?;
        let asked = (length / (1.0 + percent / 100.0)).round();
        (asked.is_finite() && asked >= 1.0).then_some(asked)
    };
    requests.value(Metric::RequestedOsl, row).or_else(by_difference)
}

fn histogram(achieved: &[f64], asked: &[f64], asked_mean: Option<f64>) -> Value {
    if achieved.is_empty() {
        return Value::Null;
    }
    let all = || achieved.iter().chain(asked).copied();
    let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let step = round_up((most - least) / COLUMNS).max(1.0);
    let start = (least / step).floor() * step;
    let columns = ((most - start) / step).floor() as usize + 1;
    let counts = |values: &[f64]| {
        let mut counts = vec![0_u32; columns];
        for value in values {
            counts[(((value - start) / step) as usize).min(columns - 1)] += 1;
        }
        counts
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    json!({
        "start": start,
        "step": step,
        "achieved": counts(achieved),
        "asked": (!asked.is_empty()).then(|| counts(asked)),
        "achieved_mean": short(mean(achieved)),
        "asked_mean": if asked.is_empty() { asked_mean.map(short) } else { Some(short(mean(asked))) },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_counted_in_round_steps() {
        let achieved: Vec<f64> = (100..200).map(f64::from).collect();
        let shown = histogram(&achieved, &[128.0; 100], None);
        assert_eq!((&shown["start"], &shown["step"]), (&json!(100.0), &json!(5.0)));
        assert_eq!(shown["achieved"][0], 5);
        assert_eq!(shown["asked"][5], 100);
        assert_eq!(shown["asked_mean"], 128);
        assert_eq!(histogram(&[], &[], None), Value::Null);
        assert_eq!(histogram(&[64.0; 3], &[], Some(64.0))["achieved"], json!([3]));
    }
}
