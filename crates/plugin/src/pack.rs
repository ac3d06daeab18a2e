//! A pack: one YAML file with entries in some categories.

mod endpoint;
pub(crate) mod field;
mod grader;
mod plot;
mod process;
mod public_dataset;
mod recipe;
mod slo_set;

use std::fs;
use std::path::{Path, PathBuf};

use aiperf_config::{OptionSet, ProcessCommand, PublicSet, same_name};
use aiperf_config_file::{FileError, Node, NodeValue, nearest, read_yaml};
use aiperf_plot::AddedPreset;
use aiperf_protocol::EndpointKind;
use serde_json::{Map, Value, json};

use self::field::{Checked, Field};
pub use self::grader::RegexGrader;
use crate::category::{CATEGORIES, Category};

/// The version of pack files that this program reads.
pub(crate) const SCHEMA_VERSION: &str = "1.0";
/// The name of the JSON schema file.
pub const SCHEMA_FILE: &str = "plugin_pack.schema.json";
/// Larger files are not packs.
const MOST_BYTES: u64 = 4 << 20;

/// Which fields an entry has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryForm {
    Endpoint,
    PublicDataset,
    Plot,
    Recipe,
    Grader,
    SloSet,
    Process,
}

/// The entries of one file.
#[derive(Debug, Clone)]
pub struct Pack {
    pub name: String,
    pub path: PathBuf,
    pub description: String,
    pub entries: Vec<PackEntry>,
}

/// One entry of a pack.
#[derive(Debug, Clone)]
pub struct PackEntry {
    pub category: &'static Category,
    pub name: String,
    pub description: String,
    pub content: EntryContent,
}

/// What an entry adds.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "there are few entries, and each is read once")]
pub enum EntryContent {
    Endpoint(EndpointKind),
    PublicSet(&'static PublicSet),
    Plot(AddedPreset),
    Recipe(OptionSet),
    Grader(RegexGrader),
    /// Limits as `--goodput` takes them.
    SloSet(String),
    Process(ProcessCommand),
}

impl EntryForm {
    const fn fields(self) -> &'static [Field] {
        match self {
            Self::Endpoint => endpoint::FIELDS,
            Self::PublicDataset => public_dataset::FIELDS,
            Self::Plot => plot::FIELDS,
            Self::Recipe => recipe::FIELDS,
            Self::Grader => grader::FIELDS,
            Self::SloSet => slo_set::FIELDS,
            Self::Process => process::FIELDS,
        }
    }

    fn read(self, name: &str, entry: &Checked<'_>, folder: &Path) -> Result<EntryContent, FileError> {
        Ok(match self {
            Self::Endpoint => EntryContent::Endpoint(endpoint::read(name, entry)?),
            Self::PublicDataset => EntryContent::PublicSet(public_dataset::read(name, entry)?),
            Self::Plot => EntryContent::Plot(plot::read(name, entry)?),
            Self::Recipe => EntryContent::Recipe(recipe::read(name, entry)?),
            Self::Grader => grader::read(entry, folder)?,
            Self::SloSet => EntryContent::SloSet(slo_set::read(entry)?),
            Self::Process => EntryContent::Process(process::read(entry, folder)?),
        })
    }
}

impl Pack {
    /// Reads a file. The error names the file, the place and the mistake.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        let shown = path.display().to_string();
        let failed = |problem: String| FileError::new(problem).in_file(&shown);
        let length = fs::metadata(path).map_err(|error| failed(error.to_string()))?.len();
        if length > MOST_BYTES {
            return Err(failed(format!("has {length} bytes; a pack has at most {MOST_BYTES}")));
        }
        let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
        Self::read(&text, path).map_err(|error| error.in_file(&shown))
    }

    /// Reads the text of a file. `path` is where it is: commands of processes are found next to it.
    pub fn read(text: &str, path: &Path) -> Result<Self, FileError> {
        let root = read_yaml(text)?;
        if !matches!(root.value, NodeValue::Map(_)) {
            return Err(FileError::at(root.position, "", format!("must be a map of keys, not {}", root.kind())));
        }
        check_version(&root)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let usual =
            if same_name(&stem, "plugin") { folder.file_name().unwrap_or_default().to_string_lossy() } else { stem };
        let mut pack = Self {
            name: root.get("name").and_then(Node::word).unwrap_or_else(|| usual.into_owned()),
            path: path.to_owned(),
            description: root.get("description").and_then(Node::word).unwrap_or_default(),
            entries: Vec::new(),
        };
        for entry in root.entries().iter().filter(|entry| !HEAD.contains(&entry.key.as_str())) {
            let Some(category) = CATEGORIES.iter().find(|category| category.name == entry.key) else {
                return Err(FileError::at(entry.key_position, &entry.key, unknown_category(&entry.key)));
            };
            let Some(form) = category.form else {
                let problem =
                    format!("packs cannot add to this category; they can add to {}", pack_categories().join(", "));
                return Err(FileError::at(entry.key_position, &entry.key, problem));
            };
            if !matches!(entry.value.value, NodeValue::Map(_)) {
                let problem = format!("must be a map of names, not {}", entry.value.kind());
                return Err(FileError::at(entry.value.position, &entry.key, problem));
            }
            for named in entry.value.entries() {
                let at = field::join(&entry.key, &named.key);
                check_name(&named.key).map_err(|problem| FileError::at(named.key_position, &at, problem))?;
                if category.built_in().iter().any(|built_in| same_name(&built_in.name, &named.key))
                    && form != EntryForm::Plot
                {
                    let problem = format!("`{}` is a built-in entry; choose another name", named.key);
                    return Err(FileError::at(named.key_position, &at, problem));
                }
                let checked = Checked::new(&named.value, &at, form.fields())?;
                let content = form.read(&named.key, &checked, folder)?;
                let description = checked.text("description").unwrap_or_default();
                pack.entries.push(PackEntry { category, name: named.key.clone(), description, content });
            }
        }
        Ok(pack)
    }
}

/// Keys at the top of a file that are not categories.
const HEAD: [&str; 3] = ["schema_version", "name", "description"];

fn check_version(root: &Node) -> Result<(), FileError> {
    let Some(node) = root.get("schema_version") else {
        let problem = format!("needs `schema_version: \"{SCHEMA_VERSION}\"`");
        return Err(FileError::at(root.position, "", problem));
    };
    let version = node.word().unwrap_or_default();
    // YAML reads 1.0 without quotes as a number.
    if version == SCHEMA_VERSION || node.value == NodeValue::Float(1.0) {
        return Ok(());
    }
    let problem = format!("this program reads version {SCHEMA_VERSION}, not {version}");
    Err(FileError::at(node.position, "schema_version", problem))
}

fn check_name(name: &str) -> Result<(), String> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_fine) {
        return Err("a name has letters, digits, `_`, `-` and `.`, at most 64 of them".to_owned());
    }
    Ok(())
}

/// The categories that packs can add to.
pub fn pack_categories() -> Vec<&'static str> {
    CATEGORIES.iter().filter(|category| category.form.is_some()).map(|category| category.name).collect()
}

fn unknown_category(key: &str) -> String {
    let known = CATEGORIES.iter().map(|category| category.name).chain(HEAD);
    match nearest(key, known) {
        Some(near) => format!("unknown category; did you mean `{near}`?"),
        None => format!("unknown category; packs can add to {}", pack_categories().join(", ")),
    }
}

/// The JSON schema of pack files.
pub fn schema() -> Value {
    let text = |help: &str| json!({"type": "string", "description": help});
    let mut properties = Map::new();
    properties.insert(
        "schema_version".to_owned(),
        json!({"const": SCHEMA_VERSION, "description": "Version of this format."}),
    );
    properties.insert("name".to_owned(), text("Name of the pack. Default: the name of the file."));
    properties.insert("description".to_owned(), text("What the pack is for, in one line."));
    for category in &CATEGORIES {
        if let Some(form) = category.form {
            let entries = json!({
                "type": "object", "description": category.description, "additionalProperties": field::schema(form.fields()),
            });
            properties.insert(category.name.to_owned(), entries);
        }
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "aiperf plugin pack",
        "type": "object",
        "required": ["schema_version"],
        "additionalProperties": false,
        "properties": properties,
    })
}

#[cfg(test)]
mod tests;
