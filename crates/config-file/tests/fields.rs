//! Every field of AIPerf's schema takes effect or is refused by name. `fields/reference_fields.txt` has the names of all
//! fields, `fields/rows.yaml` a row for each.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::collections::BTreeSet;
use std::fs;

use aiperf_config::{DatasetSource, Environment, Experiment};
use aiperf_config_file::{ConfigFile, write, yaml_value};
use aiperf_options::RawOptions;
use serde_json::{Value, json};

const FIELDS: &str = include_str!("fields/reference_fields.txt");
const ROWS: &str = include_str!("fields/rows.yaml");

/// The file that fields are set in.
fn base() -> Value {
    json!({"benchmark": {
        "model": "m",
        "endpoint": {"url": "host:8000", "streaming": true},
        "dataset": {"isl": 100},
        "profiling": {"concurrency": 4, "requests": 10},
    }})
}

/// Sets a value at a path; null removes the key.
fn set(root: &mut Value, path: &str, value: &Value) {
    let mut at = root;
    let steps: Vec<&str> = path.split('.').filter(|step| !step.is_empty()).collect();
    let (last, before) = steps.split_last().unwrap();
    for step in before {
        at = match (at, step.parse::<usize>()) {
            (Value::Array(items), Ok(index)) => {
                while items.len() <= index {
                    items.push(json!({}));
                }
                &mut items[index]
            }
            (at, _) => {
                if !at.is_object() {
                    *at = json!({});
                }
                at.as_object_mut().unwrap().entry(*step).or_insert_with(|| json!({}))
            }
        };
    }
    if !at.is_object() {
        *at = json!({});
    }
    let map = at.as_object_mut().unwrap();
    if value.is_null() && *last != "optimization" {
        map.remove(*last);
    } else {
        map.insert((*last).to_owned(), value.clone());
    }
}

fn resolved(file: &Value, environment: &Environment) -> Result<Experiment, String> {
    let file =
        ConfigFile::parse("run.yaml", &write(file), &environment.variables).map_err(|error| error.to_string())?;
    file.experiment(&RawOptions::new(), environment).map_err(|error| error.to_string())
}

/// What a run depends on, without the places in the file that warnings and messages name.
fn shown(mut experiment: Experiment) -> String {
    for cell in &mut experiment.cells {
        cell.config.warnings.clear();
        if let DatasetSource::File(file) = &mut cell.config.dataset.source {
            file.conditional.clear();
        }
        if let Some(scenario) = &mut cell.config.scenario {
            scenario.violations.clear();
        }
    }
    format!("{experiment:?}")
}

/// The row of a field; fields that several definitions share have one.
fn row_key(field: &str) -> (String, String) {
    let (definition, name) = field.split_once('.').unwrap();
    let phase = ["phases.", "profiling.", "warmup."].into_iter().find_map(|short| name.strip_prefix(short));
    let definition = match definition {
        "BenchmarkConfig" if phase.is_some() => return ("Phase".to_owned(), phase.unwrap().to_owned()),
        "BenchmarkConfig" if name.starts_with("dataset.") => {
            return ("dataset".to_owned(), name.trim_start_matches("dataset.").to_owned());
        }
        "DisabledAdaptiveScaleNestedBlock" => "AdaptiveScaleNestedBlock",
        phase if phase.ends_with("Phase") => "Phase",
        other => other,
    };
    (definition.to_owned(), name.to_owned())
}

/// One field of a definition, with what is expected of it.
struct Row {
    field: String,
    path: String,
    value: Value,
    expect: String,
    wrong: Option<Value>,
    before: Value,
}

fn row(rows: &Value, definition: &str, name: &str) -> Option<Row> {
    let section = rows.get(definition)?;
    let field = section["fields"].get(name).or_else(|| section.get("all"))?;
    let described = if field.get("value").is_some() { field.clone() } else { json!({"value": field}) };
    let mut before = base();
    for changes in [&section["base"], &described["base"]] {
        for (path, value) in changes.as_object().into_iter().flatten() {
            set(&mut before, path, value);
        }
    }
    let value = section["instead"].get(name).unwrap_or(&described["value"]).clone();
    Some(Row {
        field: format!("{definition}.{name}"),
        path: format!("{}.{name}", described["at"].as_str().or(section["at"].as_str()).unwrap()),
        value,
        expect: described["expect"].as_str().unwrap_or("effect").to_owned(),
        wrong: described.get("wrong").cloned(),
        before,
    })
}

/// What is not as expected.
fn problem(row: &Row, environment: &Environment) -> Option<String> {
    let leaf = row.path.rsplit('.').next().unwrap().to_owned();
    let with = |value: &Value| {
        let mut file = row.before.clone();
        set(&mut file, &row.path, value);
        resolved(&file, environment)
    };
    let before = resolved(&row.before, environment);
    // A field of something that is refused as a whole is refused with it.
    let kind = row.before["sweep"]["type"].as_str().unwrap_or("-").to_owned();
    let is_named = |error: &String| {
        let steps = row.path.split('.').filter(|step| step.len() > 6).chain([leaf.as_str(), kind.as_str()]);
        steps.into_iter().any(|step| error.contains(step))
    };
    let changes = |after: Experiment| before.as_ref().map_or(true, |before| shown(before.clone()) != shown(after));
    match (row.expect.as_str(), with(&row.value)) {
        ("effect" | "accepted" | "warned", Err(error)) => Some(error),
        ("effect", Ok(after)) => match &before {
            Err(error) => Some(format!("the file without it: {error}")),
            Ok(_) => (!changes(after)).then(|| "no effect".to_owned()),
        },
        ("refused", Ok(_)) => Some("accepted".to_owned()),
        ("refused", Err(error)) => (!is_named(&error)).then_some(error),
        ("accepted", Ok(_)) => row.wrong.as_ref().and_then(|wrong| match with(wrong) {
            Ok(_) => Some(format!("{wrong} is accepted")),
            Err(_) => None,
        }),
        ("warned", Ok(after)) => {
            let warnings = &after.cells[0].config.warnings;
            (!warnings.iter().any(is_named)).then(|| format!("no warning: {warnings:?}"))
        }
        (other, _) => panic!("{}: {other}", row.field),
    }
}

#[test]
fn every_field_of_the_reference_takes_effect_or_is_refused_by_name() {
    let folder = std::env::temp_dir().join(format!("aiperf-fields-{}", std::process::id()));
    fs::create_dir_all(folder.join("pictures")).unwrap();
    for (name, text) in [
        ("rows.jsonl", "{\"text\": \"hello\"}\n"),
        ("trace.jsonl", "{\"timestamp\": 0, \"input_length\": 5, \"output_length\": 5}\n"),
        ("series.json", r#"[{"time_s": 0, "qps": 2}, {"time_s": 60, "qps": 10}]"#),
        ("prompt.txt", "be brief"),
        ("fields.csv", ""),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    let environment = Environment { current_dir: folder.clone(), ..Environment::default() };
    let rows = yaml_value(ROWS).unwrap();
    let mut problems = Vec::new();
    let mut done = BTreeSet::new();
    for field in FIELDS.lines() {
        let (definition, name) = row_key(field);
        let definitions = if definition == "dataset" {
            vec!["SyntheticDataset", "FileDataset", "PublicDataset"]
        } else {
            vec![definition.as_str()]
        };
        let Some(row) = definitions.iter().find_map(|definition| row(&rows, definition, &name)) else {
            problems.push(format!("{field}: no row"));
            continue;
        };
        if done.insert(row.field.clone())
            && let Some(problem) = problem(&row, &environment)
        {
            problems.push(format!("{} = {}: {problem}", row.field, row.value));
        }
    }
    fs::remove_dir_all(&folder).unwrap();
    println!("{} fields, {} rows", FIELDS.lines().count(), done.len());
    assert!(problems.is_empty(), "{} of {}:\n{}", problems.len(), done.len(), problems.join("\n"));
}
