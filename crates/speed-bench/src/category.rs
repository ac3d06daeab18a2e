//! Which part of SPEED-Bench a run asked, and which model.

use serde_json::Value;

const PREFIX: &str = "speed_bench_";

/// The category, as the data set of the run names it: `coding`, `throughput_8k_low_entropy`.
pub(crate) fn category(summary: &Value) -> Option<String> {
    let datasets = summary["input_config"]["datasets"].as_array()?;
    let names = datasets.iter().flat_map(|dataset| ["format", "dataset", "name"].map(|key| &dataset[key]));
    names.filter_map(Value::as_str).find_map(|name| {
        let name = name.to_ascii_lowercase().replace('-', "_");
        name.strip_prefix(PREFIX).map(ToOwned::to_owned)
    })
}

/// All models of the run in one name.
pub(crate) fn model(summary: &Value) -> Option<String> {
    let items = summary["input_config"]["models"]["items"].as_array()?;
    let names: Vec<&str> = items.iter().filter_map(|item| item["name"].as_str()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_data_set_names_the_category() {
        let summary = |dataset: Value| json!({"input_config": {"datasets": [dataset], "models": {"items": [{"name": "a"}, {"name": "b"}]}}});
        assert_eq!(category(&summary(json!({"name": "main", "format": "speed_bench_math"}))).as_deref(), Some("math"));
        assert_eq!(
            category(&summary(json!({"type": "public", "dataset": "speed-bench-throughput_1k"}))).as_deref(),
            Some("throughput_1k")
        );
        assert_eq!(category(&summary(json!({"name": "main", "format": "single_turn"}))), None);
        assert_eq!(category(&json!({})), None);
        assert_eq!(model(&summary(json!({}))).as_deref(), Some("a, b"));
        assert_eq!(model(&json!({})), None);
    }
}
