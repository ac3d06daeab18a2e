//! The JSON schema fits the files that are read, and only those.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use aiperf_config_file::{STARTERS, schema, yaml_value};
use serde_json::{Value, json};

/// Where a value does not fit; the keywords are those that the schema uses.
fn misfit(root: &Value, schema: &Value, value: &Value, path: &str) -> Option<String> {
    let wrong = |why: String| Some(format!("{path}: {why}"));
    let Some(map) = schema.as_object() else { return (schema == &json!(false)).then(|| path.to_owned()) };
    for (keyword, rule) in map {
        let problem = match keyword.as_str() {
            "$ref" => {
                let pointer = rule.as_str().unwrap().trim_start_matches('#');
                misfit(root, root.pointer(pointer).unwrap_or_else(|| panic!("{pointer}")), value, path)
            }
            "type" => {
                let kinds: Vec<&str> = rule.as_array().map_or_else(
                    || vec![rule.as_str().unwrap()],
                    |kinds| kinds.iter().map(|kind| kind.as_str().unwrap()).collect(),
                );
                let fits = kinds.iter().any(|kind| match *kind {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "null" => value.is_null(),
                    "integer" => value.is_i64() || value.is_u64(),
                    "number" => value.is_number(),
                    other => panic!("{other}"),
                });
                if fits { None } else { wrong(format!("{value} is not {rule}")) }
            }
            "enum" if !rule.as_array().unwrap().contains(value) => wrong(format!("{value} is not one of {rule}")),
            "const" if rule != value => wrong(format!("{value} is not {rule}")),
            "not" => wrong("is refused".to_owned()),
            "anyOf" => {
                let found: Vec<Option<String>> =
                    rule.as_array().unwrap().iter().map(|one| misfit(root, one, value, path)).collect();
                if found.iter().any(Option::is_none) {
                    None
                } else {
                    // The one that went deepest says most.
                    found.into_iter().flatten().max_by_key(|problem| problem.matches('.').count())
                }
            }
            "required" if value.is_object() => rule
                .as_array()
                .unwrap()
                .iter()
                .find(|key| value.get(key.as_str().unwrap()).is_none())
                .map(|key| format!("{path}: {key} is missing")),
            "properties" if value.is_object() => value.as_object().unwrap().iter().find_map(|(key, value)| {
                let path = format!("{path}.{key}");
                match (rule.get(key), map.get("patternProperties").and_then(|known| known.get(format!("^{key}$")))) {
                    (Some(one), _) | (None, Some(one)) => misfit(root, one, value, &path),
                    (None, None) if map.get("additionalProperties") == Some(&json!(false)) => {
                        Some(format!("{path}: unknown"))
                    }
                    (None, None) => None,
                }
            }),
            "additionalProperties" if rule.is_object() && map.get("properties").is_none() => value
                .as_object()
                .into_iter()
                .flatten()
                .find_map(|(key, value)| misfit(root, rule, value, &format!("{path}.{key}"))),
            "items" => value
                .as_array()
                .into_iter()
                .flatten()
                .enumerate()
                .find_map(|(index, value)| misfit(root, rule, value, &format!("{path}[{index}]"))),
            "pattern" => {
                let text = value.as_str().unwrap_or_default();
                let fits = ["${", "{{", "{%"].iter().any(|mark| text.contains(mark));
                if fits { None } else { wrong(format!("{text:?} is not a reference")) }
            }
            "minimum" if value.as_f64().is_some_and(|value| value < rule.as_f64().unwrap()) => {
                wrong(format!("below {rule}"))
            }
            "exclusiveMinimum" if value.as_f64().is_some_and(|value| value <= rule.as_f64().unwrap()) => {
                wrong(format!("not above {rule}"))
            }
            "maximum" if value.as_f64().is_some_and(|value| value > rule.as_f64().unwrap()) => {
                wrong(format!("above {rule}"))
            }
            "exclusiveMaximum" if value.as_f64().is_some_and(|value| value >= rule.as_f64().unwrap()) => {
                wrong(format!("not below {rule}"))
            }
            "minItems" if value.as_array().is_some_and(|items| (items.len() as u64) < rule.as_u64().unwrap()) => {
                wrong("too few".to_owned())
            }
            "maxItems" if value.as_array().is_some_and(|items| items.len() as u64 > rule.as_u64().unwrap()) => {
                wrong("too many".to_owned())
            }
            _ => None,
        };
        if problem.is_some() {
            return problem;
        }
    }
    None
}

#[test]
fn templates_fit_the_schema() {
    let schema = schema();
    for starter in STARTERS {
        let value = yaml_value(&starter.text(None, None)).unwrap();
        assert_eq!(misfit(&schema, &schema, &value, starter.name), None);
    }
}

#[test]
fn mistakes_do_not_fit_the_schema() {
    let schema = schema();
    for (text, problem) in [
        ("benchmark: {endpoint: {timout: 5}}", "endpoint.timout: unknown"),
        ("benchmark: {endpoint: {streaming: maybe}}", "streaming"),
        ("benchmark: {profiling: {concurrency: 0}}", "concurrency"),
        ("benchmark: {profiling: {concurrency: many}}", "concurrency"),
        ("benchmark: {models: {items: [{name: a, lora: b}]}}", "models"),
        ("benchmark: {dataset: {type: files, path: a}}", "dataset"),
        ("sweep: {type: grid, parameters: {a: 5}}\nbenchmark: {}", "sweep"),
        ("model: m", "benchmark"),
        ("multiRun: {numRuns: 11}\nbenchmark: {}", "numRuns"),
    ] {
        let found =
            misfit(&schema, &schema, &yaml_value(text).unwrap(), "file").unwrap_or_else(|| panic!("{text} fits"));
        assert!(found.contains(problem), "{found}");
    }
    for text in ["benchmark: {endpoint: {wait_for_model_timeout: 5}}", "benchmark: {dataset: {isl: '{{ x }}'}}"] {
        assert_eq!(misfit(&schema, &schema, &yaml_value(text).unwrap(), "file"), None);
    }
}

/// Each part has a description, so that an editor can show one.
#[test]
fn every_key_is_described() {
    fn undescribed(schema: &Value, path: &str, found: &mut Vec<String>) {
        for (key, value) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let path = format!("{path}.{key}");
            let is_section = value.get("properties").is_some();
            if value.get("description").is_none() && value.get("$ref").is_none() && !is_section {
                found.push(path.clone());
            }
            undescribed(value, &path, found);
        }
        for one in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
            undescribed(one, path, found);
        }
    }
    let schema = schema();
    let mut found = Vec::new();
    undescribed(&schema, "", &mut found);
    for (name, one) in schema["$defs"].as_object().unwrap() {
        undescribed(one, name, &mut found);
    }
    assert!(found.is_empty(), "{found:?}");
}
