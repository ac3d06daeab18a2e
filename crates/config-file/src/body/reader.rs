//! Turns the fields of a section into options that carry their place in the file, so that an error about one names it.

use aiperf_config::UserFile;
use aiperf_options::RawOptions;
use aiperf_options::catalogue::OptionId;
use serde_json::{Map, Value};

use super::duration;
use crate::FileError;
use crate::field::{Field, Form};
use crate::names::{camel, nearest, snake};
use crate::yaml::{Entry, Node, NodeValue};

/// Collects the options of one part of a file.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    file: &'a str,
    options: RawOptions,
    warnings: Vec<String>,
    /// `artifacts.records` and `artifacts.raw`, which are one option.
    pub(super) records: Option<bool>,
    pub(super) raw: Option<bool>,
    /// What `otel` switches on and off, which is one option.
    pub(super) streams: Vec<(&'static str, bool)>,
    pub(super) user_files: Vec<UserFile>,
    /// The place of the settings above.
    pub(super) combined_at: Option<String>,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(file: &'a str) -> Self {
        Self {
            file,
            options: RawOptions::new(),
            warnings: Vec::new(),
            records: None,
            raw: None,
            streams: Vec::new(),
            user_files: Vec::new(),
            combined_at: None,
        }
    }

    pub(super) fn finish(mut self) -> (RawOptions, Vec<String>) {
        self.put_combined();
        (self.options, self.warnings)
    }

    fn put_combined(&mut self) {
        let place = self.combined_at.clone().unwrap_or_default();
        let level = match (self.raw, self.records) {
            (Some(true), _) => Some("raw"),
            (_, Some(false)) => Some("summary"),
            (Some(false), _) | (_, Some(true)) => Some("records"),
            (None, None) => None,
        };
        if let Some(level) = level {
            self.options.push(OptionId::ExportLevel, place.as_str(), vec![level.to_owned()]);
        }
        if !self.streams.is_empty() {
            let is_on = |word: &str, usual: bool| {
                self.streams.iter().find(|(known, _)| *known == word).map_or(usual, |(_, on)| *on)
            };
            let words = [("metrics", true), ("timing", true), ("traces", false)];
            let mut on: Vec<String> = words
                .into_iter()
                .filter(|(word, usual)| is_on(word, *usual))
                .map(|(word, _)| word.to_owned())
                .collect();
            if on.is_empty() {
                on.push("none".to_owned());
            }
            self.options.push(OptionId::Stream, place, on);
        }
    }

    /// Reads all fields of a section.
    pub(super) fn section(&mut self, node: &Node, path: &str, fields: &'static [Field]) -> Result<(), FileError> {
        if matches!(node.value, NodeValue::Null) {
            return Ok(());
        }
        must_be_map(node, path)?;
        node.entries().iter().try_for_each(|entry| self.entry(entry, &format!("{path}.{}", entry.key), fields, &[]))
    }

    /// Reads one field; `others` are names that are read elsewhere.
    pub(super) fn entry(
        &mut self,
        entry: &Entry,
        path: &str,
        fields: &'static [Field],
        others: &[&'static str],
    ) -> Result<(), FileError> {
        let name = snake(&entry.key);
        match fields.iter().find(|field| field.is_called(&name)) {
            Some(field) => self.field(field, &entry.value, path),
            None => Err(unknown(entry, path, fields.iter().map(|field| field.name).chain(others.iter().copied()))),
        }
    }

    fn field(&mut self, field: &Field, node: &Node, path: &str) -> Result<(), FileError> {
        let wrong = |problem: String| FileError::at(node.position, path, problem);
        // A key without a value is the same as no key.
        if matches!(node.value, NodeValue::Null) {
            return Ok(());
        }
        match field.form {
            Form::Scalar(id) => self.put(id, node, path, vec![scalar(node).map_err(wrong)?]),
            Form::Flag(id) => self.put(id, node, path, vec![truth(node).map_err(wrong)?.to_string()]),
            Form::NegatedFlag(id) => {
                if !truth(node).map_err(wrong)? {
                    self.put(id, node, path, vec!["true".to_owned()]);
                }
            }
            Form::List(id) => {
                for value in list(node).map_err(wrong)? {
                    self.add(id, node, path, value);
                }
            }
            Form::Map(id) => {
                must_be_map(node, path)?;
                if !node.entries().is_empty() {
                    self.add(id, node, path, node.to_json().to_string());
                }
            }
            Form::Pairs(id) => {
                must_be_map(node, path)?;
                for entry in node.entries() {
                    let text = entry.value.word().ok_or_else(|| {
                        FileError::at(entry.value.position, format!("{path}.{}", entry.key), "must be a text")
                    })?;
                    let pair = if id == OptionId::MlflowTag {
                        Value::Object(Map::from_iter([(entry.key.clone(), Value::from(text))])).to_string()
                    } else {
                        format!("{}={text}", entry.key)
                    };
                    self.add(id, node, path, pair);
                }
            }
            Form::Thresholds(id) => self.thresholds(id, node, path)?,
            Form::Distribution(mean, stddev) => self.distribution(mean, stddev, node, path)?,
            Form::Duration(id) => self.put(id, node, path, vec![duration::seconds(node).map_err(wrong)?]),
            Form::Section(fields) => self.section(node, path, fields)?,
            Form::Own(form) => self.own(form, node, path)?,
            Form::Refused(reason) => return Err(wrong(format!("is not supported: {reason}; leave it out"))),
            Form::WithoutEffect(reason) => {
                self.warnings.push(format!("{} has no effect: {reason}", self.spelling(node, path)));
            }
        }
        Ok(())
    }

    fn thresholds(&mut self, id: OptionId, node: &Node, path: &str) -> Result<(), FileError> {
        must_be_map(node, path)?;
        let mut pairs = Vec::new();
        for entry in node.entries() {
            match entry.value.value {
                NodeValue::Int(_) | NodeValue::Float(_) => {
                    pairs.push(format!("{}:{}", entry.key, entry.value.word().unwrap_or_default()));
                }
                _ => {
                    let path = format!("{path}.{}", entry.key);
                    let problem = format!("must be a number, not {}", entry.value.kind());
                    return Err(FileError::at(entry.value.position, path, problem));
                }
            }
        }
        if !pairs.is_empty() {
            self.put(id, node, path, vec![pairs.join(" ")]);
        }
        Ok(())
    }

    /// A number is a mean without a spread; a mean with a standard deviation is what the two options say; any other
    /// distribution is handed on whole.
    fn distribution(&mut self, mean: OptionId, stddev: OptionId, node: &Node, path: &str) -> Result<(), FileError> {
        // A key without a value is the same as no key.
        let stripped;
        let node = match &node.value {
            NodeValue::Map(entries) if entries.iter().any(|entry| matches!(entry.value.value, NodeValue::Null)) => {
                let kept = entries.iter().filter(|entry| !matches!(entry.value.value, NodeValue::Null));
                stripped = Node { value: NodeValue::Map(kept.cloned().collect()), ..node.clone() };
                &stripped
            }
            _ => node,
        };
        let NodeValue::Map(entries) = &node.value else {
            let value = scalar(node).map_err(|problem| FileError::at(node.position, path, problem))?;
            self.put(mean, node, path, vec![whole(&value)]);
            return Ok(());
        };
        let is_plain = entries.iter().all(|entry| ["mean", "stddev"].contains(&entry.key.as_str()))
            || (entries.iter().all(|entry| ["mean", "stddev", "type"].contains(&entry.key.as_str()))
                && node.get("type").and_then(Node::word).as_deref() == Some("normal"));
        if is_plain && !entries.is_empty() && node.get("type").is_none_or(|_| node.get("mean").is_some()) {
            for (id, key) in [(mean, "mean"), (stddev, "stddev")] {
                if let Some(value) = node.get(key) {
                    let path = format!("{path}.{key}");
                    let word =
                        scalar(value).map_err(|problem| FileError::at(value.position, path.as_str(), problem))?;
                    self.put(id, value, &path, vec![whole(&word)]);
                }
            }
            return Ok(());
        }
        self.put(mean, node, path, vec![node.to_json().to_string()]);
        Ok(())
    }

    /// Sets an option that is not set yet, or replaces its value: the last word of a file counts.
    pub(super) fn put(&mut self, id: OptionId, node: &Node, path: &str, values: Vec<String>) {
        let spelling = self.spelling(node, path);
        self.options.set(id, spelling, values);
    }

    /// Whether a flag has been switched on.
    pub(super) fn is_on(&self, id: OptionId) -> bool {
        self.options.get(id).is_some_and(|given| given.values.first().is_some_and(|value| value == "true"))
    }

    /// Adds one value to an option that takes several.
    pub(super) fn add(&mut self, id: OptionId, node: &Node, path: &str, value: String) {
        let spelling = self.spelling(node, path);
        self.options.append(id, spelling, value);
    }

    /// How messages name a field: its path and its place.
    pub(super) fn spelling(&self, node: &Node, path: &str) -> String {
        format!("{path} ({}:{}:{})", self.file, node.position.line, node.position.column)
    }

    pub(super) fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }
}

/// The error for a key that a section does not have.
pub(crate) fn unknown(entry: &Entry, path: &str, known: impl Iterator<Item = &'static str>) -> FileError {
    let known: Vec<&str> = known.collect();
    let advice = nearest(&entry.key, known.iter().copied()).map_or_else(
        || format!("known here: {}", known.iter().map(|name| camel(name)).collect::<Vec<_>>().join(", ")),
        |near| format!("did you mean {}?", camel(near)),
    );
    FileError::at(entry.key_position, path, format!("unknown key {}; {advice}", entry.key))
}

/// A number, a truth value or a text, as it would be typed.
pub(crate) fn scalar(node: &Node) -> Result<String, String> {
    node.word().ok_or_else(|| match node.value {
        NodeValue::List(_) => {
            "must be one value, not a list; to run with each value of a list, write it under `sweep`".to_owned()
        }
        _ => format!("must be one value, not {}", node.kind()),
    })
}

/// A whole number in the form of a real one is whole: options of whole numbers do not take `512.0`.
fn whole(word: &str) -> String {
    word.strip_suffix(".0").unwrap_or(word).to_owned()
}

pub(crate) fn truth(node: &Node) -> Result<bool, String> {
    let word = node.word().unwrap_or_default().to_ascii_lowercase();
    match word.as_str() {
        "true" | "yes" | "on" | "1" => Ok(true),
        "false" | "no" | "off" | "0" => Ok(false),
        _ => Err(format!("must be true or false, not {}", node.kind())),
    }
}

/// One value, or several.
pub(super) fn list(node: &Node) -> Result<Vec<String>, String> {
    match &node.value {
        NodeValue::List(items) => items.iter().map(scalar).collect(),
        _ => Ok(vec![scalar(node)?]),
    }
}

/// Checks that a node is a map of keys.
pub(super) fn must_be_map(node: &Node, path: &str) -> Result<(), FileError> {
    match node.value {
        NodeValue::Map(_) => Ok(()),
        _ => Err(FileError::at(node.position, path, format!("must be a map of keys, not {}", node.kind()))),
    }
}
