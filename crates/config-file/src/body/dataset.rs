//! The data set of a run: `benchmark.datasets` with one entry, or `benchmark.dataset`.

use aiperf_options::catalogue::OptionId;

use super::reader::{Reader, must_be_map};
use crate::FileError;
use crate::field::{FILE_DATASET, Field, PUBLIC_DATASET, SYNTHETIC_DATASET};
use crate::names::snake;
use crate::yaml::{Node, NodeValue};

pub(super) fn read(reader: &mut Reader<'_>, node: &Node, path: &str) -> Result<(), FileError> {
    let (one, path) = match &node.value {
        NodeValue::List(items) => {
            let [only] = items.as_slice() else {
                let problem = format!("a run has exactly one data set, and this list has {}", items.len());
                return Err(FileError::at(node.position, path, problem));
            };
            (only, format!("{path}[0]"))
        }
        _ => (node, path.to_owned()),
    };
    must_be_map(one, &path)?;
    let fields = fields(one, &path)?;
    for entry in one.entries() {
        let name = snake(&entry.key);
        if name != "name" && name != "type" {
            reader.entry(entry, &format!("{path}.{}", entry.key), fields, &["name", "type"])?;
        }
    }
    check(reader, one, &path, fields)
}

fn fields(node: &Node, path: &str) -> Result<&'static [Field], FileError> {
    match node.get("type").and_then(Node::word).as_deref() {
        None | Some("synthetic") => Ok(SYNTHETIC_DATASET),
        Some("file") => Ok(FILE_DATASET),
        Some("public") => Ok(PUBLIC_DATASET),
        Some(other) => {
            let problem = format!("{other:?} is not a type of data set; choose synthetic, file or public");
            Err(FileError::at(
                node.get("type").map_or(node.position, |node| node.position),
                format!("{path}.type"),
                problem,
            ))
        }
    }
}

/// Rules that a type of data set has by itself.
fn check(reader: &mut Reader<'_>, node: &Node, path: &str, fields: &'static [Field]) -> Result<(), FileError> {
    let has = |name: &str| node.entries().iter().any(|entry| snake(&entry.key) == name);
    let wrong = |problem: &str| Err(FileError::at(node.position, path, problem));
    if std::ptr::eq(fields, FILE_DATASET) {
        match (has("path"), has("records")) {
            (true, true) => return wrong("a file data set has either a path or records, not both"),
            (false, false) => return wrong("a file data set needs a path, or rows under `records`"),
            _ => {}
        }
        if !has("format") {
            reader.put(OptionId::CustomDatasetType, node, path, vec!["single_turn".to_owned()]);
        }
    }
    if std::ptr::eq(fields, PUBLIC_DATASET) && !has("dataset") && !has("hf_weka_dataset") {
        return wrong("a public data set needs the name of one under `dataset`");
    }
    Ok(())
}
