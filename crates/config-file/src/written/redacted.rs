//! Takes secrets out of a file that is written among the results of a run.

use aiperf_options::catalogue::OptionId;
use aiperf_options::{RawOptions, read_headers, read_key_values};
use aiperf_redact::shown_fields;
use serde_json::{Map, Value};

use crate::field::{BENCHMARK, Field, Form};
use crate::names::snake;

/// The file with the values of secrets replaced, as they are in all other files of a run.
pub(crate) fn redacted(mut file: Value) -> Value {
    let Some(file_map) = file.as_object_mut() else { return file };
    if let Some(body) = file_map.get_mut("benchmark") {
        section(body, BENCHMARK);
    }
    if let Some(Value::Object(variables)) = file_map.get_mut("variables") {
        let shown = shown_fields(variables);
        if let Value::Object(shown) = shown {
            *variables = shown;
        }
    }
    let sweep = file_map.get_mut("sweep").and_then(Value::as_object_mut);
    for (key, value) in sweep.into_iter().flatten() {
        match (key.as_str(), value) {
            ("runs", Value::Array(runs)) => {
                for body in runs.iter_mut().filter_map(|run| run.get_mut("benchmark")) {
                    section(body, BENCHMARK);
                }
            }
            ("parameters", Value::Object(parameters)) => {
                for (path, values) in parameters {
                    let path: Vec<&str> = path.trim_start_matches("benchmark.").split('.').collect();
                    if let Some(field) = field_at(&path, BENCHMARK) {
                        one(values, field);
                    }
                }
            }
            _ => {}
        }
    }
    file
}

fn field_at(path: &[&str], fields: &'static [Field]) -> Option<&'static Field> {
    let (first, rest) = path.split_first()?;
    let field = fields.iter().find(|field| field.is_called(&snake(first)))?;
    match (rest, field.form) {
        ([], _) => Some(field),
        (rest, Form::Section(fields)) => field_at(rest, fields),
        _ => None,
    }
}

fn section(value: &mut Value, fields: &'static [Field]) {
    let Some(map) = value.as_object_mut() else { return };
    for (key, value) in map {
        if let Some(field) = fields.iter().find(|field| field.is_called(&snake(key))) {
            one(value, field);
        }
    }
}

fn one(value: &mut Value, field: &Field) {
    match (field.form, &mut *value) {
        (Form::Section(fields), _) => section(value, fields),
        (Form::Own(crate::field::OwnForm::ServerCall(call)), _) => section(value, call.fields().1),
        (Form::Scalar(id) | Form::List(id), Value::String(text)) => *text = shown(id, text).join(","),
        (Form::Scalar(_) | Form::List(_), Value::Array(items)) => items.iter_mut().for_each(|item| one(item, field)),
        (Form::Map(id), Value::Object(map)) => *value = shown_map(id, map),
        _ => {}
    }
}

fn shown(id: OptionId, text: &str) -> Vec<String> {
    let mut options = RawOptions::new();
    options.push(id, id.flag(), vec![text.to_owned()]);
    options.redacted().given().iter().flat_map(|given| given.values.clone()).collect()
}

fn shown_map(id: OptionId, map: &Map<String, Value>) -> Value {
    let tokens = shown(id, &Value::Object(map.clone()).to_string());
    if id == OptionId::Header {
        let mut headers = Vec::new();
        for token in &tokens {
            let _ = read_headers(&mut headers, token);
        }
        return headers.into_iter().map(|(name, value)| (name, Value::from(value))).collect();
    }
    let mut values = Map::new();
    for token in &tokens {
        let _ = read_key_values(&mut values, token);
    }
    Value::Object(values)
}
