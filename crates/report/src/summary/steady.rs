//! The steady part of a run next to the whole run, as JSON, and the reason in words if there is none.

use aiperf_metrics::{Metric, MetricResult, Percentile, SteadyState, Summary, Unsteady};
use serde_json::{Map, Value, json};

use crate::summary::json::metric;

/// How the window was found; `docs/statistics.md` has the parameters.
const METHOD: &str = "ramp and drain cut, then Heidelberger-Welch with Mann-Kendall";

/// The `steady_state` object. `whole`: the run that the window is a part of.
pub(crate) fn json(steady: &SteadyState, whole: &Summary) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("reached", steady.outcome.is_ok().into());
    put("method", METHOD.into());
    put("watched", steady.watched.iter().map(|metric| metric.tag()).collect());
    match &steady.outcome {
        Err(unsteady) => drop(put("reason", reason(unsteady).into())),
        Ok(window) => {
            put("start_ns", window.start.0.into());
            put("end_ns", window.end.0.into());
            put("start_offset_s", window.start_offset.as_secs_f64().into());
            put("end_offset_s", window.end_offset.as_secs_f64().into());
            put("request_count", window.requests.into());
            let metrics = window.results.iter().map(|result| {
                let sides = json!({"steady": metric(result, &[]), "whole_run": side(whole, result.metric)});
                (result.metric.tag().to_owned(), sides)
            });
            put("metrics", Value::Object(metrics.collect()));
        }
    }
    Value::Object(object)
}

/// What one compares, of the whole run.
fn side(whole: &Summary, wanted: Metric) -> Value {
    let Some(MetricResult { stats, .. }) = whole.results.iter().find(|result| result.metric == wanted) else {
        return json!({});
    };
    let compared = [Percentile::P50, Percentile::P90, Percentile::P95, Percentile::P99];
    let named = compared.map(|percentile| (percentile.name(), stats.percentile(percentile)));
    let all = std::iter::once(("avg", stats.avg)).chain(named);
    all.filter_map(|(name, value)| Some((name.to_owned(), Value::from(value?)))).collect::<Map<_, _>>().into()
}

/// The result of a search that found no steady state, with the reason.
pub(crate) fn not_found(unsteady: &Unsteady) -> String {
    match unsteady {
        Unsteady::TooShort { .. } => format!("Steady state not assessed: {}.", reason(unsteady)),
        Unsteady::Drifts { .. } => format!("No steady state was reached: {}.", reason(unsteady)),
    }
}

/// Why no steady state is known.
pub(crate) fn reason(unsteady: &Unsteady) -> String {
    match unsteady {
        Unsteady::TooShort { left, needed } => {
            let requests = if *left == 1 { "request" } else { "requests" };
            format!("only {left} {requests} outside ramp-up and drain ({needed} needed)")
        }
        Unsteady::Drifts { signal, change } => {
            let name = Metric::from_tag(signal).map_or(signal.as_str(), |metric| metric.definition().header);
            format!("{name} changes by {:.0}% between quarters of even the last half of the run", 100.0 * change)
        }
    }
}
