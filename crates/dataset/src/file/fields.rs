//! The fields of a JSON object, read with errors that say what was expected.

use std::sync::Arc;

use aiperf_conversation::Media;
use serde_json::{Map, Value};

/// The fields of an object. A field that is `null` counts as absent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JsonFields<'a>(pub(crate) &'a Map<String, Value>);

impl<'a> JsonFields<'a> {
    pub(crate) fn get(self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn string(self, name: &str) -> Result<Option<&'a str>, String> {
        self.get(name).map(|value| value.as_str().ok_or_else(|| unexpected(name, "a string", value))).transpose()
    }

    pub(crate) fn list(self, name: &str) -> Result<Option<&'a [Value]>, String> {
        self.get(name)
            .map(|value| value.as_array().map(Vec::as_slice).ok_or_else(|| unexpected(name, "a list", value)))
            .transpose()
    }

    pub(crate) fn object(self, name: &str) -> Result<Option<Map<String, Value>>, String> {
        self.get(name)
            .map(|value| value.as_object().cloned().ok_or_else(|| unexpected(name, "an object", value)))
            .transpose()
    }

    pub(crate) fn milliseconds(self, name: &str) -> Result<Option<f64>, String> {
        self.get(name)
            .map(|value| {
                let number = value.as_f64().filter(|number| *number >= 0.0);
                number.ok_or_else(|| unexpected(name, "a non-negative number of milliseconds", value))
            })
            .transpose()
    }

    pub(crate) fn boolean(self, name: &str) -> Result<Option<bool>, String> {
        self.get(name).map(|value| value.as_bool().ok_or_else(|| unexpected(name, "true or false", value))).transpose()
    }

    /// A whole number of at least one.
    pub(crate) fn count(self, name: &str) -> Result<Option<u32>, String> {
        let Some(value) = self.get(name) else { return Ok(None) };
        // Some JSON writers turn 12 into 12.0.
        let number = value.as_f64().filter(|n| n.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(n));
        number.map(|number| Some(number as u32)).ok_or_else(|| unexpected(name, "a whole number above zero", value))
    }

    /// Returns an error if there is an unknown field.
    pub(crate) fn only(self, known: &[&str]) -> Result<(), String> {
        match self.0.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(format!("{name:?} is not a field of this format; its fields are {}", known.join(", "))),
            None => Ok(()),
        }
    }

    /// A kind of content: one string under its singular, or a list of strings or of named groups under its plural.
    /// Empty ones count as absent.
    pub(crate) fn contents(
        self,
        singular: &str,
        plural: &str,
        encode: &dyn Fn(&str) -> Result<Arc<str>, String>,
    ) -> Result<Vec<Media>, String> {
        let one = self.string(singular)?;
        let many = self.list(plural)?;
        if one.is_some() && many.is_some() {
            return Err(format!("{singular} and {plural} cannot be given together"));
        }
        let encoded = |name: &str, value: &str| encode(value).map_err(|problem| format!("{name}: {problem}"));
        if let Some(one) = one.filter(|one| !one.is_empty()) {
            return Ok(vec![Media::unnamed(encoded(singular, one)?)]);
        }
        let Some(many) = many.filter(|many| !many.is_empty()) else { return Ok(Vec::new()) };
        let strings = |name: &str, list: &[Value]| -> Result<Vec<Arc<str>>, String> {
            list.iter()
                .map(|value| match value.as_str() {
                    Some(value) => encoded(name, value),
                    None => Err(unexpected(name, "a list of strings or of objects with contents", value)),
                })
                .collect()
        };
        if !many.iter().all(Value::is_object) {
            return Ok(vec![Media { name: String::new(), contents: strings(plural, many)? }]);
        }
        many.iter()
            .map(|group| {
                let name = group.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
                match group.get("contents") {
                    Some(Value::Array(list)) => Ok(Media { name, contents: strings(plural, list)? }),
                    _ => Err(unexpected(plural, "contents as a list of strings", group)),
                }
            })
            .collect()
    }
}

pub(crate) fn unexpected(field: &str, expected: &str, value: &Value) -> String {
    let mut shown: String = value.to_string().chars().take(60).collect();
    if shown.len() < value.to_string().len() {
        shown.push_str("...");
    }
    format!("{field}: {expected} is expected, not {shown}")
}
