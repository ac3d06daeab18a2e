//! The tree of a YAML document.

use serde_json::{Map, Number, Value};

/// Line and column of a file, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// A value and its place in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub value: NodeValue,
    pub position: Position,
}

#[derive(Debug, Clone, PartialEq)]
pub enum NodeValue {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key of a map with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub key: String,
    pub key_position: Position,
    pub value: Node,
}

impl Node {
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        match &mut self.value {
            NodeValue::Map(entries) => entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.value),
            _ => None,
        }
    }

    /// The keys of a map; none of anything else.
    pub fn entries(&self) -> &[Entry] {
        if let NodeValue::Map(entries) = &self.value { entries } else { &[] }
    }

    /// What kind of value it is, in the words of a message.
    pub const fn kind(&self) -> &'static str {
        match self.value {
            NodeValue::Null => "nothing",
            NodeValue::Bool(_) => "true or false",
            NodeValue::Int(_) => "a whole number",
            NodeValue::Float(_) => "a number",
            NodeValue::Text(_) => "text",
            NodeValue::List(_) => "a list",
            NodeValue::Map(_) => "a map of keys",
        }
    }

    /// A scalar as it would be typed on a command line.
    pub fn word(&self) -> Option<String> {
        match &self.value {
            NodeValue::Bool(value) => Some(value.to_string()),
            NodeValue::Int(value) => Some(value.to_string()),
            NodeValue::Float(value) => Some(float_text(*value)),
            NodeValue::Text(value) => Some(value.clone()),
            NodeValue::Null | NodeValue::List(_) | NodeValue::Map(_) => None,
        }
    }

    pub fn to_json(&self) -> Value {
        match &self.value {
            NodeValue::Null => Value::Null,
            NodeValue::Bool(value) => Value::Bool(*value),
            NodeValue::Int(value) => Value::from(*value),
            // JSON has no infinity, so it is written as its name.
            NodeValue::Float(value) => {
                Number::from_f64(*value).map_or_else(|| Value::from(float_text(*value)), Value::Number)
            }
            NodeValue::Text(value) => Value::from(value.as_str()),
            NodeValue::List(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            NodeValue::Map(entries) => {
                let pairs = entries.iter().map(|entry| (entry.key.clone(), entry.value.to_json()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }

    /// A value that no file has, at the place of the one that it stands for.
    pub(crate) fn from_json(value: &Value, position: Position) -> Self {
        let value = match value {
            Value::Null => NodeValue::Null,
            Value::Bool(value) => NodeValue::Bool(*value),
            Value::Number(number) => {
                number.as_i64().map_or_else(|| NodeValue::Float(number.as_f64().unwrap_or(f64::NAN)), NodeValue::Int)
            }
            Value::String(text) => NodeValue::Text(text.clone()),
            Value::Array(items) => NodeValue::List(items.iter().map(|item| Self::from_json(item, position)).collect()),
            Value::Object(pairs) => NodeValue::Map(
                pairs
                    .iter()
                    .map(|(key, value)| Entry {
                        key: key.clone(),
                        key_position: position,
                        value: Self::from_json(value, position),
                    })
                    .collect(),
            ),
        };
        Self { value, position }
    }
}

fn float_text(value: f64) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    // The shortest text that is read as the same number, with a point if it is whole.
    format!("{value:?}")
}
