//! Writes configurations as YAML: one key to a line, short values on the line of their key.

use serde::Serialize;
use serde_json::Value;

use super::document::{PresetDocument, WrittenPreset};

/// Words that YAML would read as something other than text.
const RESERVED: [&str; 7] = ["true", "false", "null", "yes", "no", "on", "off"];

/// The whole configuration.
pub(super) fn document(document: &PresetDocument) -> Vec<String> {
    let parts = &document.visualization;
    let mut lines = vec!["visualization:".to_owned()];
    let mut below = |level: usize, new: Vec<String>| {
        lines.extend(new.into_iter().map(|line| format!("{}{line}", "  ".repeat(level))));
    };
    below(1, names("multi_run_defaults", &parts.multi_run_defaults));
    below(1, names("single_run_defaults", &parts.single_run_defaults));
    for (key, plots) in [("multi_run_plots", &parts.multi_run_plots), ("single_run_plots", &parts.single_run_plots)] {
        below(1, vec![if plots.is_empty() { format!("{key}: {{}}") } else { format!("{key}:") }]);
        for (name, plot) in plots {
            below(2, preset(name, plot));
        }
    }
    below(0, vec!["settings:".to_owned()]);
    below(1, keys(&document.settings));
    if let Some(classes) = &document.experiment_classification {
        below(0, vec!["experiment_classification:".to_owned()]);
        below(1, keys(classes));
    }
    if !document.dashboard.wide.is_empty() {
        below(0, vec!["dashboard:".to_owned()]);
        below(1, names("wide", &document.dashboard.wide));
    }
    lines
}

/// A plot under its name.
pub(super) fn preset(name: &str, preset: &WrittenPreset) -> Vec<String> {
    let mut lines = vec![format!("{}:", scalar(name))];
    lines.extend(keys(preset).into_iter().map(|line| format!("  {line}")));
    lines
}

/// A list of names, one to a line.
pub(super) fn names(key: &str, names: &[String]) -> Vec<String> {
    if names.is_empty() {
        return vec![format!("{key}: []")];
    }
    let mut lines = vec![format!("{key}:")];
    lines.extend(names.iter().map(|name| format!("  - {}", scalar(name))));
    lines
}

/// Any data as YAML, for people to read.
pub fn yaml_text(value: &Value) -> String {
    let mut text = String::new();
    block(value, 0, &mut text);
    text
}

fn block(value: &Value, level: usize, text: &mut String) {
    let indent = "  ".repeat(level);
    let is_short = |value: &Value| match value {
        Value::Array(items) => items.iter().all(|item| !item.is_object() && !item.is_array()),
        Value::Object(map) => map.is_empty(),
        _ => true,
    };
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                let key = scalar(key);
                if is_short(value) {
                    text.push_str(&format!("{indent}{key}: {}\n", flow(value)));
                } else {
                    text.push_str(&format!("{indent}{key}:\n"));
                    block(value, level + 1, text);
                }
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                if is_short(item) {
                    text.push_str(&format!("{indent}- {}\n", flow(item)));
                } else {
                    // The first key of an item stands next to its dash.
                    let mut below = String::new();
                    block(item, level + 1, &mut below);
                    text.push_str(&format!("{indent}- {}", below.trim_start()));
                }
            }
        }
        other => text.push_str(&format!("{indent}{}\n", flow(other))),
    }
}

fn keys(value: &impl Serialize) -> Vec<String> {
    let value = serde_json::to_value(value).unwrap_or_default();
    let entries = value.as_object().into_iter().flatten();
    entries.map(|(key, value)| format!("{}: {}", scalar(key), flow(value))).collect()
}

fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => scalar(text),
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| format!("{}: {}", scalar(key), flow(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Number(number) => number_text(number),
        other => other.to_string(),
    }
}

/// A number that came from a short one is written as the short one: 0.3, not 0.30000001192092896.
fn number_text(number: &serde_json::Number) -> String {
    match number.as_f64() {
        Some(value) if number.is_f64() && f64::from(value as f32).total_cmp(&value).is_eq() => {
            (value as f32).to_string()
        }
        _ => number.to_string(),
    }
}

/// Text without quotes if nobody can take it for something else, with quotes otherwise.
fn scalar(text: &str) -> String {
    let is_plain_letter = |letter: char| letter.is_ascii_alphanumeric() || "_./+- ".contains(letter);
    let is_plain = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && !text.ends_with(' ')
        && text.chars().all(is_plain_letter)
        && !RESERVED.contains(&text.to_lowercase().as_str());
    if is_plain {
        return text.to_owned();
    }
    let quoted = Value::from(text).to_string();
    let is_unprintable =
        |letter: char| ('\u{7f}'..='\u{9f}').contains(&letter) || "\u{2028}\u{2029}\u{feff}".contains(letter);
    let escaped = quoted.chars().map(|letter| {
        if is_unprintable(letter) { format!("\\u{:04x}", u32::from(letter)) } else { letter.to_string() }
    });
    escaped.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_short_and_texts_stay_texts() {
        assert_eq!(flow(&json!({"metric": "request_latency", "stat": "p99"})), "{metric: request_latency, stat: p99}");
        assert_eq!(flow(&json!([1, 0.95, f64::from(0.3f32), true])), "[1, 0.95, 0.3, true]");
        assert_eq!(scalar("Yes"), "\"Yes\"");
        assert_eq!(scalar("5"), "\"5\"");
        assert_eq!(scalar("a: b"), "\"a: b\"");
        let value = json!({"phases": [{"name": "profiling", "concurrency": 4}], "models": ["a", "b"], "none": {}});
        let text = yaml_text(&value);
        assert_eq!(text, "phases:\n  - name: profiling\n    concurrency: 4\nmodels: [a, b]\nnone: {}\n");
        assert_eq!(serde_saphyr::from_str::<Value>(&text).unwrap(), value);
    }

    proptest! {
        #[test]
        fn any_text_is_read_back(text in ".{0,30}") {
            // As preset files are read: a text is wanted. Without that, old YAML takes `y` for true.
            let read: BTreeMap<String, String> = serde_saphyr::from_str(&format!("key: {}\n", scalar(&text))).unwrap();
            prop_assert_eq!(read["key"].as_str(), text.as_str());
        }
    }
}
