//! Grids: every combination of lists of values. Zips: the first values of all lists, then the second ones, and so on.

use serde_json::{Map, Value};

use super::path;
use crate::FileError;
use crate::yaml::{Node, NodeValue};

/// All combinations, paths in alphabetical order; the last one changes fastest.
pub(super) fn product(parameters: &Node, most: usize) -> Result<Vec<Map<String, Value>>, FileError> {
    let lists = lists(parameters)?;
    let count = lists.iter().try_fold(1_usize, |count, (_, values)| count.checked_mul(values.len()));
    if count.is_none_or(|count| count > most) {
        let problem = format!("these lists have more than {most} combinations");
        return Err(FileError::at(parameters.position, "sweep.parameters", problem));
    }
    let mut cells = vec![Map::new()];
    for (path, values) in &lists {
        cells = cells
            .iter()
            .flat_map(|cell| {
                values.iter().map(move |value| {
                    let mut cell = cell.clone();
                    cell.insert(path.clone(), value.clone());
                    cell
                })
            })
            .collect();
    }
    Ok(cells)
}

/// One cell for each position of the lists, which have the same length.
pub(super) fn zip(parameters: &Node) -> Result<Vec<Map<String, Value>>, FileError> {
    let lists = lists(parameters)?;
    let lengths: Vec<String> = lists.iter().map(|(path, values)| format!("{path} has {}", values.len())).collect();
    let first = lists.first().map_or(0, |(_, values)| values.len());
    if lists.iter().any(|(_, values)| values.len() != first) {
        let problem = format!("the lists of a zip have the same length, but {}", lengths.join(", "));
        return Err(FileError::at(parameters.position, "sweep.parameters", problem));
    }
    let cell = |index: usize| lists.iter().map(|(path, values)| (path.clone(), values[index].clone())).collect();
    Ok((0..first).map(cell).collect())
}

/// Whole paths with their values, in alphabetical order.
fn lists(parameters: &Node) -> Result<Vec<(String, Vec<Value>)>, FileError> {
    let at = "sweep.parameters";
    let NodeValue::Map(entries) = &parameters.value else {
        let problem = format!("must be a map from paths to lists of values, not {}", parameters.kind());
        return Err(FileError::at(parameters.position, at, problem));
    };
    if entries.is_empty() {
        return Err(FileError::at(
            parameters.position,
            at,
            "names no parameter; add one, such as `concurrency: [1, 2, 4]`",
        ));
    }
    let mut lists: Vec<(String, Vec<Value>)> = Vec::new();
    for entry in entries {
        let path = path::whole(&entry.key, entry.key_position)?;
        let NodeValue::List(items) = &entry.value.value else {
            let problem = format!("must be a list of values, not {}", entry.value.kind());
            return Err(FileError::at(entry.value.position, format!("{at}.{}", entry.key), problem));
        };
        if items.is_empty() {
            return Err(FileError::at(entry.value.position, format!("{at}.{}", entry.key), "the list has no values"));
        }
        if lists.iter().any(|(known, _)| *known == path) {
            return Err(FileError::at(
                entry.key_position,
                format!("{at}.{}", entry.key),
                format!("{path} is swept twice"),
            ));
        }
        lists.push((path, items.iter().map(Node::to_json).collect()));
    }
    lists.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(lists)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::yaml::read;

    #[test]
    fn a_grid_has_all_combinations_with_the_last_path_fastest() {
        let cells = product(&read("{rate: [1, 2], concurrency: [3, 4]}").unwrap(), 10).unwrap();
        let pairs: Vec<Value> = cells.into_iter().map(Value::Object).collect();
        let (c, r) = ("phases.profiling.concurrency", "phases.profiling.rate");
        assert_eq!(pairs, [json!({c: 3, r: 1}), json!({c: 3, r: 2}), json!({c: 4, r: 1}), json!({c: 4, r: 2})]);
        assert!(product(&read("{rate: [1, 2], concurrency: [3, 4]}").unwrap(), 3).is_err());
    }

    #[test]
    fn a_zip_needs_lists_of_one_length() {
        assert_eq!(zip(&read("{rate: [1, 2], users: [3, 4]}").unwrap()).unwrap().len(), 2);
        let error = zip(&read("{rate: [1, 2], users: [3]}").unwrap()).unwrap_err().to_string();
        assert!(error.contains("phases.profiling.rate has 2, phases.profiling.users has 1"), "{error}");
    }

    #[test]
    fn what_is_not_a_list_is_refused() {
        for text in ["[1]", "{}", "{rate: 3}", "{rate: []}", "{rate: [1], phases.profiling.rate: [2]}"] {
            assert!(product(&read(text).unwrap(), 10).is_err(), "{text}");
        }
    }
}
