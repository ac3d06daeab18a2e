//! What distinguishes a run from others: its model, its load and whatever else was swept.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

/// The value of a parameter of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum RunParameter {
    Number(f64),
    Text(String),
}

impl RunParameter {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => number.as_f64().map(Self::Number),
            Value::String(text) => Some(Self::Text(text.clone())),
            Value::Bool(yes) => Some(Self::Text(yes.to_string())),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.parse().ok(),
        }
    }
}

impl fmt::Display for RunParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// The parameters that a configuration states: of the phase that is called `profiling`, or of the older `loadgen` block.
pub(super) fn of_config(config: &Value) -> BTreeMap<String, RunParameter> {
    let mut columns = BTreeMap::new();
    let mut put = |name: &str, value: &Value| {
        if let Some(value) = RunParameter::of(value) {
            columns.entry(name.to_owned()).or_insert(value);
        }
    };
    let phases = config["phases"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_profiling = |phase: &&Value| phase["name"] == "profiling" || phase["kind"] == "profiling";
    let phase = phases.iter().find(is_profiling).or(phases.first()).unwrap_or(&Value::Null);
    for load in [phase, &config["loadgen"], &config["perf_analyzer"]["stimulus"]] {
        put("concurrency", &load["concurrency"]);
        put("request_rate", &load["rate"]);
        put("request_rate", &load["request_rate"]);
        put("request_count", &load["requests"]);
        put("request_count", &load["request_count"]);
        put("duration", &load["duration"]);
    }
    put("model", &config["models"]["items"][0]["name"]);
    put("model", &config["endpoint"]["model_names"][0]);
    put("model", &config["model_names"][0]);
    put("endpoint_type", &config["endpoint"]["type"]);
    put("streaming", &config["endpoint"]["streaming"]);
    let prompts = &config["datasets"][0]["prompts"];
    put("isl", &prompts["isl"]["mean"]);
    put("osl", &prompts["osl"]["mean"]);
    columns
}

/// What a sweep varied, `{"phases.profiling.concurrency": 2}`, under the last part of each name.
pub(super) fn of_variation(values: &Value) -> BTreeMap<String, RunParameter> {
    let values = values.as_object().into_iter().flatten();
    let named = values.filter_map(|(path, value)| Some((short_name(path).to_owned(), RunParameter::of(value)?)));
    named.collect()
}

/// `datasets.main.prompts.isl.mean` is known as `isl`.
fn short_name(path: &str) -> &str {
    let path = path.strip_suffix(".mean").unwrap_or(path);
    match path.rsplit_once('.').map_or(path, |(_, last)| last) {
        "rate" => "request_rate",
        "requests" => "request_count",
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_configuration_tells_model_and_load() {
        let config = json!({"models": {"items": [{"name": "m"}]}, "phases": [
            {"name": "warmup", "concurrency": 1}, {"name": "profiling", "concurrency": 8, "requests": 40}]});
        let columns = of_config(&config);
        assert_eq!(columns["model"], RunParameter::Text("m".to_owned()));
        assert_eq!(columns["concurrency"], RunParameter::Number(8.0));
        assert_eq!(columns["request_count"], RunParameter::Number(40.0));
        let older = json!({"endpoint": {"model_names": ["x"]}, "loadgen": {"concurrency": 3}});
        assert_eq!(of_config(&older)["concurrency"].number(), Some(3.0));
    }

    #[test]
    fn swept_parameters_are_known_by_the_last_part_of_their_name() {
        let columns = of_variation(&json!({"phases.profiling.rate": 2.5, "datasets.main.prompts.isl.mean": 128}));
        assert_eq!(columns["request_rate"].to_string(), "2.5");
        assert_eq!(columns["isl"].to_string(), "128");
    }
}
