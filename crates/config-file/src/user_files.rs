//! Renders the user's own files of a run when it starts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aiperf_config::{Config, Target, UserFileFormat};
use serde_json::Value;

use crate::FileError;
use crate::body::check_user_path;
use crate::template::render_value;
use crate::yaml::{Node, Position, write};

/// Paths and contents of the files of a run. `dir` is its artifact folder, `epoch` the time in seconds since 1970.
pub fn user_files(config: &Config, dir: &Path, epoch: u64) -> Result<Vec<(PathBuf, String)>, FileError> {
    let model = config.dataset.models.first().map(ToString::to_string).unwrap_or_default();
    let url = config.endpoint.targets.first().map(Target::display).unwrap_or_default();
    let mut files = Vec::new();
    for file in &config.user_files {
        let mut names: BTreeMap<String, Value> =
            file.variables.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let whole = Value::Object(file.variables.clone());
        // There is no cluster, so that jobs and namespaces have no names.
        for (name, value) in [
            ("variables", whole),
            ("model", Value::from(model.clone())),
            ("endpoint_url", Value::from(url.clone())),
            ("artifact_dir", Value::from(dir.display().to_string())),
            ("epoch", Value::from(epoch)),
            ("job_name", Value::from("")),
            ("namespace", Value::from("")),
        ] {
            names.insert(name.to_owned(), value);
        }
        let rendered = |value: &Value, place: &str| {
            let mut node = Node::from_json(value, Position::default());
            render_value(&mut node, place, &names)?;
            Ok::<Value, FileError>(node.to_json())
        };
        let place = format!("artifacts.userFiles {}", file.path);
        let path = rendered(&Value::from(file.path.as_str()), &place)?;
        let path = path.as_str().map_or_else(|| path.to_string(), ToOwned::to_owned);
        check_user_path(&path).map_err(|problem| FileError::new(format!("{place}: {problem}")))?;
        let content = rendered(&file.content, &place)?;
        let text = match (file.format, &content) {
            (UserFileFormat::Json, content) => format!("{content:#}\n"),
            (UserFileFormat::Yaml, content) => write(content),
            (UserFileFormat::Text, Value::String(text)) => text.clone(),
            (UserFileFormat::Text, other) => other.to_string(),
        };
        files.push((dir.join(path), text));
    }
    Ok(files)
}
