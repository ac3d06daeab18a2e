//! The reference of configuration files, `docs/config-reference.md`, is made from the JSON schema.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use aiperf_config_file::schema;
use serde_json::Value;

const HEAD: &str = "\
# Reference of configuration files

All keys of the files that `aiperf profile -f` reads. [config.md](config.md) explains how files are used. Keys may be written in camelCase, as here, or
in snake_case. Each value may also be a reference, `${NAME}`, or a template, `{{ expression }}`.

The same is in the JSON schema, from which editors complete keys:

```sh
aiperf config schema > aiperf.schema.json
```
";

/// What may stand for a value, in a few words.
fn kind(schema: &Value) -> String {
    if let Some(target) = schema["$ref"].as_str() {
        return match target.rsplit('/').next().unwrap() {
            "truth" => "true or false",
            "duration" => "time",
            "distribution" => "[length](#distribution)",
            "reference" => "",
            other => return format!("[{other}](#{})", other.to_lowercase()),
        }
        .to_owned();
    }
    if let Some(members) = schema["enum"].as_array() {
        let names: Vec<String> = members
            .iter()
            .map(|name| format!("`{}`", name.as_str().map_or_else(|| name.to_string(), ToOwned::to_owned)))
            .collect();
        return names.join(", ");
    }
    if let Some(one) = schema.get("const") {
        return format!("`{}`", one.as_str().unwrap_or_default());
    }
    if schema.get("not").is_some() {
        return "refused".to_owned();
    }
    if let Some(forms) = schema["anyOf"].as_array() {
        let mut kinds: Vec<String> = Vec::new();
        for kind in forms.iter().map(kind).filter(|kind| !kind.is_empty()) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        return kinds.join(" or ");
    }
    let word = |name: &str| match name {
        "integer" => "whole number",
        "number" => "number",
        "string" => "text",
        "boolean" => "true or false",
        "array" => "list",
        "object" => "map",
        _ => "",
    };
    let names: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![word(name)],
        // A text that looks like a number is a text, which readers need not know.
        Value::Array(names) if names.iter().any(|name| name == "string") => names
            .iter()
            .map(|name| word(name.as_str().unwrap()))
            .filter(|name| !["number", "true or false", "whole number"].contains(name))
            .collect(),
        Value::Array(names) => {
            names.iter().map(|name| word(name.as_str().unwrap())).filter(|name| !name.is_empty()).collect()
        }
        _ => vec!["any"],
    };
    let mut text = names.join(" or ");
    for (keyword, words) in
        [("minimum", "at least"), ("exclusiveMinimum", "above"), ("maximum", "at most"), ("exclusiveMaximum", "below")]
    {
        if let Some(bound) = schema[keyword].as_f64() {
            let _ = write!(text, ", {words} {bound}");
        }
    }
    text
}

/// The sections that a schema has, in itself or in one of its forms.
fn objects(schema: &Value) -> Vec<&Value> {
    let has_keys = schema["properties"].as_object().is_some_and(|properties| !properties.is_empty());
    let mut found: Vec<&Value> = has_keys.then_some(schema).into_iter().collect();
    found.extend(schema["anyOf"].as_array().into_iter().flatten().flat_map(objects));
    found.extend(schema.get("items").into_iter().flat_map(objects));
    found
}

fn section(out: &mut String, title: &str, schema: &Value, seen: &mut BTreeSet<String>) {
    let mut below: Vec<(String, &Value)> = Vec::new();
    let all = objects(schema);
    for (place, object) in all.iter().enumerate() {
        let properties = object["properties"].as_object().unwrap();
        let of_kind = properties.get("type").and_then(|kind| kind["const"].as_str()).filter(|_| all.len() > 1);
        if place == 0 {
            let _ = writeln!(out, "\n## {title}\n");
            if let Some(about) = schema["description"].as_str() {
                let _ = writeln!(out, "{}\n", about.replace('|', "\\|"));
            }
        } else {
            out.push('\n');
        }
        if let Some(kind) = of_kind {
            let _ = writeln!(out, "### {title}, type {kind}\n");
        }
        out.push_str("| key | value | meaning |\n|---|---|---|\n");
        for (key, value) in properties {
            // Two names of one field have one section.
            let first = properties.iter().find(|(_, other)| *other == value).map_or(key, |(first, _)| first);
            let is_section = !objects(value).is_empty();
            let about = value["description"].as_str().unwrap_or("").replace('|', "\\|");
            let name = format!("{title}.{first}");
            let name = name.strip_prefix("benchmark.").unwrap_or(&name).to_owned();
            let shown = if is_section { format!("[{name}](#{})", anchor(&name)) } else { kind(value) };
            let _ = writeln!(out, "| `{key}` | {shown} | {about} |");
            if is_section && seen.insert(name.clone()) {
                below.push((name, value));
            }
        }
    }
    for (title, schema) in below {
        section(out, &title, schema, seen);
    }
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(title: &str) -> String {
    title
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '_' || *c == '-')
        .collect::<String>()
        .replace(' ', "-")
}

fn page() -> String {
    let schema = schema();
    let mut out = HEAD.to_owned();
    let mut seen = BTreeSet::new();
    section(&mut out, "File", &schema, &mut seen);
    for (name, part) in schema["$defs"].as_object().unwrap() {
        if !["reference", "truth", "duration"].contains(&name.as_str()) {
            section(&mut out, name, part, &mut seen);
        }
    }
    out
}

#[test]
fn the_reference_has_all_keys() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/config-reference.md");
    let page = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "docs/config-reference.md is old: UPDATE_DOCS=1 cargo test -p aiperf-config-file --test manual"
    );
}
