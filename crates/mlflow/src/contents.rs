//! What a run looks like in MLflow: final metrics and parameters from the summary document, tags.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::store::{MetricValue, TextPair};

/// Parts of the configuration under the names of the reference, with where they are in `input_config`.
const PARAMS: [(&str, &str); 10] = [
    ("endpoint.type", "/endpoint/type"),
    ("endpoint.streaming", "/endpoint/streaming"),
    ("output.artifact_directory", "/artifacts/dir"),
    ("timing.mode", "/type"),
    ("loadgen.concurrency", "/concurrency"),
    ("loadgen.request_rate", "/rate"),
    ("loadgen.request_count", "/requests"),
    ("loadgen.benchmark_duration", "/duration"),
    ("loadgen.num_users", "/users"),
    ("loadgen.num_sessions", "/sessions"),
];

/// The final metrics: `TAG` is the mean or the only value, `TAG.p99` and the like are the other statistics.
pub(crate) fn final_metrics(summary: &Value, at_ms: i64) -> Vec<MetricValue> {
    let empty = Map::new();
    let mut metrics = Vec::new();
    for (tag, row) in summary.as_object().unwrap_or(&empty) {
        let Some(row) = row.as_object().filter(|row| row.contains_key("unit")) else { continue };
        for (statistic, value) in row {
            let Some(value) = value.as_f64().filter(|value| value.is_finite()) else { continue };
            let key = if statistic == "avg" { tag.clone() } else { format!("{tag}.{statistic}") };
            metrics.push(MetricValue { key, value, at_ms, step: 0 });
        }
    }
    metrics.sort_by(|one, other| one.key.cmp(&other.key));
    metrics
}

/// The reference's parameters, and the whole configuration as `config.PATH`.
pub(crate) fn params(summary: &Value) -> Vec<TextPair> {
    let config = &summary["input_config"];
    let phase = config["phases"].as_array().and_then(|phases| phases.last()).unwrap_or(&Value::Null);
    let mut params = BTreeMap::new();
    for (name, place) in PARAMS {
        let found = config.pointer(place).or_else(|| phase.pointer(place)).filter(|value| !value.is_null());
        if let Some(value) = found {
            params.insert(name.to_owned(), text(value));
        }
    }
    let joined = |list: Option<&Value>, of: fn(&Value) -> &Value| {
        let list = list.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        list.iter().map(|item| text(of(item))).collect::<Vec<_>>().join(",")
    };
    params.insert("endpoint.models".to_owned(), joined(config.pointer("/models/items"), |item| &item["name"]));
    params.insert("endpoint.urls".to_owned(), joined(config.pointer("/endpoint/urls"), |item| item));
    flatten("config", config, &mut params);
    params.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

fn flatten(name: &str, value: &Value, into: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(field, value)| flatten(&format!("{name}.{field}"), value, into));
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            items.iter().enumerate().for_each(|(index, value)| flatten(&format!("{name}.{index}"), value, into));
        }
        Value::Array(items) => {
            into.insert(name.to_owned(), items.iter().map(text).collect::<Vec<_>>().join(","));
        }
        value => {
            into.insert(name.to_owned(), text(value));
        }
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metrics_and_parameters_have_the_reference_s_names() {
        let summary = json!({
            "aiperf_version": "1",
            "request_latency": {"unit": "ms", "avg": 5.0, "p99": 9.0, "count": 3},
            "request_count": {"unit": "requests", "avg": 3.0},
            "validity": [],
            "input_config": {
                "models": {"items": [{"name": "a"}, {"name": "b"}]},
                "endpoint": {"urls": ["http://h"], "type": "chat"},
                "phases": [{"type": "concurrency", "concurrency": 2, "requests": 30}],
            },
        });
        let keys: Vec<String> = final_metrics(&summary, 1).into_iter().map(|metric| metric.key).collect();
        assert_eq!(keys, ["request_count", "request_latency", "request_latency.count", "request_latency.p99"]);
        let params = params(&summary);
        for pair in [
            ("endpoint.models", "a,b"),
            ("endpoint.urls", "http://h"),
            ("timing.mode", "concurrency"),
            ("loadgen.concurrency", "2"),
            ("loadgen.request_count", "30"),
            ("config.phases.0.concurrency", "2"),
        ] {
            assert!(params.contains(&(pair.0.to_owned(), pair.1.to_owned())), "{pair:?} {params:?}");
        }
    }
}
