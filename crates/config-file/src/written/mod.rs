//! The configuration file that options mean: the inverse of reading one. `aiperf config from-flags` prints it, and a run
//! leaves it among its results.

mod load;
mod overlay;
mod overlay_value;
mod own;
mod redacted;
mod search;
mod secrets;
mod section;
mod value;
mod variants;

use aiperf_config::{Config, DatasetSource, Experiment, Pace};
use aiperf_options::RawOptions;
use aiperf_options::catalogue::{Arity, OptionId, Support};
use serde_json::{Map, Value, json};

pub(crate) use self::overlay::laid_over;
pub(crate) use self::redacted::redacted;
pub use self::secrets::{SplitFile, split_secrets};
use self::section::Writer;
use self::value::swept;
use crate::FileError;
use crate::experiment::{is_list, of_warmup};
use crate::field::{BENCHMARK, FILE_DATASET, Field, MULTI_RUN, PUBLIC_DATASET, SYNTHETIC_DATASET};
use crate::names::camel;

/// The same as [`file_of`] without secrets: what is written among the results of a run.
pub fn shown_file_of(options: &RawOptions, experiment: &Experiment) -> Result<Value, FileError> {
    file_of(&options.redacted(), experiment)
}

/// The file that means the same as these options; `experiment` is what they were resolved to.
pub fn file_of(options: &RawOptions, experiment: &Experiment) -> Result<Value, FileError> {
    if options.get(OptionId::Variant).is_some() {
        return variants::file_of(options, experiment);
    }
    let lists: Vec<_> = options.given().iter().filter(|given| is_list(given.id, &given.values)).collect();
    let mut single = RawOptions::new();
    for given in options.given().iter().filter(|given| !is_list(given.id, &given.values)) {
        single.push(given.id, given.spelling.clone(), given.values.clone());
    }
    let config = experiment.cells.first().map(|cell| &cell.config);
    let swept_ids: Vec<OptionId> = lists.iter().map(|given| given.id).collect();
    let mut writer = Writer::new(&single, &swept_ids);
    let mut file = Map::new();
    file.insert("schemaVersion".to_owned(), json!("2.0"));
    writer.put(&mut file, "randomSeed", OptionId::RandomSeed);
    writer.put(&mut file, "noSweepTable", OptionId::NoSweepTable);
    let capacity = config.and_then(|config| config.capacity.as_ref());
    let sweep = match (&experiment.search, capacity) {
        (Some(planned), _) => search::section(&mut writer, &planned.spec),
        (None, Some(capacity)) => search::capacity(&mut writer, capacity),
        (None, None) => sweep(&mut writer, &lists),
    };
    if !sweep.is_empty() {
        file.insert("sweep".to_owned(), Value::Object(sweep));
    }
    let multi_run = writer.section(MULTI_RUN);
    if !multi_run.is_empty() {
        file.insert("multiRun".to_owned(), Value::Object(multi_run));
    }
    let body = body(&mut writer, config);
    file.insert("benchmark".to_owned(), Value::Object(body));
    writer.check_that_all_is_written()?;
    Ok(Value::Object(file))
}

/// Lists of values and what goes for all cells.
fn sweep(writer: &mut Writer<'_>, lists: &[&aiperf_options::Given]) -> Map<String, Value> {
    let mut sweep = Map::new();
    if lists.is_empty() {
        return sweep;
    }
    let kind = writer.take(OptionId::SweepType).and_then(|given| given.values.first().cloned());
    sweep.insert("type".to_owned(), Value::from(kind.unwrap_or_else(|| "grid".to_owned()).to_ascii_lowercase()));
    let mut parameters = Map::new();
    for given in lists {
        let Arity::Sweep(parameter) = given.id.spec().arity else { continue };
        let text = given.values.first().map(String::as_str).unwrap_or_default();
        let pieces = text.split(',').map(str::trim).filter(|piece| !piece.is_empty());
        parameters.insert(parameter.path().to_owned(), pieces.map(|piece| swept(given.id, piece)).collect());
    }
    sweep.insert("parameters".to_owned(), Value::Object(parameters));
    put_of_all_cells(writer, &mut sweep);
    sweep
}

/// Options of a sweep that go for all of its cells.
const OF_ALL_CELLS: [(&str, OptionId); 3] = [
    ("cooldownSeconds", OptionId::ParameterSweepCooldownSeconds),
    ("iterationOrder", OptionId::ParameterSweepMode),
    ("sameSeed", OptionId::ParameterSweepSameSeed),
];

fn put_of_all_cells(writer: &mut Writer<'_>, sweep: &mut Map<String, Value>) {
    for (key, id) in OF_ALL_CELLS {
        writer.put(sweep, key, id);
    }
}

fn body(writer: &mut Writer<'_>, config: Option<&Config>) -> Map<String, Value> {
    let mut body = Map::new();
    let mut dataset = dataset(writer);
    let (warmup, profiling) = load::phases(writer, config);
    // A number of requests that nobody typed must not become the number of conversations.
    let says_requests = writer.options().get(OptionId::RequestCount).is_some();
    if profiling.contains_key("requests") && !says_requests && !dataset.contains_key("entries") {
        let entries = config.and_then(|config| match &config.dataset.source {
            DatasetSource::Synthetic(synthetic) => Some(synthetic.entries),
            _ => None,
        });
        dataset.extend(entries.map(|entries| ("entries".to_owned(), json!(entries))));
    }
    for field in BENCHMARK {
        let mut value = writer.field(field);
        if field.name == "endpoint" {
            let endpoint = value.get_or_insert_with(|| json!({}));
            // Files of the reference need a URL.
            if let Value::Object(endpoint) = endpoint
                && !endpoint.contains_key("url")
                && !endpoint.contains_key("urls")
            {
                endpoint.insert("url".to_owned(), json!("http://localhost:8000"));
            }
        }
        if let Some(value) = value {
            body.insert(name_of(field, &value), value);
        }
        if field.name == "endpoint" {
            body.insert("dataset".to_owned(), Value::Object(std::mem::take(&mut dataset)));
            if let Some(warmup) = &warmup {
                body.insert("warmup".to_owned(), Value::Object(warmup.clone()));
            }
            body.insert("profiling".to_owned(), Value::Object(profiling.clone()));
        }
    }
    body
}

/// The key of a field; one value of a field for several has the name for one.
fn name_of(field: &Field, value: &Value) -> String {
    match (field.alias, value) {
        (Some(one), Value::String(_)) => one.to_owned(),
        _ => camel(field.name),
    }
}

fn dataset(writer: &mut Writer<'_>) -> Map<String, Value> {
    let has = |id: OptionId| writer.options().get(id).is_some();
    let (kind, fields) = if has(OptionId::InputFile) {
        ("file", FILE_DATASET)
    } else if has(OptionId::PublicDataset) || has(OptionId::HfWekaDataset) {
        ("public", PUBLIC_DATASET)
    } else {
        ("synthetic", SYNTHETIC_DATASET)
    };
    let mut dataset = Map::new();
    dataset.insert("type".to_owned(), Value::from(kind));
    if kind == "file" && !has(OptionId::CustomDatasetType) {
        // Without a format, a file has rows of single turns, while the command line looks into the file.
        dataset.insert("format".to_owned(), Value::from("auto"));
    }
    dataset.extend(writer.section(fields));
    dataset
}

/// Whether the measured phase follows the times of its data, asked for or not.
fn follows_schedule(config: Option<&Config>) -> bool {
    config.is_some_and(|config| matches!(config.phases.profiling().pace, Pace::FixedSchedule { .. }))
}

/// Whether a file need not have an option: it changes nothing, or it is about one command and not about what is run.
fn is_not_of_a_file(id: OptionId) -> bool {
    matches!(id.spec().support, Support::Ignored(_)) || [OptionId::Resume, OptionId::DryRun].contains(&id)
}

/// Whether an option belongs to the load of a phase and is written there.
fn is_of_warmup(id: OptionId) -> bool {
    of_warmup(id).is_some()
}
