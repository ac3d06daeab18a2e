//! Takes the secrets out of a file, so that the file may be stored where many can read it and the secrets elsewhere.

use std::collections::BTreeMap;

use serde_json::Value;

use super::redacted;

/// A file without secrets, and the values of the environment variables that it refers to instead.
#[derive(Debug, Clone, PartialEq)]
pub struct SplitFile {
    pub file: Value,
    pub secrets: BTreeMap<String, String>,
}

/// Puts `${CONFIG_SECRET_1}`, `${CONFIG_SECRET_2}`, ... in place of all secrets. A text that itself looks like a reference becomes one
/// too; otherwise it would be read as one.
pub fn split_secrets(file: Value) -> SplitFile {
    let shown = redacted(file.clone());
    let mut split = SplitFile { file: Value::Null, secrets: BTreeMap::new() };
    let file = replace(file, &shown, &mut split.secrets);
    split.file = file;
    split
}

fn replace(value: Value, shown: &Value, secrets: &mut BTreeMap<String, String>) -> Value {
    match (value, shown) {
        (Value::Object(pairs), Value::Object(shown)) => {
            // A redacted map may have its keys in another case.
            let of = |key: &str| {
                shown.get(key).or_else(|| shown.iter().find(|(k, _)| k.eq_ignore_ascii_case(key))?.1.into())
            };
            let pairs = pairs.into_iter().map(|(key, value)| {
                let value = match of(&key) {
                    Some(shown) => replace(value, shown, secrets),
                    None => reference(&value, secrets),
                };
                (key, value)
            });
            Value::Object(pairs.collect())
        }
        (Value::Array(items), Value::Array(shown)) if items.len() == shown.len() => {
            items.into_iter().zip(shown).map(|(item, shown)| replace(item, shown, secrets)).collect()
        }
        (Value::String(text), Value::String(shown)) if text == *shown && !text.contains("${") => Value::String(text),
        (value, shown) if value == *shown && !value.is_string() => value,
        // Text of a number, as a header has it.
        (value @ (Value::Number(_) | Value::Bool(_)), Value::String(shown)) if is_shown_as(&value, shown) => value,
        (value, _) => reference(&value, secrets),
    }
}

fn reference(value: &Value, secrets: &mut BTreeMap<String, String>) -> Value {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let name = format!("CONFIG_SECRET_{}", secrets.len() + 1);
    let written = Value::String(format!("${{{name}}}"));
    secrets.insert(name, text);
    written
}

fn is_shown_as(value: &Value, shown: &str) -> bool {
    let text = value.to_string();
    text == shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ConfigFile;

    #[test]
    fn secrets_become_references_that_are_read_as_the_same_file() {
        let file = json!({
            "schemaVersion": "2.0",
            "benchmark": {
                "model": "m",
                "endpoint": {
                    "url": "http://server:8000",
                    "apiKey": "sk-123",
                    "headers": {"X-Plain": "1", "Authorization": "Bearer abc"},
                },
                "dataset": {"type": "file", "records": [{"text": "costs ${5}"}]},
                "phases": {"type": "concurrency", "concurrency": 2, "requests": 4},
            },
        });
        let split = split_secrets(file.clone());
        let text = crate::write(&split.file);
        for secret in ["sk-123", "Bearer abc", "costs ${5}"] {
            assert!(!text.contains(secret), "{text}");
            assert!(split.secrets.values().any(|value| value == secret), "{:?}", split.secrets);
        }
        assert!(text.contains("X-Plain: \"1\""), "{text}");
        let back = ConfigFile::parse("f", &text, &split.secrets).unwrap();
        let plain = |file: &ConfigFile| file.resolved(&aiperf_options::RawOptions::default()).unwrap();
        assert_eq!(plain(&back)["benchmark"], file["benchmark"]);
    }

    #[test]
    fn a_file_without_secrets_stays_as_it_is() {
        let file =
            json!({"benchmark": {"model": "m", "slos": {"ttft": 20}, "phases": [{"rate": 2.5}, {"rate": null}]}});
        assert_eq!(split_secrets(file.clone()), SplitFile { file, secrets: BTreeMap::new() });
    }
}
