//! The user's settings of pods, laid over ours: maps are merged, lists are added, everything else replaces.

use serde_json::{Map, Value};

pub(super) fn merge(ours: &mut Value, theirs: &Map<String, Value>) {
    let Value::Object(ours) = ours else { return };
    for (key, value) in theirs {
        match (ours.get_mut(key), value) {
            (Some(Value::Array(items)), Value::Array(more)) => items.extend(more.iter().cloned()),
            (Some(map @ Value::Object(_)), Value::Object(more)) => merge(map, more),
            _ => drop(ours.insert(key.clone(), value.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_are_added_and_maps_are_merged() {
        let mut ours = json!({"env": [1], "security": {"a": 1, "b": 2}, "policy": "Never"});
        let theirs = json!({"env": [2], "security": {"b": 3}, "policy": "Always", "affinity": {"x": 1}});
        merge(&mut ours, theirs.as_object().unwrap());
        let merged = json!({"env": [1, 2], "security": {"a": 1, "b": 3}, "policy": "Always", "affinity": {"x": 1}});
        assert_eq!(ours, merged);
    }
}
