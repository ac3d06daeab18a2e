//! Whether both sides did the same work. A difference makes no verdict wrong, but it may be the cause of it.

use aiperf_metrics::Metric;
use aiperf_stats::Level;
use serde_json::Value;

use crate::verdict::change::{Scale, between};
use crate::{Direction, Quantity, Share, Side, Verdict};

/// Lengths that differ by more than this are another workload.
const LENGTH_THRESHOLD: Share = Share::of_percent(1.0);
/// Percentage points.
const ERROR_SHARE: f64 = 1.0;

/// One thing in which the sides differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkloadNote {
    pub what: &'static str,
    pub baseline: String,
    pub candidate: String,
}

/// What a run was asked to do, and where that stands in its configuration.
const SETTINGS: [(&str, &str); 10] = [
    ("accuracy benchmark", "/accuracy/benchmark"),
    ("accuracy grader", "/accuracy/grader"),
    ("worked examples of the accuracy benchmark", "/accuracy/n_shots"),
    ("reasoning in the accuracy benchmark", "/accuracy/enable_cot"),
    ("endpoint type", "/endpoint/type"),
    ("endpoint path", "/endpoint/path"),
    ("streaming", "/endpoint/streaming"),
    ("extra inputs", "/endpoint/extra"),
    ("model", "/models/items"),
    ("tokenizer", "/tokenizer/name"),
];
const DATA: [(&str, &str); 4] =
    [("data", "type"), ("data file", "path"), ("data set", "dataset"), ("data format", "format")];
const LOAD: [(&str, &str); 5] = [
    ("load", "type"),
    ("concurrency", "concurrency"),
    ("rate", "rate"),
    ("users", "users"),
    ("prefill concurrency", "prefill_concurrency"),
];

/// The profiling phase of a configuration.
pub(crate) fn profiling(config: &Value) -> &Value {
    let phases = config["phases"].as_array();
    let profiling = phases.and_then(|phases| phases.iter().find(|phase| phase["kind"] == "profiling"));
    profiling.unwrap_or(&Value::Null)
}

pub(crate) fn differences(a: &Side, b: &Side) -> Vec<WorkloadNote> {
    let mut notes = Vec::new();
    if let (Some(config_a), Some(config_b)) = (a.input_config(), b.input_config()) {
        notes.extend(settings(config_a, config_b));
    }
    for (what, metric) in [
        ("input sequence length", Metric::InputSequenceLength),
        ("output sequence length", Metric::OutputSequenceLength),
    ] {
        notes.extend(length(what, metric, a, b));
    }
    notes.extend(questions(a, b));
    notes.extend(errors(a, b));
    notes
}

/// The rows of an accuracy benchmark: the version of its data set.
fn questions(a: &Side, b: &Side) -> Option<WorkloadNote> {
    let version = |side: &Side| {
        let data = &side.summary()?["accuracy"]["data"];
        let known = if data["sha256"].is_string() { &data["sha256"] } else { &data["revision"] };
        (!known.is_null()).then(|| plain(Some(known)))
    };
    let (baseline, candidate) = (version(a)?, version(b)?);
    (baseline != candidate).then_some(WorkloadNote { what: "version of the accuracy questions", baseline, candidate })
}

fn settings(a: &Value, b: &Value) -> Vec<WorkloadNote> {
    let data = |config: &'_ Value| config["datasets"][0].clone();
    let (data_a, data_b) = (data(a), data(b));
    let pairs = SETTINGS
        .iter()
        .map(|(what, path)| (*what, a.pointer(path), b.pointer(path)))
        .chain(LOAD.iter().map(|(what, key)| (*what, profiling(a).get(key), profiling(b).get(key))))
        .chain(DATA.iter().map(|(what, key)| (*what, data_a.get(key), data_b.get(key))));
    let differ = pairs.filter(|(_, a, b)| plain(*a) != plain(*b));
    differ.map(|(what, a, b)| WorkloadNote { what, baseline: plain(a), candidate: plain(b) }).collect()
}

/// A setting in words; what is absent, null or false is off.
fn plain(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null | Value::Bool(false)) => "none".to_owned(),
        Some(Value::Bool(true)) => "on".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string()),
        Some(Value::Array(items)) => {
            let names = items.iter().map(|item| plain(item.get("name").or(Some(item))));
            names.collect::<Vec<_>>().join(", ")
        }
        Some(object) => object.to_string(),
    }
}

fn length(what: &'static str, metric: Metric, a: &Side, b: &Side) -> Option<WorkloadNote> {
    let quantity = Quantity::average(metric);
    let (of_a, of_b) = (a.evidence(quantity)?, b.evidence(quantity)?);
    let (a, b) = (of_a.first()?.known(Level::P95)?, of_b.first()?.known(Level::P95)?);
    let change = between(&a, &b, Scale::Relative)?.change;
    let changed = Verdict::of(&change, LENGTH_THRESHOLD, Direction::Neutral) == Verdict::Changed;
    let mean = |value: f64| format!("{value:.1} tokens on average");
    changed.then(|| WorkloadNote { what, baseline: mean(a.value), candidate: mean(b.value) })
}

fn errors(a: &Side, b: &Side) -> Option<WorkloadNote> {
    let share = |side: &Side| side.evidence(Quantity::average(Metric::RequestErrorRate))?.first()?.value();
    let (a, b) = (share(a)?, share(b)?);
    let words = |share: f64| format!("{share:.1}% failed");
    let apart = (a - b).abs() > ERROR_SHARE;
    apart.then(|| WorkloadNote { what: "error share", baseline: words(a), candidate: words(b) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config(change: impl Fn(&mut Value)) -> Value {
        let mut config = json!({
            "models": {"items": [{"name": "m"}]},
            "endpoint": {"urls": ["http://a"], "type": "chat", "streaming": true},
            "datasets": [{"name": "main", "type": "synthetic"}],
            "phases": [
                {"kind": "warmup", "concurrency": 1},
                {"kind": "profiling", "type": "concurrency", "concurrency": 4},
            ],
        });
        change(&mut config);
        config
    }

    fn between(change: impl Fn(&mut Value)) -> Vec<String> {
        let notes = settings(&config(|_| ()), &config(change));
        notes.iter().map(|note| format!("{}: {} / {}", note.what, note.baseline, note.candidate)).collect()
    }

    #[test]
    fn the_same_work_has_no_notes() {
        assert!(between(|_| ()).is_empty());
        assert!(
            between(|config| config["endpoint"]["urls"] = json!(["http://b"])).is_empty(),
            "another server is the point"
        );
        assert!(between(|config| config["phases"][0]["concurrency"] = json!(9)).is_empty(), "warmup is not measured");
        assert!(between(|config| config["phases"][1]["concurrency"] = json!(4.0)).is_empty());
    }

    #[test]
    fn other_work_is_named() {
        assert_eq!(between(|config| config["phases"][1]["concurrency"] = json!(8)), ["concurrency: 4 / 8"]);
        assert_eq!(between(|config| config["models"]["items"][0]["name"] = json!("n")), ["model: m / n"]);
        assert_eq!(between(|config| config["endpoint"]["streaming"] = json!(false)), ["streaming: on / none"]);
        let paced =
            between(|config| config["phases"][1] = json!({"kind": "profiling", "type": "poisson", "rate": 5.0}));
        assert_eq!(paced, ["load: concurrency / poisson", "concurrency: 4 / none", "rate: none / 5"]);
    }
}
