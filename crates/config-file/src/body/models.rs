//! The models of a run: `benchmark.models`.

use aiperf_options::catalogue::OptionId;

use super::reader::{Reader, scalar, unknown};
use crate::FileError;
use crate::names::snake;
use crate::yaml::{Node, NodeValue};

/// A name, a list of names, or a strategy with items.
pub(super) fn read(reader: &mut Reader<'_>, node: &Node, path: &str) -> Result<(), FileError> {
    match &node.value {
        NodeValue::Map(entries) => {
            for entry in entries {
                let path = format!("{path}.{}", entry.key);
                match snake(&entry.key).as_str() {
                    "strategy" => {
                        let word = scalar(&entry.value)
                            .map_err(|problem| FileError::at(entry.value.position, &path, problem))?;
                        reader.put(OptionId::ModelSelectionStrategy, &entry.value, &path, vec![word]);
                    }
                    "items" => items(reader, &entry.value, &path)?,
                    _ => return Err(unknown(entry, &path, ["strategy", "items"].into_iter())),
                }
            }
            Ok(())
        }
        NodeValue::List(_) => items(reader, node, path),
        _ => item(reader, node, path),
    }
}

fn items(reader: &mut Reader<'_>, node: &Node, path: &str) -> Result<(), FileError> {
    let NodeValue::List(items) = &node.value else {
        return Err(FileError::at(node.position, path, format!("must be a list of models, not {}", node.kind())));
    };
    items.iter().enumerate().try_for_each(|(index, one)| item(reader, one, &format!("{path}[{index}]")))
}

fn item(reader: &mut Reader<'_>, node: &Node, path: &str) -> Result<(), FileError> {
    if !matches!(node.value, NodeValue::Map(_)) {
        let name = scalar(node).map_err(|problem| FileError::at(node.position, path, problem))?;
        reader.add(OptionId::ModelNames, node, path, name);
        return Ok(());
    }
    if node.get("name").is_none() {
        return Err(FileError::at(node.position, path, "a model needs a name"));
    }
    for entry in node.entries() {
        let path = format!("{path}.{}", entry.key);
        let wrong = |problem: String| FileError::at(entry.value.position, path.as_str(), problem);
        match entry.key.as_str() {
            "name" => reader.add(OptionId::ModelNames, &entry.value, &path, scalar(&entry.value).map_err(wrong)?),
            "weight" => reader.add(OptionId::ModelWeights, &entry.value, &path, scalar(&entry.value).map_err(wrong)?),
            "lora" => {
                return Err(wrong("is not supported: name the adapter as the model, as servers expect it".to_owned()));
            }
            "modalities" => {
                return Err(wrong(
                    "is not supported: the data set says what requests contain; leave it out".to_owned(),
                ));
            }
            "tokenizer" => {
                return Err(wrong(
                    "is not supported: all models are counted with one tokenizer; set `tokenizer`".to_owned(),
                ));
            }
            _ => return Err(unknown(entry, &path, ["name", "weight"].into_iter())),
        }
    }
    Ok(())
}
