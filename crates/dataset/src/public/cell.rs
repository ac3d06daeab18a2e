//! One value of a row, whatever file it came from.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Number, Value};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Cell>),
    Record(Row),
}

/// Columns in file order.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Row(pub(super) Vec<(String, Cell)>);

impl Row {
    /// The value of a column; one that is null is absent.
    pub(super) fn get(&self, name: &str) -> Option<&Cell> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, cell)| cell).filter(|cell| **cell != Cell::Null)
    }

    /// The text of a column that must be there; empty where it is null.
    pub(super) fn text(&self, name: &str) -> Result<&str, String> {
        match self.column(name)? {
            Cell::Null => Ok(""),
            Cell::Text(text) => Ok(text),
            _ => Err(format!("column {name} holds no text")),
        }
    }

    /// The elements of a column that must be there; none where it is null.
    pub(super) fn list(&self, name: &str) -> Result<&[Cell], String> {
        match self.column(name)? {
            Cell::Null => Ok(&[]),
            Cell::List(list) => Ok(list),
            _ => Err(format!("column {name} holds no list")),
        }
    }

    pub(super) fn column(&self, name: &str) -> Result<&Cell, String> {
        let found = self.0.iter().find(|(key, _)| key == name).map(|(_, cell)| cell);
        found.ok_or_else(|| format!("there is no column {name}; there are {}", self.names()))
    }

    pub(super) fn names(&self) -> String {
        self.0.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn to_json(&self) -> Map<String, Value> {
        self.0.iter().map(|(name, cell)| (name.clone(), cell.to_json())).collect()
    }
}

impl Cell {
    /// Whether it is, or a list of it holds, what is written so.
    pub(super) fn equals(&self, written: &str) -> bool {
        match self {
            Self::Text(text) => text == written,
            Self::Bool(value) => value.to_string() == written,
            Self::Number(number) => number.to_string() == written,
            Self::List(list) => list.iter().any(|cell| cell.equals(written)),
            Self::Null | Self::Bytes(_) | Self::Record(_) => false,
        }
    }

    /// Bytes become base64.
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.clone()),
            Self::Bytes(bytes) => Value::String(STANDARD.encode(bytes)),
            Self::List(list) => Value::Array(list.iter().map(Self::to_json).collect()),
            Self::Record(row) => Value::Object(row.to_json()),
        }
    }

    pub(super) fn float(number: f64) -> Self {
        Number::from_f64(number).map_or(Self::Null, Self::Number)
    }
}

impl From<Value> for Cell {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::Text(text),
            Value::Array(list) => Self::List(list.into_iter().map(Self::from).collect()),
            Value::Object(object) => Self::Record(Row::from(object)),
        }
    }
}

impl From<Map<String, Value>> for Row {
    fn from(object: Map<String, Value>) -> Self {
        Self(object.into_iter().map(|(name, value)| (name, Cell::from(value))).collect())
    }
}
