//! Scenarios: runs that are written out one by one, each as what differs from the base.

use serde_json::{Map, Value};

use super::{Variation, name};
use crate::FileError;
use crate::body::unknown_key;
use crate::names::snake;
use crate::yaml::{Entry, Node, NodeValue};

pub(super) fn variations(root: &Node, runs: &Node) -> Result<Vec<Variation>, FileError> {
    let NodeValue::List(items) = &runs.value else {
        return Err(FileError::at(runs.position, "sweep.runs", format!("must be a list of runs, not {}", runs.kind())));
    };
    if items.is_empty() {
        return Err(FileError::at(runs.position, "sweep.runs", "has no runs"));
    }
    let mut variations: Vec<Variation> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let variation = variation(root, item, index)?;
        if variations.iter().any(|other| other.label == variation.label) {
            let problem = format!("two runs are called {}", variation.label);
            return Err(FileError::at(item.position, format!("sweep.runs[{index}].name"), problem));
        }
        variations.push(variation);
    }
    Ok(variations)
}

fn variation(root: &Node, item: &Node, index: usize) -> Result<Variation, FileError> {
    let path = format!("sweep.runs[{index}]");
    if !matches!(item.value, NodeValue::Map(_)) {
        return Err(FileError::at(item.position, path, format!("must be a map of keys, not {}", item.kind())));
    }
    let mut root = root.clone();
    let mut label = None;
    let mut set = Map::new();
    let mut shown = None;
    let mut folder = None;
    for entry in item.entries() {
        let path = format!("{path}.{}", entry.key);
        match entry.key.as_str() {
            "name" => label = entry.value.word(),
            "dirName" | "dir_name" => folder = Some(folder_name(&entry.value, &path)?),
            "variables" | "benchmark" => {
                set.insert(entry.key.clone(), with_data_set_list(entry.value.to_json()));
                merge_key(&mut root, &entry.key, &entry.value);
            }
            "values" => match entry.value.to_json() {
                Value::Object(values) => shown = Some(values),
                _ => return Err(FileError::at(entry.value.position, path, "must be a map from paths to values")),
            },
            _ => {
                let known = ["name", "variables", "benchmark", "values", "dir_name"];
                return Err(unknown_key(entry, &path, known.into_iter()));
            }
        }
    }
    let label = label.unwrap_or_else(|| format!("scenario_{index}"));
    let usual = || shown.as_ref().map_or_else(|| name::plain(&label, index), |values| name::folder(values, index));
    let dir_name = folder.unwrap_or_else(usual);
    Ok(Variation { index, dir_name, label, values: shown.unwrap_or(set), root })
}

/// The name of the folder of a run, as it is given.
fn folder_name(node: &Node, path: &str) -> Result<String, FileError> {
    let name = node.word().unwrap_or_default();
    if name.contains(['/', '\\', '\0']) || name.trim_matches('.').is_empty() {
        return Err(FileError::at(node.position, path, "must be the name of a folder, without a slash"));
    }
    Ok(name)
}

/// The one data set of a run as a list of data sets, which is how tables and files show it.
fn with_data_set_list(value: Value) -> Value {
    let Value::Object(mut body) = value else { return value };
    if let Some(Value::Object(dataset)) = body.shift_remove("dataset") {
        let mut named = Map::from_iter([("name".to_owned(), Value::from("default"))]);
        named.extend(dataset);
        body.insert("datasets".to_owned(), Value::Array(vec![Value::Object(named)]));
    }
    Value::Object(body)
}

fn merge_key(node: &mut Node, key: &str, other: &Node) {
    if let Some(own) = node.get_mut(key) {
        merge(own, other);
    } else if let NodeValue::Map(entries) = &mut node.value {
        entries.push(Entry { key: key.to_owned(), key_position: other.position, value: other.clone() });
    }
}

/// Lays one tree over another: maps key by key, lists of named things by their names, all else replaces.
fn merge(base: &mut Node, other: &Node) {
    match (&mut base.value, &other.value) {
        (NodeValue::Map(entries), NodeValue::Map(others)) => {
            // A distribution of another form is another distribution.
            if form(entries).is_some_and(|own| form(others).is_some_and(|theirs| own != theirs)) {
                *base = other.clone();
                return;
            }
            for other in others {
                let key = snake(&other.key);
                // A list of one data set and a data set are two forms of the same.
                let plural = format!("{key}s");
                let found = entries.iter().position(|entry| {
                    let own = snake(&entry.key);
                    own == key || own == plural || format!("{own}s") == key
                });
                match found {
                    // Null takes a key away, also one that a data set of the new type does not have.
                    Some(index) if other.value.value == NodeValue::Null && snake(&entries[index].key) == key => {
                        entries.remove(index);
                    }
                    Some(index) => {
                        let own = &mut entries[index];
                        if snake(&own.key) == key {
                            merge(&mut own.value, &other.value);
                        } else {
                            merge_forms(own, other);
                        }
                    }
                    None => entries.push(other.clone()),
                }
            }
        }
        (NodeValue::List(items), NodeValue::List(others))
            if !others.is_empty() && others.iter().all(is_named) && items.iter().all(is_named) =>
        {
            for other in others {
                match items.iter_mut().find(|item| item.get("name") == other.get("name") || names(item) == names(other))
                {
                    Some(item) => merge(item, other),
                    None => items.push(other.clone()),
                }
            }
        }
        _ => *base = other.clone(),
    }
}

/// One of the two is a list with one entry, the other is that entry.
fn merge_forms(own: &mut Entry, other: &Entry) {
    match (&mut own.value.value, &other.value.value) {
        (NodeValue::List(items), NodeValue::Map(_)) if items.len() == 1 => merge(&mut items[0], &other.value),
        (NodeValue::Map(_), NodeValue::List(items)) if items.len() == 1 => merge(&mut own.value, &items[0]),
        _ => *own = other.clone(),
    }
}

fn is_named(node: &Node) -> bool {
    node.get("name").is_some()
}

fn names(node: &Node) -> Option<String> {
    node.get("name").and_then(Node::word)
}

/// The key that says which form a distribution has.
fn form(entries: &[Entry]) -> Option<&'static str> {
    ["peaks", "points", "median", "stddev"].into_iter().find(|key| entries.iter().any(|entry| entry.key == *key))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::yaml::read;

    fn merged(base: &str, other: &str) -> Value {
        let mut base = read(base).unwrap();
        merge(&mut base, &read(other).unwrap());
        base.to_json()
    }

    #[test]
    fn runs_are_laid_over_the_base() {
        assert_eq!(merged("{a: {b: 1, c: 2}}", "{a: {c: 3}}"), json!({"a": {"b": 1, "c": 3}}));
        assert_eq!(
            merged("{phases: [{name: w, r: 1}, {name: p, r: 2}]}", "{phases: [{name: p, c: 5}]}"),
            json!({"phases": [{"name": "w", "r": 1}, {"name": "p", "r": 2, "c": 5}]})
        );
        assert_eq!(merged("{urls: [a, b]}", "{urls: [c]}"), json!({"urls": ["c"]}));
    }

    #[test]
    fn a_distribution_of_another_form_replaces_the_first() {
        assert_eq!(
            merged("{isl: {mean: 1, stddev: 2}}", "{isl: {mean: 9, median: 5}}"),
            json!({"isl": {"mean": 9, "median": 5}})
        );
        assert_eq!(merged("{isl: {mean: 1, stddev: 2}}", "{isl: {mean: 9}}"), json!({"isl": {"mean": 9, "stddev": 2}}));
        assert_eq!(merged("{isl: 5}", "{isl: {mean: 9}}"), json!({"isl": {"mean": 9}}));
    }

    #[test]
    fn one_data_set_may_be_written_in_two_forms() {
        assert_eq!(
            merged("{datasets: [{name: m, isl: 5, osl: 6}]}", "{dataset: {isl: 9}}"),
            json!({"datasets": [{"name": "m", "isl": 9, "osl": 6}]})
        );
    }
}
