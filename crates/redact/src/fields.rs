//! Keys in the fields of request bodies.

use serde_json::{Map, Value};

use crate::REDACTED;
use crate::names::is_secret_parameter;

/// Words next to `token` that mean a token of the model, which is not a secret.
const OF_A_MODEL: [&str; 14] =
    ["bos", "eos", "pad", "unk", "sep", "cls", "mask", "stop", "start", "end", "special", "image", "audio", "video"];

/// Fields of `--extra-inputs` whose values are secrets, at any depth, with these values.
#[derive(Clone, Default)]
pub struct SecretFields(Vec<(String, Value)>);

impl std::fmt::Debug for SecretFields {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

impl SecretFields {
    pub fn of(fields: &Map<String, Value>) -> Self {
        let mut found = Vec::new();
        collect(fields, &mut found);
        Self(found)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The values as texts, to be searched for in what a server sends back.
    pub fn values(&self) -> Vec<String> {
        let mut texts = Vec::new();
        self.0.iter().for_each(|(_, value)| put_texts(value, &mut texts));
        texts
    }

    /// Takes the values out of a document, wherever the fields stand in it.
    pub fn hide(&self, document: &mut Value) {
        if self.is_empty() {
            return;
        }
        match document {
            Value::Object(fields) => {
                for (name, value) in fields {
                    if self.0.iter().any(|(secret, kept)| secret == name && kept == value) {
                        hide_scalars(value);
                    } else {
                        self.hide(value);
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide(item)),
            _ => {}
        }
    }
}

/// The fields without their secrets.
pub fn shown_fields(fields: &Map<String, Value>) -> Value {
    let mut shown = Value::Object(fields.clone());
    SecretFields::of(fields).hide(&mut shown);
    shown
}

fn collect(fields: &Map<String, Value>, found: &mut Vec<(String, Value)>) {
    for (name, value) in fields {
        match value {
            value if is_secret(name, value) => found.push((name.clone(), value.clone())),
            Value::Object(inner) => collect(inner, found),
            Value::Array(items) => items.iter().filter_map(Value::as_object).for_each(|inner| collect(inner, found)),
            _ => {}
        }
    }
}

/// Bodies are full of tokens that are not secrets: `max_tokens`, `stop_token_ids`, `eos_token`.
fn is_secret(name: &str, value: &Value) -> bool {
    let lower = name.trim().to_ascii_lowercase();
    let says_token = lower.contains("token");
    is_secret_parameter(name)
        && match value {
            Value::Null | Value::Bool(_) => false,
            Value::String(_) => !says_token || !lower.split(['_', '-']).any(|word| OF_A_MODEL.contains(&word)),
            Value::Number(_) | Value::Object(_) | Value::Array(_) => !says_token && !lower.contains("session"),
        }
}

fn put_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Number(number) => texts.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| put_texts(item, texts)),
        Value::Object(fields) => fields.values().for_each(|value| put_texts(value, texts)),
        Value::Null | Value::Bool(_) => {}
    }
}

fn hide_scalars(value: &mut Value) {
    match value {
        Value::String(_) | Value::Number(_) => *value = REDACTED.into(),
        Value::Array(items) => items.iter_mut().for_each(hide_scalars),
        Value::Object(fields) => fields.values_mut().for_each(hide_scalars),
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(value: &Value) -> Value {
        shown_fields(value.as_object().unwrap())
    }

    #[test]
    fn keys_in_fields_are_taken_out_at_any_depth_and_nothing_else() {
        let given = json!({
            "api_key": "abc", "nested": {"password": "pw", "n": 1}, "list": [{"hf_token": "t"}], "auth": {"user": "me", "n": 7},
            "max_tokens": 5, "stop_token_ids": [1], "eos_token": "</s>", "skip_special_tokens": true, "temperature": 0.5,
            "keyboard": "x",
        });
        assert_eq!(
            shown(&given),
            json!({
                "api_key": REDACTED, "nested": {"password": REDACTED, "n": 1}, "list": [{"hf_token": REDACTED}],
                "auth": {"user": REDACTED, "n": REDACTED}, "max_tokens": 5, "stop_token_ids": [1], "eos_token": "</s>",
                "skip_special_tokens": true, "temperature": 0.5, "keyboard": "x",
            })
        );
        let secret = SecretFields::of(given.as_object().unwrap());
        assert_eq!(secret.values(), ["abc", "pw", "t", "me", "7"]);
        let mut body = json!({"model": "m", "api_key": "abc", "messages": [{"content": "api_key"}], "parameters": {"api_key": "abc"}});
        secret.hide(&mut body);
        assert_eq!(
            body,
            json!({"model": "m", "api_key": REDACTED, "messages": [{"content": "api_key"}], "parameters": {"api_key": REDACTED}})
        );
        assert!(!format!("{secret:?}").contains("abc"));
    }
}
