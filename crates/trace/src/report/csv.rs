//! The analysis as CSV: one line per figure, named by its path in the JSON.

use serde_json::Value;

use super::json;
use crate::{Analysis, ModelShape};

pub fn csv(analysis: &Analysis, shape: Option<ModelShape>) -> String {
    let mut lines = "name,value\n".to_owned();
    flatten("", &json(analysis, shape), &mut lines);
    lines
}

fn flatten(path: &str, value: &Value, lines: &mut String) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                flatten(&below(key), value, lines);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                flatten(&below(&index.to_string()), value, lines);
            }
        }
        Value::Null => lines.push_str(&format!("{path},\n")),
        Value::String(text) => lines.push_str(&format!("{path},{text}\n")),
        other => lines.push_str(&format!("{path},{other}\n")),
    }
}
