//! The fields of pack files as tables. The same table checks a file, with the place of each mistake, and describes it in the JSON
//! schema.

use aiperf_config_file::{FileError, Node, NodeValue, nearest};
use serde_json::{Map, Value, json};

/// One key of a map.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    pub(crate) is_required: bool,
    pub(crate) help: &'static str,
}

/// What a field holds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    Text,
    Flag,
    /// A whole number of at least 1.
    Count,
    /// A number above 0.
    Seconds,
    /// A text, or a list of texts.
    Texts,
    /// A scalar, or a list of scalars, under each key.
    Words,
    /// One of these.
    Choice(&'static [&'static str]),
    /// A map with these fields.
    Map(&'static [Field]),
    /// A map from texts to texts.
    TextMap,
    /// A map that another reader checks.
    Any,
}

pub(crate) const fn field(name: &'static str, form: Form, help: &'static str) -> Field {
    Field { name, form, is_required: false, help }
}

pub(crate) const fn required(name: &'static str, form: Form, help: &'static str) -> Field {
    Field { name, form, is_required: true, help }
}

/// A map that was checked against its fields, with accessors that need no more checks.
#[derive(Debug, Clone)]
pub(crate) struct Checked<'n> {
    node: &'n Node,
    path: String,
}

impl<'n> Checked<'n> {
    /// Checks a map. A key that is not among the fields is an error that names the nearest one.
    pub(crate) fn new(node: &'n Node, path: &str, fields: &[Field]) -> Result<Self, FileError> {
        if !matches!(node.value, NodeValue::Map(_)) {
            return Err(FileError::at(node.position, path, format!("must be a map of keys, not {}", node.kind())));
        }
        for entry in node.entries() {
            let below = join(path, &entry.key);
            let Some(known) = fields.iter().find(|field| field.name == entry.key) else {
                return Err(FileError::at(entry.key_position, below, unknown(&entry.key, fields)));
            };
            known.form.check(&entry.value, &below)?;
        }
        let missing = fields.iter().find(|field| field.is_required && node.get(field.name).is_none());
        if let Some(missing) = missing {
            let problem = format!("needs `{}`: {}", missing.name, missing.help);
            return Err(FileError::at(node.position, path, problem));
        }
        Ok(Self { node, path: path.to_owned() })
    }

    pub(crate) fn node(&self, name: &str) -> Option<&'n Node> {
        self.node.get(name).filter(|node| node.value != NodeValue::Null)
    }

    pub(crate) fn map(&self, name: &str) -> Option<Checked<'n>> {
        self.node(name).map(|node| Checked { node, path: join(&self.path, name) })
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.node(name)?.word()
    }

    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        if let NodeValue::Bool(flag) = self.node(name)?.value { Some(flag) } else { None }
    }

    pub(crate) fn count(&self, name: &str) -> Option<usize> {
        if let NodeValue::Int(count) = self.node(name)?.value { usize::try_from(count).ok() } else { None }
    }

    pub(crate) fn seconds(&self, name: &str) -> Option<f64> {
        match self.node(name)?.value {
            NodeValue::Int(number) => Some(number as f64),
            NodeValue::Float(number) => Some(number),
            _ => None,
        }
    }

    /// A text, or each text of a list.
    pub(crate) fn texts(&self, name: &str) -> Vec<String> {
        self.node(name).map(words).unwrap_or_default()
    }

    /// The keys of a map in their order, each with its scalars.
    pub(crate) fn pairs(&self, name: &str) -> Vec<(String, Vec<String>)> {
        let entries = self.node(name).map(Node::entries).unwrap_or_default();
        entries.iter().map(|entry| (entry.key.clone(), words(&entry.value))).collect()
    }

    /// A mistake in the value of a field, or in the map if the field is not there.
    pub(crate) fn problem(&self, name: &str, problem: impl Into<String>) -> FileError {
        let (node, path) = match self.node.get(name) {
            Some(node) => (node, join(&self.path, name)),
            None => (self.node, self.path.clone()),
        };
        FileError::at(node.position, path, problem)
    }
}

fn words(node: &Node) -> Vec<String> {
    match &node.value {
        NodeValue::List(items) => items.iter().filter_map(Node::word).collect(),
        _ => node.word().into_iter().collect(),
    }
}

pub(crate) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn unknown(key: &str, fields: &[Field]) -> String {
    if key == "class" {
        return "Python classes cannot be loaded; describe the entry, or give a `process` that speaks JSON Lines \
                (docs/plugins.md)"
            .to_owned();
    }
    if let Some(near) = nearest(key, fields.iter().map(|field| field.name)) {
        format!("unknown key; did you mean `{near}`?")
    } else {
        let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
        format!("unknown key; the keys are {}", names.join(", "))
    }
}

impl Form {
    fn check(self, node: &Node, path: &str) -> Result<(), FileError> {
        let is_scalar = |node: &Node| node.word().is_some();
        let is_texts = |node: &Node| match &node.value {
            NodeValue::List(items) => !items.is_empty() && items.iter().all(is_scalar),
            _ => is_scalar(node),
        };
        let expected = match self {
            Self::Map(fields) => return Checked::new(node, path, fields).map(|_| ()),
            Self::Choice(choices) => {
                let word = node.word().unwrap_or_default();
                if choices.contains(&word.as_str()) {
                    return Ok(());
                }
                return Err(FileError::at(
                    node.position,
                    path,
                    format!("{word:?}: choose one of {}", choices.join(", ")),
                ));
            }
            Self::Text if is_scalar(node) => return Ok(()),
            Self::Flag if matches!(node.value, NodeValue::Bool(_)) => return Ok(()),
            Self::Count | Self::Seconds if matches!(node.value, NodeValue::Int(1..)) => return Ok(()),
            Self::Seconds if matches!(node.value, NodeValue::Float(number) if number > 0.0 && number.is_finite()) => {
                return Ok(());
            }
            Self::Texts if is_texts(node) => return Ok(()),
            Self::Words | Self::TextMap if matches!(node.value, NodeValue::Map(_)) => {
                let is_fine = |node: &Node| if matches!(self, Self::Words) { is_texts(node) } else { is_scalar(node) };
                let Some(entry) = node.entries().iter().find(|entry| !is_fine(&entry.value)) else { return Ok(()) };
                let problem = format!("must be a text, not {}", entry.value.kind());
                return Err(FileError::at(entry.value.position, join(path, &entry.key), problem));
            }
            Self::Any if matches!(node.value, NodeValue::Map(_)) => return Ok(()),
            Self::Text => "a text",
            Self::Flag => "true or false",
            Self::Count => "a whole number of at least 1",
            Self::Seconds => "a number above 0",
            Self::Texts => "a text or a list of texts",
            Self::Words | Self::TextMap | Self::Any => "a map of keys",
        };
        Err(FileError::at(node.position, path, format!("must be {expected}, not {}", node.kind())))
    }

    fn schema(self) -> Value {
        let scalar = || json!({"type": ["string", "number", "boolean"]});
        let texts = || json!({"anyOf": [scalar(), {"type": "array", "items": scalar(), "minItems": 1}]});
        match self {
            Self::Text => scalar(),
            Self::Flag => json!({"type": "boolean"}),
            Self::Count => json!({"type": "integer", "minimum": 1}),
            Self::Seconds => json!({"type": "number", "exclusiveMinimum": 0}),
            Self::Texts => texts(),
            Self::Words => json!({"type": "object", "additionalProperties": texts()}),
            Self::Choice(choices) => json!({"enum": choices}),
            Self::Map(fields) => schema(fields),
            Self::TextMap => json!({"type": "object", "additionalProperties": scalar()}),
            Self::Any => json!({"type": "object"}),
        }
    }
}

/// The JSON schema of a map with these fields.
pub(crate) fn schema(fields: &[Field]) -> Value {
    let mut properties = Map::new();
    for field in fields {
        let mut schema = field.form.schema();
        schema["description"] = field.help.into();
        properties.insert(field.name.to_owned(), schema);
    }
    let required: Vec<&str> = fields.iter().filter(|field| field.is_required).map(|field| field.name).collect();
    let mut schema = json!({"type": "object", "additionalProperties": false, "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}
