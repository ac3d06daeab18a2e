//! Where a sweep sets a value: a path of keys with dots between them. Data sets and phases are named by their names.

use aiperf_config::PROFILING_PHASE_FIELDS;
use serde_json::Value;

use crate::FileError;
use crate::names::snake;
use crate::yaml::{Entry, Node, NodeValue, Position};

/// Keys that describe a distribution.
const OF_A_DISTRIBUTION: [&str; 8] = ["mean", "stddev", "median", "min", "max", "type", "peaks", "points"];

/// Two names of one field, of which a file has one at most.
const TWINS: [(&str, &str); 2] = [("url", "urls"), ("model", "models")];

/// The whole path of a name.
pub(super) fn whole(path: &str, position: Position) -> Result<String, FileError> {
    let wrong = |problem: &str| Err(FileError::at(position, format!("sweep: {path}"), problem));
    let path = path.strip_prefix("benchmark.").unwrap_or(path);
    let first = snake(path.split('.').next().unwrap_or_default());
    match first.as_str() {
        "" => wrong("a path needs a name, such as phases.profiling.concurrency"),
        "sweep" | "multi_run" | "random_seed" => {
            wrong("cannot be swept; sweep fields of `benchmark`, or `variables.NAME`")
        }
        _ if !path.contains('.') && PROFILING_PHASE_FIELDS.contains(&first.as_str()) => {
            Ok(format!("phases.profiling.{first}"))
        }
        _ => Ok(path.to_owned()),
    }
}

/// The whole path of a name, right or wrong.
pub(crate) fn whole_path(path: &str) -> String {
    whole(path, Position::default()).unwrap_or_else(|_| path.to_owned())
}

/// Sets the value at a path of the file.
pub(super) fn set(root: &mut Node, path: &str, value: &Value, position: Position) -> Result<(), FileError> {
    let wrong = |problem: String| FileError::at(position, format!("sweep: {path}"), problem);
    let segments: Vec<&str> = path.split('.').collect();
    let (first, rest) = segments.split_first().ok_or_else(|| wrong("the path is empty".to_owned()))?;
    let value = Node::from_json(value, position);
    if *first == "variables" {
        return put(child(root, "variables", position), rest, value).map_err(wrong);
    }
    let body = child(root, "benchmark", position);
    match (snake(first).as_str(), rest) {
        ("datasets" | "dataset", [name, field @ ..]) if !field.is_empty() => {
            let dataset = dataset(body, name).map_err(wrong)?;
            move_length(dataset, field, position);
            put(dataset, field, value).map_err(wrong)
        }
        ("phases", [name, field @ ..]) if !field.is_empty() => {
            put(phase(body, name).map_err(wrong)?, field, value).map_err(wrong)
        }
        _ => put(body, &segments, value).map_err(wrong),
    }
}

/// The value of a key, which is made if it is missing.
fn child<'a>(node: &'a mut Node, name: &str, position: Position) -> &'a mut Node {
    if !matches!(node.value, NodeValue::Map(_)) {
        // A length that is a number is its mean.
        let number = std::mem::replace(&mut node.value, NodeValue::Map(Vec::new()));
        if OF_A_DISTRIBUTION.contains(&name)
            && matches!(number, NodeValue::Int(_) | NodeValue::Float(_))
            && name != "mean"
        {
            let mean = Node { value: number, position: node.position };
            node.value =
                NodeValue::Map(vec![Entry { key: "mean".to_owned(), key_position: node.position, value: mean }]);
        }
    }
    let NodeValue::Map(entries) = &mut node.value else { unreachable!("it was made a map above") };
    let twin = TWINS.iter().find_map(|(a, b)| if *a == name { Some(*b) } else { (*b == name).then_some(*a) });
    entries.retain(|entry| Some(entry.key.as_str()) != twin);
    let index = entries.iter().position(|entry| snake(&entry.key) == name).unwrap_or_else(|| {
        let value = Node { value: NodeValue::Null, position };
        entries.push(Entry { key: name.to_owned(), key_position: position, value });
        entries.len() - 1
    });
    &mut entries[index].value
}

fn put(node: &mut Node, path: &[&str], value: Node) -> Result<(), String> {
    match path {
        [] => {
            *node = value;
            Ok(())
        }
        [name, rest @ ..] => {
            if name.is_empty() {
                return Err("a part of the path is empty".to_owned());
            }
            if let NodeValue::List(items) = &mut node.value {
                let items_count = items.len();
                let item = name.parse::<usize>().ok().and_then(|index| items.get_mut(index));
                return put(
                    item.ok_or_else(|| format!("{name:?} is not one of the {items_count} entries of the list"))?,
                    rest,
                    value,
                );
            }
            let position = value.position;
            put(child(node, &snake(name), position), rest, value)
        }
    }
}

/// The data set of this name. The only data set may also be called `main` or `default`.
fn dataset<'a>(body: &'a mut Node, name: &str) -> Result<&'a mut Node, String> {
    let key = if body.get("datasets").is_some() { "datasets" } else { "dataset" };
    let node = body.get_mut(key).ok_or("the file has no data set")?;
    if !matches!(node.value, NodeValue::List(_)) {
        return Ok(node);
    }
    let NodeValue::List(items) = &mut node.value else { unreachable!("it is a list") };
    let names: Vec<String> = items.iter().filter_map(|item| item.get("name").and_then(Node::word)).collect();
    let is_only = items.len() == 1 && ["main", "default"].contains(&name);
    let index = items.iter().position(|item| item.get("name").and_then(Node::word).as_deref() == Some(name));
    let index =
        index.or_else(|| is_only.then_some(0)).or_else(|| name.parse().ok().filter(|index| *index < items.len()));
    let index = index.ok_or_else(|| format!("no data set is called {name}; there is {}", names.join(", ")))?;
    Ok(&mut items[index])
}

/// The phase of this name or number. `profiling` is also the only profiling phase, whatever its name.
fn phase<'a>(body: &'a mut Node, name: &str) -> Result<&'a mut Node, String> {
    if body.get("phases").is_none() {
        return body.get_mut(name).ok_or_else(|| format!("no phase is called {name}"));
    }
    let node = body.get_mut("phases").ok_or("the file has no phases")?;
    if !matches!(node.value, NodeValue::List(_)) {
        return if name == "profiling" {
            Ok(node)
        } else {
            Err(format!("no phase is called {name}; there is profiling"))
        };
    }
    let NodeValue::List(items) = &mut node.value else { unreachable!("it is a list") };
    let named = |item: &Node, key: &str| item.get(key).and_then(Node::word);
    let by_name = items.iter().position(|item| named(item, "name").as_deref() == Some(name));
    let of_kind: Vec<usize> = items
        .iter()
        .enumerate()
        .filter(|(_, item)| named(item, "kind").or_else(|| named(item, "name")).as_deref() == Some("profiling"))
        .map(|(index, _)| index)
        .collect();
    let only = if name == "profiling" && of_kind.len() == 1 { of_kind.first().copied() } else { None };
    let names: Vec<String> = items.iter().filter_map(|item| named(item, "name")).collect();
    let index = by_name.or(only).or_else(|| name.parse().ok().filter(|index| *index < items.len()));
    let index = index.ok_or_else(|| format!("no phase is called {name}; there is {}", names.join(", ")))?;
    Ok(&mut items[index])
}

/// A length may stand in the data set or under `prompts`; it moves to where the path has it.
fn move_length(dataset: &mut Node, path: &[&str], position: Position) {
    let (length, into_prompts) = match path {
        ["prompts", length @ ("isl" | "osl"), ..] => (*length, true),
        [length @ ("isl" | "osl"), ..] => (*length, false),
        _ => return,
    };
    let from = if into_prompts { Some(&mut *dataset) } else { dataset.get_mut("prompts") };
    let Some(Node { value: NodeValue::Map(entries), .. }) = from else { return };
    let Some(index) = entries.iter().position(|entry| entry.key == length) else { return };
    let moved = entries.remove(index).value;
    let to = if into_prompts { child(dataset, "prompts", position) } else { dataset };
    *child(to, length, position) = moved;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::yaml::read;

    const FILE: &str = "variables: {isl: 1}\nbenchmark:\n  endpoint: {urls: [a], waitForModelTimeout: 1}\n  dataset: {isl: 512, \
                        prompts: {osl: {mean: 5, stddev: 1}}}\n  phases:\n    - {name: warmup, requests: 1}\n    - {name: steady, \
                        kind: profiling, rate: 3}\n";

    fn after(path: &str, value: &Value) -> Result<Value, String> {
        let mut root = read(FILE).unwrap();
        let path = whole(path, Position::default()).map_err(|error| error.to_string())?;
        set(&mut root, &path, value, Position::default()).map_err(|error| error.to_string())?;
        Ok(root.to_json())
    }

    #[test]
    fn values_are_set_by_names() {
        assert_eq!(after("rate", &json!(9)).unwrap()["benchmark"]["phases"][1]["rate"], json!(9));
        assert_eq!(after("phases.steady.rate", &json!(9)).unwrap()["benchmark"]["phases"][1]["rate"], json!(9));
        assert_eq!(after("phases.0.requests", &json!(2)).unwrap()["benchmark"]["phases"][0]["requests"], json!(2));
        assert_eq!(after("variables.isl", &json!(7)).unwrap()["variables"]["isl"], json!(7));
        let endpoint = after("endpoint.wait_for_model_timeout", &json!(3)).unwrap()["benchmark"]["endpoint"].clone();
        assert_eq!(endpoint["waitForModelTimeout"], json!(3));
        assert_eq!(after("endpoint.url", &json!("b")).unwrap()["benchmark"]["endpoint"].get("urls"), None);
    }

    #[test]
    fn lengths_may_stand_in_both_places() {
        let dataset = |path: &str| after(path, &json!(9)).unwrap()["benchmark"]["dataset"].clone();
        assert_eq!(dataset("datasets.main.prompts.isl")["prompts"]["isl"], json!(9));
        assert_eq!(dataset("datasets.main.prompts.isl").get("isl"), None);
        assert_eq!(dataset("datasets.default.isl.stddev")["isl"], json!({"mean": 512, "stddev": 9}));
        assert_eq!(dataset("datasets.main.osl.mean")["osl"], json!({"mean": 9, "stddev": 1}));
    }

    #[test]
    fn unknown_names_list_the_known_ones() {
        assert!(after("phases.stedy.rate", &json!(1)).unwrap_err().contains("there is warmup, steady"));
        assert!(after("multiRun.numRuns", &json!(1)).unwrap_err().contains("cannot be swept"));
    }
}
