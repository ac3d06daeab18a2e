//! Names of the runs of a sweep.

use serde_json::{Map, Value};

/// `concurrency_4__isl_128`: the last part of each path with its value; the label if a value is a list or map. Characters that a
/// folder cannot have are left out.
pub(super) fn folder(values: &Map<String, Value>, index: usize) -> String {
    if values.values().any(|value| value.is_array() || value.is_object()) {
        return plain(&label(values), index);
    }
    let parts = values.iter().map(|(path, value)| {
        let leaf = path.rsplit('.').next().unwrap_or(path);
        format!("{leaf}_{}", text(value))
    });
    plain(&parts.collect::<Vec<_>>().join("__"), index)
}

/// A name without the characters that a folder cannot have.
pub(super) fn plain(name: &str, index: usize) -> String {
    let name: String =
        name.replace("..", "").chars().filter(|c| !"/\\<>:\"|?*".contains(*c) && !c.is_control()).collect();
    if name.trim().is_empty() { format!("variation_{index}") } else { name }
}

/// `phases.profiling.concurrency=4, datasets.main.isl=128`.
pub(super) fn label(values: &Map<String, Value>) -> String {
    values.iter().map(|(path, value)| format!("{path}={}", text(value))).collect::<Vec<_>>().join(", ")
}

/// A value as the reference shows it.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Null => "None".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Array(items) => format!("[{}]", items.iter().map(quoted).collect::<Vec<_>>().join(", ")),
        Value::Object(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| format!("'{key}': {}", quoted(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A value inside of a list or map, where the reference puts texts into quotes.
fn quoted(value: &Value) -> String {
    match value {
        Value::String(text) if text.contains('\'') => format!("\"{text}\""),
        Value::String(text) => format!("'{text}'"),
        other => self::text(other),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_those_of_the_reference() {
        let Value::Object(values) = json!({"phases.profiling.rate": 0.5, "variables.x": "a b/c", "y": true}) else {
            panic!()
        };
        assert_eq!(folder(&values, 0), "rate_0.5__x_a bc__y_True");
        assert_eq!(label(&values), "phases.profiling.rate=0.5, variables.x=a b/c, y=True");
        assert_eq!(plain("../", 3), "variation_3");
        let Value::Object(length) = json!({"datasets.main.isl": {"mean": 5, "on": [true, "a"]}}) else { panic!() };
        assert_eq!(folder(&length, 0), "datasets.main.isl={'mean' 5, 'on' [True, 'a']}");
        assert_eq!(label(&length), "datasets.main.isl={'mean': 5, 'on': [True, 'a']}");
    }
}
