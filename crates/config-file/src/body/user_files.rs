//! Files of the user's own: `benchmark.artifacts.userFiles`.

use std::path::{Component, Path};

use aiperf_config::{UserFile, UserFileFormat};
use serde_json::Map;

use super::reader::{scalar, unknown};
use crate::FileError;
use crate::names::snake;
use crate::yaml::{Node, NodeValue};

pub(super) fn read(node: &Node, path: &str) -> Result<Vec<UserFile>, FileError> {
    let NodeValue::List(items) = &node.value else {
        return Err(FileError::at(node.position, path, format!("must be a list of files, not {}", node.kind())));
    };
    items.iter().enumerate().map(|(index, item)| one(item, &format!("{path}[{index}]"))).collect()
}

fn one(node: &Node, path: &str) -> Result<UserFile, FileError> {
    let (mut name, mut format, mut content) = (None, None, None);
    for entry in node.entries() {
        let path = format!("{path}.{}", entry.key);
        let wrong = |problem: String| FileError::at(entry.value.position, path.as_str(), problem);
        match snake(&entry.key).as_str() {
            "path" => {
                let text = scalar(&entry.value).map_err(wrong)?;
                check_path(&text).map_err(wrong)?;
                name = Some(text);
            }
            "format" => {
                let text = scalar(&entry.value).map_err(wrong)?;
                format = Some(match text.as_str() {
                    "json" => UserFileFormat::Json,
                    "yaml" => UserFileFormat::Yaml,
                    "text" => UserFileFormat::Text,
                    _ => return Err(wrong(format!("{text:?} is not a format; choose json, yaml or text"))),
                });
            }
            "content" => content = Some((entry.value.to_json(), entry.value.position)),
            _ => return Err(unknown(entry, &path, ["path", "format", "content"].into_iter())),
        }
    }
    let missing = |key: &str| FileError::at(node.position, path, format!("a file needs `{key}`"));
    let name = name.ok_or_else(|| missing("path"))?;
    let (content, position) = content.ok_or_else(|| missing("content"))?;
    let format = format.unwrap_or_else(|| by_suffix(&name));
    if format == UserFileFormat::Text && !content.is_string() {
        return Err(FileError::at(position, format!("{path}.content"), "the content of a text file must be a text"));
    }
    Ok(UserFile { path: name, format, content, variables: Map::new() })
}

/// A file stays within the artifact folder.
pub(crate) fn check_path(text: &str) -> Result<(), String> {
    let is_inside = Path::new(text).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if is_inside && !text.is_empty() && !text.ends_with('/') {
        return Ok(());
    }
    Err(format!("{text:?} is not a path within the artifact folder; write a relative path without .."))
}

fn by_suffix(name: &str) -> UserFileFormat {
    match Path::new(name).extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("json") => UserFileFormat::Json,
        Some("yaml" | "yml") => UserFileFormat::Yaml,
        _ => UserFileFormat::Text,
    }
}
