//! Prompts and answers of some requests, for a page that is asked to contain them (`--include-text`).

use std::fs;
use std::path::Path;

use aiperf_artifact::Folder;
use serde_json::{Value, json};

/// Requests whose texts are shown.
const MOST_SHOWN: usize = 20;
/// Characters of a prompt or an answer.
const LONGEST: usize = 4_000;

pub(crate) fn json(folder: &Folder) -> Value {
    let paths = folder.paths();
    json!({"inputs": entries(&paths.inputs()), "outputs": entries(&paths.outputs())})
}

/// The first entries of a list file, each as JSON text.
fn entries(path: &Path) -> Vec<String> {
    let whole = fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let list = whole.as_ref().and_then(|whole| match whole {
        Value::Array(list) => Some(list),
        Value::Object(object) => object.values().find_map(Value::as_array),
        _ => None,
    });
    let cut = |entry: &Value| format!("{entry:#}").chars().take(LONGEST).collect();
    list.into_iter().flatten().take(MOST_SHOWN).map(cut).collect()
}
