//! Writes a value as YAML that people can read and edit.

use serde_json::Value;

use super::node::NodeValue;
use super::scalar;

/// Longest list or map that is written on one line.
const ONE_LINE: usize = 80;

/// The value as a YAML document.
pub fn write(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(pairs) if !pairs.is_empty() => put(&mut out, value, 0),
        Value::Array(items) if !items.is_empty() => put(&mut out, value, 0),
        _ => {
            out.push_str(&one_line(value));
            out.push('\n');
        }
    }
    out
}

/// The entries of a list or map, each on its own lines.
fn put(out: &mut String, value: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(pairs) => {
            for (key, value) in pairs {
                out.push_str(&format!("{indent}{}:", text(key)));
                put_value(out, value, depth);
            }
        }
        Value::Array(items) => {
            for item in items {
                // The first key of a map stands on the line of the dash.
                let mut inner = String::new();
                if is_short(item) {
                    inner = format!("{indent}  {}\n", one_line(item));
                } else {
                    put(&mut inner, item, depth + 1);
                }
                out.push_str(&format!("{indent}- {}", inner.get(indent.len() + 2..).unwrap_or_default()));
            }
        }
        _ => {}
    }
}

fn put_value(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::String(lines) if lines.contains('\n') && is_block(lines) => {
            let indent = "  ".repeat(depth + 1);
            let keep = if lines.ends_with('\n') { "|" } else { "|-" };
            out.push_str(&format!(" {keep}\n"));
            for line in lines.lines() {
                out.push_str(&if line.is_empty() { "\n".to_owned() } else { format!("{indent}{line}\n") });
            }
        }
        _ if is_short(value) => out.push_str(&format!(" {}\n", one_line(value))),
        _ => {
            out.push('\n');
            put(out, value, depth + 1);
        }
    }
}

/// Whether a text can be written as a literal block and is read as the same.
fn is_block(lines: &str) -> bool {
    !lines.ends_with("\n\n")
        && !lines.starts_with([' ', '\n', '\t'])
        && lines.chars().all(|c| c == '\n' || c == '\t' || !c.is_control())
        && !lines.contains(['\u{85}', '\u{2028}', '\u{2029}', '\u{feff}'])
}

/// A map is written on lines of its own, unless it is a small one inside of a list or map that holds no others.
fn is_short(value: &Value) -> bool {
    match value {
        Value::Array(items) => {
            items.iter().all(|item| !item.is_object() && is_short(item)) && one_line(value).len() <= ONE_LINE
        }
        Value::Object(pairs) => {
            pairs.values().all(|value| !value.is_object() && !value.is_array())
                && pairs.len() <= 4
                && one_line(value).len() <= ONE_LINE
        }
        _ => true,
    }
}

fn one_line(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(word) => text(word),
        Value::Array(items) => format!("[{}]", items.iter().map(one_line).collect::<Vec<_>>().join(", ")),
        Value::Object(pairs) => {
            let pairs: Vec<String> =
                pairs.iter().map(|(key, value)| format!("{}: {}", text(key), one_line(value))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}

/// As it is if it would be read as the same text, else in double quotes, whose escapes are those of JSON.
pub(crate) fn text(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./+".contains(c);
    let starts_plain = word.starts_with(|c: char| c.is_ascii_alphanumeric() || "_./".contains(c));
    // Three dots at the start of a line end a document.
    if starts_plain
        && !word.starts_with("...")
        && word.chars().all(plain)
        && matches!(scalar::plain(word), NodeValue::Text(_))
        && !is_yaml_1_1_word(word)
    {
        return word.to_owned();
    }
    // YAML does not allow these characters as they are, and JSON does not escape them.
    let is_special =
        |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    let mut quoted = String::new();
    for c in Value::from(word).to_string().chars() {
        if is_special(c) {
            quoted.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            quoted.push(c);
        }
    }
    quoted
}

/// Words that older readers take for truth values.
fn is_yaml_1_1_word(word: &str) -> bool {
    ["y", "n", "yes", "no", "on", "off"].contains(&word.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::read;
    use super::*;

    #[test]
    fn maps_are_written_line_by_line_and_short_lists_on_one() {
        let value = json!({
            "schemaVersion": "2.0",
            "benchmark": {
                "model": "org/model",
                "endpoint": {"urls": ["http://localhost:8000"], "streaming": true, "extra": {"stop": null}},
                "phases": [{"name": "profiling", "type": "poisson", "rate": 2.5, "duration": 60, "grace": "30s"}],
                "prompt": "two\nlines"
            }
        });
        assert_eq!(
            write(&value),
            r#"schemaVersion: "2.0"
benchmark:
  model: org/model
  endpoint:
    urls: ["http://localhost:8000"]
    streaming: true
    extra: {stop: null}
  phases:
    - name: profiling
      type: poisson
      rate: 2.5
      duration: 60
      grace: 30s
  prompt: |-
    two
    lines
"#
        );
    }

    #[test]
    fn three_dots_are_text_and_not_the_end_of_the_document() {
        assert_eq!(write(&json!("...")), "\"...\"\n");
        assert_eq!(read(&write(&json!("..."))).unwrap().to_json(), json!("..."));
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9f64).prop_map(Value::from),
            ".{0,12}".prop_map(Value::from),
            "[a-z \n:#-]{0,20}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map(".{0,8}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_as_the_same(value in any_value()) {
            let text = write(&value);
            let back = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}")).to_json();
            prop_assert_eq!(back, value, "{}", text);
        }
    }
}
