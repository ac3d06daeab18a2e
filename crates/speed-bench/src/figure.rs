//! The figure of one run. What the responses of the run said about their own drafts comes first, then the server's gauges, then
//! its counters: pages of a server also count requests of others.

use serde_json::Value;

use crate::metric::SpeedBenchMetric;

const DRAFTS: &str = "vllm:spec_decode_num_drafts";
const DRAFT_TOKENS: &str = "vllm:spec_decode_num_draft_tokens";
const ACCEPTED: &str = "vllm:spec_decode_num_accepted_tokens";

/// `server` is the run's file of server metrics, null if there is none.
pub(crate) fn figure(metric: SpeedBenchMetric, summary: &Value, server: &Value) -> Option<f64> {
    let of_run = |tag: &str| summary[tag]["avg"].as_f64();
    let ratio = |above: &str, below: &str| {
        let (above, below) = (total(server, above)?, total(server, below)?);
        (below > 0.0).then(|| above / below)
    };
    match metric {
        SpeedBenchMetric::Throughput => of_run("output_token_throughput"),
        SpeedBenchMetric::AcceptLength => of_run("spec_decode_token_weighted_acceptance_length")
            .or_else(|| gauge(server, "spec_accept_length"))
            .or_else(|| ratio(ACCEPTED, DRAFTS).map(|accepted| 1.0 + accepted)),
        SpeedBenchMetric::AcceptRate => of_run("spec_decode_overall_draft_acceptance_rate")
            .map(|percent| percent / 100.0)
            .or_else(|| gauge(server, "spec_accept_rate"))
            .or_else(|| ratio(ACCEPTED, DRAFT_TOKENS)),
    }
}

/// The mean over all series of the gauge whose name ends so, whichever engine writes it.
fn gauge(server: &Value, end: &str) -> Option<f64> {
    let metrics = server["metrics"].as_object()?;
    let is_it = |name: &str| name.rsplit([':', '.']).next() == Some(end);
    let (_, metric) = metrics.iter().find(|(name, _)| is_it(name))?;
    let values: Vec<f64> = series(metric).filter_map(|one| one["stats"]["avg"].as_f64()).collect();
    #[expect(clippy::cast_precision_loss, reason = "few series")]
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The sum over all engines of a counter.
fn total(server: &Value, name: &str) -> Option<f64> {
    let metrics = server["metrics"].as_object()?;
    let metric = metrics.get(name).or_else(|| metrics.get(&format!("{name}_total")))?;
    let values: Vec<f64> = series(metric).filter_map(|one| one["stats"]["total"].as_f64()).collect();
    (!values.is_empty()).then(|| values.iter().sum())
}

fn series(metric: &Value) -> impl Iterator<Item = &Value> {
    metric["series"].as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn counter(totals: &[f64]) -> Value {
        let series: Vec<Value> = totals.iter().map(|total| json!({"stats": {"total": total}})).collect();
        json!({"type": "counter", "series": series})
    }

    #[test]
    fn counters_of_all_engines_are_added() {
        let server = json!({"metrics": {
            DRAFTS: counter(&[100.0, 100.0]), ACCEPTED: counter(&[150.0, 50.0]), DRAFT_TOKENS: counter(&[300.0, 100.0]),
        }});
        assert_eq!(figure(SpeedBenchMetric::AcceptLength, &Value::Null, &server), Some(2.0));
        assert_eq!(figure(SpeedBenchMetric::AcceptRate, &Value::Null, &server), Some(0.5));
    }

    #[test]
    fn gauges_come_before_counters_and_the_run_itself_before_both() {
        let mut server = json!({"metrics": {DRAFTS: counter(&[1.0]), ACCEPTED: counter(&[1.0])}});
        server["metrics"]["sglang:spec_accept_length"] =
            json!({"series": [{"stats": {"avg": 2.0}}, {"stats": {"avg": 3.0}}]});
        assert_eq!(figure(SpeedBenchMetric::AcceptLength, &Value::Null, &server), Some(2.5));
        let summary = json!({"spec_decode_token_weighted_acceptance_length": {"avg": 2.4}});
        assert_eq!(figure(SpeedBenchMetric::AcceptLength, &summary, &server), Some(2.4));
    }

    #[test]
    fn a_server_without_drafts_has_no_figure() {
        let server = json!({"metrics": {DRAFTS: counter(&[0.0]), ACCEPTED: counter(&[0.0])}});
        assert_eq!(figure(SpeedBenchMetric::AcceptLength, &Value::Null, &server), None);
        assert_eq!(figure(SpeedBenchMetric::AcceptLength, &Value::Null, &Value::Null), None);
        assert_eq!(
            figure(SpeedBenchMetric::Throughput, &json!({"output_token_throughput": {"avg": 9.5}}), &Value::Null),
            Some(9.5)
        );
    }
}
