//! The JSON schema of configuration files, made from the tables of fields. Editors complete and check files with it.

mod field;
mod own;
mod phases;
mod sweep;

use serde_json::{Map, Value, json};

use self::field::{described, section};
use crate::field::{BENCHMARK, FILE_DATASET, MULTI_RUN, PUBLIC_DATASET, SYNTHETIC_DATASET};
use crate::names::camel;

/// Where files look for the schema: next to them.
pub const SCHEMA_FILE: &str = "aiperf.schema.json";

/// The JSON schema (draft 2020-12) of configuration files.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "aiperf configuration file",
        "description": "One benchmark, or several, for `aiperf profile -f FILE`. Keys may be written in camelCase or in snake_case.",
        "type": "object",
        "required": ["benchmark"],
        "additionalProperties": false,
        "properties": {
            "schemaVersion": {"description": "Version of the format.", "enum": ["2.0", 2]},
            "benchmark": {"$ref": "#/$defs/benchmark"},
            "sweep": {"$ref": "#/$defs/sweep"},
            "multiRun": {"$ref": "#/$defs/multiRun"},
            "variables": {
                "description": "Names with values for templates: `{{ NAME }}`. Variables may use each other.",
                "type": "object"
            },
            "randomSeed": {
                "description": "Seed of all runs. Runs with the same seed send the same requests.",
                "anyOf": [{"type": "integer", "minimum": 0}, {"$ref": "#/$defs/reference"}]
            },
            "noSweepTable": described(json!({"$ref": "#/$defs/truth"}), "Leave out the table of each run of a sweep."),
            "plot": {
                "description": "Charts of this run: the path of a preset file, or its contents. Switches `artifacts.autoPlot` on.",
                "type": ["string", "object"]
            },
        },
        "patternProperties": {
            "^schema_version$": true,
            "^multi_run$": {"$ref": "#/$defs/multiRun"},
            "^random_seed$": true,
            "^no_sweep_table$": true,
        },
        "$defs": definitions(),
    })
}

fn definitions() -> Map<String, Value> {
    let mut definitions = Map::new();
    let mut define = |name: &str, value: Value| drop(definitions.insert(name.to_owned(), value));
    define(
        "reference",
        json!({
            "description": "An environment variable, `${NAME}` or `${NAME:default}`, or a template, `{{ expression }}`.",
            "type": "string",
            "pattern": "\\$\\{|\\{\\{|\\{%"
        }),
    );
    define(
        "truth",
        json!({"anyOf": [{"type": "boolean"}, {"enum": ["yes", "no", "on", "off"]}, {"$ref": "#/$defs/reference"}]}),
    );
    define(
        "duration",
        json!({
            "description": "Seconds, or a number with a unit: 90, 90s, 5m, 2h, inf.",
            "anyOf": [{"type": "number", "minimum": 0}, {"type": "string"}]
        }),
    );
    define("distribution", field::distribution());
    define("multiRun", described(section(MULTI_RUN, &Map::new()), "Repeated runs of each configuration."));
    define("sweep", sweep::schema());
    define("phase", phases::phase());
    define("dataset", dataset());
    define("benchmark", benchmark());
    definitions
}

fn benchmark() -> Value {
    let mut others = Map::new();
    let dataset = json!({"$ref": "#/$defs/dataset"});
    let phase = json!({"$ref": "#/$defs/phase"});
    others.insert("dataset".to_owned(), dataset.clone());
    others.insert(
        "datasets".to_owned(),
        json!({"description": "A list with one data set, or the data set itself.",
            "anyOf": [{"type": "array", "items": dataset, "minItems": 1, "maxItems": 1}, dataset]}),
    );
    others.insert("profiling".to_owned(), described(phase.clone(), "The measured load."));
    others.insert(
        "warmup".to_owned(),
        described(phase.clone(), "Load before the measured load; the results leave it out."),
    );
    others.insert(
        "phases".to_owned(),
        json!({"description": "Phases in their order, or the measured phase alone.",
            "anyOf": [{"type": "array", "items": phase, "minItems": 1}, phase]}),
    );
    described(section(BENCHMARK, &others), "What one run does.")
}

/// One of three kinds, each with fields of its own.
fn dataset() -> Value {
    let kinds = [("synthetic", SYNTHETIC_DATASET), ("file", FILE_DATASET), ("public", PUBLIC_DATASET)];
    let of_kind = |(kind, fields)| {
        let mut others = Map::new();
        others.insert(
            "name".to_owned(),
            json!({"description": "Name of the data set, for paths of sweeps.", "type": "string"}),
        );
        others.insert("type".to_owned(), json!({"description": "Kind of data set.", "const": kind}));
        let mut schema = section(fields, &others);
        if kind != "synthetic" {
            schema["required"] = json!(["type"]);
        }
        schema
    };
    json!({
        "description": "What requests contain: generated texts and media, rows of a file, or a public data set.",
        "anyOf": kinds.map(of_kind)
    })
}

/// The properties of a section under both spellings; only one of them is offered by editors.
fn with_both_cases(properties: Map<String, Value>) -> (Map<String, Value>, Map<String, Value>) {
    let mut patterns = Map::new();
    let mut camel_case = Map::new();
    for (name, value) in properties {
        if camel(&name) != name {
            // Sections are described once, under the name that editors offer.
            let is_large = value.to_string().len() > 1_000;
            patterns.insert(format!("^{name}$"), if is_large { json!(true) } else { value.clone() });
        }
        camel_case.insert(camel(&name), value);
    }
    (camel_case, patterns)
}

/// A section with these properties in `snake_case`, and no others.
fn object(properties: Map<String, Value>) -> Value {
    let (properties, patterns) = with_both_cases(properties);
    let mut schema = json!({"type": ["object", "null"], "additionalProperties": false, "properties": properties});
    if !patterns.is_empty() {
        schema["patternProperties"] = Value::Object(patterns);
    }
    schema
}

/// Properties that are written by hand: name in `snake_case`, description, type.
fn written(properties: &[(&str, &str, Value)]) -> Map<String, Value> {
    let property = |(name, about, value): &(&str, &str, Value)| {
        ((*name).to_owned(), described(if value.is_object() { value.clone() } else { json!({}) }, about))
    };
    properties.iter().map(property).collect()
}
