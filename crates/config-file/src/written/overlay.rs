//! A file with the options of the command line laid over it, as one file.

use aiperf_config::PhaseKind;
use aiperf_options::RawOptions;
use aiperf_options::catalogue::OptionId;
use serde_json::{Map, Value, json};

use super::load::kind;
use super::overlay_value::{length, models};
use super::section::Writer;
use super::value::is_on;
use crate::experiment::{is_list, of_warmup};
use crate::field::{
    BENCHMARK, FILE_DATASET, Field, Form, MULTI_RUN, NETWORK_LATENCY, OwnForm, PHASE, PUBLIC_DATASET, SERVER_METRICS,
    SYNTHETIC_DATASET,
};
use crate::names::{camel, snake};

/// `root` is the envelope of the file, with the keys that [`crate::ConfigFile`] gives it; lists of values are in its sweep.
pub(crate) fn laid_over(root: Value, typed: &RawOptions) -> Value {
    let Value::Object(mut root) = root else { return root };
    let (mut run, mut warmup) = (RawOptions::new(), RawOptions::new());
    for given in typed.given() {
        if given.id == OptionId::Config || is_list(given.id, &given.values) {
            continue;
        }
        let (into, id) = match of_warmup(given.id) {
            Some(of_any) => (&mut warmup, of_any),
            None => (&mut run, given.id),
        };
        into.push(id, given.spelling.clone(), given.values.clone());
    }
    let mut writer = Writer::new(&run, &[]);
    writer.put(&mut root, "random_seed", OptionId::RandomSeed);
    writer.put(&mut root, "no_sweep_table", OptionId::NoSweepTable);
    let multi_run = writer.section(MULTI_RUN);
    if !multi_run.is_empty() {
        lay(object_at(&mut root, "multi_run"), MULTI_RUN, multi_run);
    }
    if let Some(Value::Object(sweep)) = root.get_mut("sweep") {
        for (name, id) in [
            ("cooldown_seconds", OptionId::ParameterSweepCooldownSeconds),
            ("iteration_order", OptionId::ParameterSweepMode),
            ("same_seed", OptionId::ParameterSweepSameSeed),
        ] {
            if let Some(value) = writer.one(id) {
                replace(sweep, |key| snake(key) == name, &camel(name), value);
            }
        }
    }
    lay_over_body(object_at(&mut root, "benchmark"), &mut writer, &warmup);
    let key = |(key, value): (String, Value)| (camel(&key), value);
    let mut file: Map<String, Value> = Map::from_iter([("schemaVersion".to_owned(), json!("2.0"))]);
    file.extend(root.into_iter().map(key));
    Value::Object(file)
}

fn lay_over_body(body: &mut Map<String, Value>, writer: &mut Writer<'_>, warmup: &RawOptions) {
    if let Some(dataset) = dataset_of(body) {
        lay_over_dataset(dataset, writer);
    }
    let level = writer.options().get(OptionId::ExportLevel).and_then(|given| given.values.first().cloned());
    lay_over_load(body, PhaseKind::Profiling, writer);
    lay_over_load(body, PhaseKind::Warmup, &mut Writer::new(warmup, &[]));
    for field in BENCHMARK {
        if let Some(value) = writer.field(field) {
            lay_field(body, field, value);
        }
    }
    if let Some(level) = level.filter(|level| level != "raw") {
        let artifacts = object_at(body, "artifacts");
        replace(artifacts, |key| key == "raw", "raw", json!(false));
        if level == "records" {
            replace(artifacts, |key| key == "records", "records", json!(["jsonl"]));
        }
    }
}

fn lay_over_dataset(dataset: &mut Map<String, Value>, writer: &mut Writer<'_>) {
    let has = |id: OptionId| writer.options().get(id).is_some();
    if has(OptionId::InputFile) {
        dataset.insert("type".to_owned(), json!("file"));
        dataset.shift_remove("records");
    } else if has(OptionId::PublicDataset) {
        dataset.insert("type".to_owned(), json!("public"));
    }
    let fields = match dataset.get("type").and_then(Value::as_str) {
        Some("file") => FILE_DATASET,
        Some("public") => PUBLIC_DATASET,
        _ => SYNTHETIC_DATASET,
    };
    // Lengths stand in the data set or under `prompts`; the file's place is kept.
    let fragment = writer.section(fields);
    for (key, value) in fragment {
        let is_length = ["isl", "osl"].contains(&key.as_str());
        let in_prompts = dataset.get("prompts").and_then(|prompts| prompts.get(&key)).is_some();
        if is_length
            && in_prompts
            && let Some(Value::Object(prompts)) = dataset.get_mut("prompts")
        {
            lay(prompts, fields, Map::from_iter([(key, value)]));
        } else {
            lay(dataset, fields, Map::from_iter([(key, value)]));
        }
    }
}

/// Another way to pace requests replaces the one of the file.
fn lay_over_load(body: &mut Map<String, Value>, of: PhaseKind, writer: &mut Writer<'_>) {
    let options = writer.options();
    let has = |id: OptionId| options.get(id).is_some();
    let fixed = options.get(OptionId::FixedSchedule).is_some_and(|given| is_on(&given.values));
    let (rate, users, pattern) =
        (has(OptionId::RequestRate), has(OptionId::UserCentricRate), has(OptionId::ArrivalPattern));
    let has_series = has(OptionId::RequestRateSeries);
    let typed_kind = kind(writer, fixed);
    let pattern_of = options.get(OptionId::ArrivalPattern).and_then(|given| given.values.first().cloned());
    let fragment = writer.section(PHASE);
    for id in [OptionId::ArrivalPattern, OptionId::FixedSchedule, OptionId::NoFixedSchedule, OptionId::RampShape] {
        writer.take(id);
    }
    if fragment.is_empty() && !fixed && !pattern {
        return;
    }
    let Some(phase) = phase_of(body, of) else {
        if of == PhaseKind::Warmup {
            let mut started = Map::from_iter([("type".to_owned(), Value::from(typed_kind))]);
            started.extend(fragment);
            start_warmup(body, started);
        }
        return;
    };
    let own = phase.get("type").and_then(Value::as_str).unwrap_or("concurrency").to_owned();
    let is_rate = ["poisson", "constant", "gamma"].contains(&own.as_str());
    let mut without: Vec<&str> = Vec::new();
    if fixed || users {
        without.extend(["rate", "rate_series", "smoothness"]);
    } else if rate {
        without.push("rate_series");
    }
    phase.retain(|key, _| !without.contains(&snake(key).as_str()));
    let new_kind = if fixed || users {
        Some(typed_kind)
    } else if let Some(pattern) = pattern_of {
        let pattern = pattern.to_ascii_lowercase();
        // Without a rate, requests follow responses.
        Some(if pattern == "concurrency_burst" { "concurrency".to_owned() } else { pattern })
    } else if (rate || has_series) && !is_rate {
        Some("poisson".to_owned())
    } else {
        None
    };
    if let Some(kind) = new_kind {
        phase.insert("type".to_owned(), Value::from(kind));
    }
    lay(phase, PHASE, fragment);
}

/// The data set of a file, in any of its forms.
fn dataset_of(body: &mut Map<String, Value>) -> Option<&mut Map<String, Value>> {
    let key = if body.contains_key("datasets") { "datasets" } else { "dataset" };
    match body.get_mut(key)? {
        Value::Array(items) => items.first_mut()?.as_object_mut(),
        other => other.as_object_mut(),
    }
}

/// The first phase of this kind, in any of the forms of phases.
fn phase_of(body: &mut Map<String, Value>, of: PhaseKind) -> Option<&mut Map<String, Value>> {
    let name = match of {
        PhaseKind::Warmup => "warmup",
        PhaseKind::Profiling => "profiling",
    };
    if !body.contains_key("phases") {
        return body.get_mut(name)?.as_object_mut();
    }
    match body.get_mut("phases")? {
        Value::Array(phases) => {
            let is_of = |phase: &&mut Value| {
                let word = |key: &str| phase.get(key).and_then(Value::as_str);
                word("kind").or_else(|| word("name")) == Some(name)
            };
            phases.iter_mut().find(is_of)?.as_object_mut()
        }
        one => one.as_object_mut().filter(|_| of == PhaseKind::Profiling),
    }
}

fn start_warmup(body: &mut Map<String, Value>, mut phase: Map<String, Value>) {
    match body.get_mut("phases") {
        Some(Value::Array(phases)) => {
            phase.insert("name".to_owned(), json!("warmup"));
            phases.insert(0, Value::Object(phase));
        }
        Some(Value::Object(one)) => {
            let mut profiling = std::mem::take(one);
            profiling.entry("name").or_insert_with(|| json!("profiling"));
            phase.insert("name".to_owned(), json!("warmup"));
            body.insert("phases".to_owned(), json!([phase, profiling]));
        }
        _ => drop(body.insert("warmup".to_owned(), Value::Object(phase))),
    }
}

fn lay(map: &mut Map<String, Value>, fields: &'static [Field], fragment: Map<String, Value>) {
    for (key, value) in fragment {
        if let Some(field) = fields.iter().find(|field| field.is_called(&snake(&key))) {
            lay_field(map, field, value);
        }
    }
}

fn lay_field(map: &mut Map<String, Value>, field: &Field, value: Value) {
    let own = map.iter().find(|(key, _)| field.is_called(&snake(key))).map(|(_, own)| own.clone());
    let merged = match (field.form, own, value) {
        (Form::Section(fields), Some(Value::Object(mut own)), Value::Object(new)) => {
            lay(&mut own, fields, new);
            Value::Object(own)
        }
        (Form::Own(OwnForm::ServerCall(call)), Some(Value::Object(mut own)), Value::Object(new)) => {
            lay(&mut own, call.fields().1, new);
            Value::Object(own)
        }
        (Form::Map(_), Some(Value::Object(mut own)), Value::Object(new)) => {
            for (name, value) in new {
                own.retain(|known, _| !known.eq_ignore_ascii_case(&name));
                own.insert(name, value);
            }
            Value::Object(own)
        }
        (Form::Own(OwnForm::ServerMetrics), Some(own), Value::Object(new)) => section(own, SERVER_METRICS, new),
        (Form::Own(OwnForm::NetworkLatency), Some(own), Value::Object(new)) => section(own, NETWORK_LATENCY, new),
        (Form::Distribution(..), Some(own), new) => length(own, new),
        (Form::Own(OwnForm::Models), Some(own), new) => models(&own, &new),
        (_, _, new) => new,
    };
    let key = super::name_of(field, &merged);
    replace(map, |known| field.is_called(&snake(known)), &key, merged);
}

/// A section that may also be written as a URL, or as true or false.
fn section(own: Value, fields: &'static [Field], new: Map<String, Value>) -> Value {
    let mut own = match own {
        Value::Object(own) => own,
        Value::Bool(on) => Map::from_iter([("enabled".to_owned(), Value::Bool(on))]),
        Value::Null => Map::new(),
        url => Map::from_iter([("urls".to_owned(), url)]),
    };
    lay(&mut own, fields, new);
    Value::Object(own)
}

/// Puts a value in place of the one that has any of the names of the field.
fn replace(map: &mut Map<String, Value>, is_called: impl Fn(&str) -> bool, key: &str, value: Value) {
    map.retain(|known, _| known == key || !is_called(known));
    map.insert(key.to_owned(), value);
}

fn object_at<'a>(map: &'a mut Map<String, Value>, key: &str) -> &'a mut Map<String, Value> {
    let value = map.entry(key).or_insert_with(|| json!({}));
    if !value.is_object() {
        *value = json!({});
    }
    match value {
        Value::Object(map) => map,
        _ => unreachable!("it was made a map above"),
    }
}
