//! Values of options as values of a file.

use aiperf_options::catalogue::{OptionId, ValueKind};
use serde_json::{Map, Number, Value};

/// The value of an option with one value: a number if the option takes numbers, else a text.
pub(super) fn scalar(id: OptionId, text: &str) -> Value {
    match id.spec().value {
        ValueKind::Int | ValueKind::Float => number(text.trim().trim_end_matches(',')),
        _ => literal(text),
    }
}

/// A number as short as it was typed, or the text if it is another notation.
pub(super) fn number(text: &str) -> Value {
    if let Ok(whole) = text.parse::<i64>()
        && whole.to_string() == text
    {
        return Value::from(whole);
    }
    let real = text.parse::<f64>().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit() || b".-".contains(&b)));
    real.and_then(Number::from_f64).map_or_else(|| literal(text), Value::Number)
}

/// One value of a list. Options of real numbers keep a point, as the labels of cells have it.
pub(super) fn swept(id: OptionId, text: &str) -> Value {
    let real = text.parse::<f64>().ok().and_then(Number::from_f64);
    match (id.spec().value, real) {
        (ValueKind::Float, Some(real)) => Value::Number(real),
        _ => number(text),
    }
}

/// Whether a flag was switched on.
pub(super) fn is_on(values: &[String]) -> bool {
    values.first().is_none_or(|text| ["true", "yes", "1", "on"].contains(&text.to_ascii_lowercase().as_str()))
}

/// A text that is read as itself, although references and templates are replaced in files.
pub(super) fn literal(text: &str) -> Value {
    if !["${", "{{", "{%"].iter().any(|mark| text.contains(mark)) {
        return Value::from(text);
    }
    // The text as a string of the template language. The empty expression before it keeps a number a text.
    let quoted = Value::from(text).to_string().replace('{', "\\u007b").replace('}', "\\u007d").replace('$', "\\u0024");
    Value::from(format!("{{{{ \"\" }}}}{{{{ {quoted} }}}}"))
}

/// Texts at any depth as they are read as themselves. Templates of requests are left alone by the reader.
pub(super) fn literals(value: Value) -> Value {
    match value {
        Value::String(text) => literal(&text),
        Value::Array(items) => Value::Array(items.into_iter().map(literals).collect()),
        Value::Object(pairs) => {
            let pair = |(key, value): (String, Value)| match value {
                Value::String(text) if key == "payload_template" || key == "template" => {
                    (key, Value::from(text.replace("${", "{{ \"$\" }}{")))
                }
                value => (key, literals(value)),
            };
            Value::Object(pairs.into_iter().map(pair).collect())
        }
        other => other,
    }
}

/// What `lognormal:mean=100,median=60` or a JSON object describes, as a file has it.
pub(super) fn distribution(text: &str) -> Value {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).unwrap_or_else(|_| literal(text));
    }
    let Some((kind, rest)) = text.split_once(':') else {
        return number(text.trim().trim_end_matches(','));
    };
    let mut object = Map::from_iter([("type".to_owned(), Value::from(kind.trim()))]);
    let mut points = Vec::new();
    for (key, value) in rest.split(',').filter_map(|pair| pair.split_once('=')) {
        let (key, value) = (key.trim(), number(value.trim()));
        if kind.trim() == "empirical" && !["min", "max"].contains(&key) {
            points.push(serde_json::json!({"value": number(key), "weight": value}));
        } else {
            object.insert(key.to_owned(), value);
        }
    }
    if !points.is_empty() {
        object.insert("points".to_owned(), Value::Array(points));
    }
    Value::Object(object)
}
