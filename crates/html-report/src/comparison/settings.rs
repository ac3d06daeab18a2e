//! In which settings the runs of a comparison differ.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

const MOST_SHOWN: usize = 100;
/// Settings that say where results go and not what was measured.
const UNIMPORTANT: [&str; 2] = ["artifacts.", "runtime."];

pub(crate) fn differences(configs: &[&Value]) -> Value {
    let flat: Vec<BTreeMap<String, String>> = configs.iter().map(|config| flattened(config)).collect();
    let keys: BTreeSet<&String> = flat.iter().flat_map(BTreeMap::keys).collect();
    let rows =
        keys.into_iter().filter(|key| !UNIMPORTANT.iter().any(|start| key.starts_with(start))).filter_map(|key| {
            let values: Vec<Option<&String>> = flat.iter().map(|config| config.get(key)).collect();
            values.windows(2).any(|pair| pair[0] != pair[1]).then(|| json!({"setting": key, "values": values}))
        });
    rows.take(MOST_SHOWN).collect()
}

/// Each value by its path.
fn flattened(config: &Value) -> BTreeMap<String, String> {
    let mut flat = BTreeMap::new();
    flatten(config, "", &mut flat);
    flat
}

fn flatten(value: &Value, path: &str, into: &mut BTreeMap<String, String>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| flatten(value, &below(key), into)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, value)| flatten(value, &below(&index.to_string()), into));
        }
        Value::Null => {}
        Value::String(text) => drop(into.insert(path.to_owned(), text.clone())),
        other => drop(into.insert(path.to_owned(), other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_settings_that_differ_are_named() {
        let a = json!({"endpoint": {"type": "chat", "urls": ["http://a"]}, "artifacts": {"dir": "x"}});
        let b =
            json!({"endpoint": {"type": "chat", "urls": ["http://b"]}, "artifacts": {"dir": "y"}, "slos": {"ttft": 1}});
        let found = differences(&[&a, &b]);
        assert_eq!(
            found,
            json!([
                {"setting": "endpoint.urls.0", "values": ["http://a", "http://b"]},
                {"setting": "slos.ttft", "values": [null, "1"]},
            ])
        );
    }
}
