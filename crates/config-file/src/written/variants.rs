//! Writes hand-picked points (`--variant`) as a sweep of scenarios: the first point is the base, and each further one says what differs.

use aiperf_config::{DatasetSource, Experiment};
use aiperf_options::{RawOptions, variant_options};
use serde_json::{Map, Value, json};

use super::section::Writer;
use super::{OF_ALL_CELLS, put_of_all_cells};
use crate::FileError;

pub(super) fn file_of(options: &RawOptions, experiment: &Experiment) -> Result<Value, FileError> {
    let mut common = options.clone();
    for (_, id) in OF_ALL_CELLS {
        common.remove(id);
    }
    let points = variant_options(&common).map_err(|error| FileError::new(error.to_string()))?;
    let mut base: Option<Map<String, Value>> = None;
    let mut runs = Vec::new();
    for ((name, own), cell) in points.iter().zip(&experiment.cells) {
        let alone = Experiment { cells: vec![cell.clone()], search: None, ..experiment.clone() };
        let Value::Object(mut file) = super::file_of(own, &alone)? else { continue };
        // All points draw from as many conversations, which a file says or leaves open for all of them.
        if let (DatasetSource::Synthetic(synthetic), Value::Object(dataset)) =
            (&cell.config.dataset.source, &mut file["benchmark"]["dataset"])
        {
            dataset.insert("entries".to_owned(), json!(synthetic.entries));
        }
        let first = base.get_or_insert_with(|| file.clone());
        if let Some(key) = differing_key(first, &file) {
            return Err(FileError::new(format!(
                "--variant {name}: {key} goes for all points of a sweep in a configuration file; leave it out of the variants"
            )));
        }
        let mut run = Map::from_iter([("name".to_owned(), json!(name)), ("dirName".to_owned(), json!(name))]);
        if let Some(variation) = &cell.variation {
            run.insert("values".to_owned(), variation.values.iter().cloned().collect());
        }
        if let Some(Value::Object(changes)) = difference(&first["benchmark"], &file["benchmark"]) {
            run.insert("benchmark".to_owned(), Value::Object(changes));
        }
        runs.push(Value::Object(run));
    }
    let mut sweep = Map::from_iter([("type".to_owned(), json!("scenarios")), ("runs".to_owned(), Value::Array(runs))]);
    put_of_all_cells(&mut Writer::new(options, &[]), &mut sweep);
    let mut file = Map::new();
    for (key, value) in base.unwrap_or_default() {
        // In the place where other sweeps stand.
        if key == "benchmark" || key == "multiRun" {
            file.entry("sweep").or_insert_with(|| Value::Object(sweep.clone()));
        }
        file.insert(key, value);
    }
    Ok(Value::Object(file))
}

/// A key outside of `benchmark` that two files disagree about.
fn differing_key<'a>(one: &'a Map<String, Value>, other: &'a Map<String, Value>) -> Option<&'a String> {
    let keys = one.keys().chain(other.keys()).filter(|key| *key != "benchmark");
    keys.into_iter().find(|key| one.get(*key) != other.get(*key))
}

/// What must be laid over one value to get another; `None` if they are equal. A key that goes away is null.
fn difference(from: &Value, to: &Value) -> Option<Value> {
    let (Value::Object(from), Value::Object(to)) = (from, to) else { return (from != to).then(|| to.clone()) };
    let mut changes = Map::new();
    for (key, value) in to {
        match from.get(key) {
            Some(old) => changes.extend(difference(old, value).map(|change| (key.clone(), change))),
            None => {
                changes.insert(key.clone(), value.clone());
            }
        }
    }
    changes.extend(from.keys().filter(|key| !to.contains_key(*key)).map(|key| (key.clone(), Value::Null)));
    (!changes.is_empty()).then_some(Value::Object(changes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_what_changes_and_what_goes_away() {
        let from = json!({"a": 1, "b": {"c": 2, "d": 3}, "e": [1]});
        assert_eq!(difference(&from, &from), None);
        let to = json!({"a": 1, "b": {"c": 5}, "e": [1, 2], "f": {"g": 0}});
        assert_eq!(difference(&from, &to), Some(json!({"b": {"c": 5, "d": null}, "e": [1, 2], "f": {"g": 0}})));
    }
}
