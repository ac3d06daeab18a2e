//! A plot preset for `aiperf plot --preset NAME`.

use aiperf_config_file::{FileError, Node};
use aiperf_plot::{AddedPreset, PresetDocument, RunMode, WrittenPreset};

use super::field::{Checked, Field, Form, field, required};

pub(super) const FIELDS: &[Field] = &[
    field("description", Form::Text, "What the entry is for, in one line."),
    required("mode", Form::Choice(&["single", "multi"]), "Whether the plot shows one run or several."),
    required("preset", Form::Any, "The plot, with the keys of a plot in the file of aiperf plot --config."),
];

pub(super) fn read(name: &str, entry: &Checked<'_>) -> Result<AddedPreset, FileError> {
    let mode = if entry.text("mode").as_deref() == Some("multi") { RunMode::Multi } else { RunMode::Single };
    let value = entry.node("preset").map(Node::to_json).unwrap_or_default();
    let preset: WrittenPreset =
        serde_json::from_value(value).map_err(|error| entry.problem("preset", error.to_string()))?;
    let added = AddedPreset { mode, name: name.to_owned(), preset };
    let mut alone = PresetDocument::default();
    added.add_to(&mut alone);
    alone.check().map_err(|problem| entry.problem("preset", problem))?;
    Ok(added)
}
