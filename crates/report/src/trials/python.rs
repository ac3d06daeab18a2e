//! Values as the reference's CSV files spell them.

use serde_json::Value;

/// A list of texts: `['run_0001', 'run_0002']`.
pub(super) fn list(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
}

/// `{'concurrency': 1}`, `True`, `2.0`.
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(values) => format!("[{}]", values.iter().map(self::value).collect::<Vec<_>>().join(", ")),
        Value::Object(object) => {
            let pairs = object.iter().map(|(key, entry)| format!("{}: {}", quoted(key), self::value(entry)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

/// Seconds, with a fraction even if it is zero.
pub(super) fn float(number: f64) -> String {
    format!("{number:?}")
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
