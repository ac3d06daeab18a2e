//! Rows and values of a table, independent of the file format.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Number, Value};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ColumnValue {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<ColumnValue>),
    Record(TableRow),
}

/// The columns of a row, in file order.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct TableRow(pub(super) Vec<(String, ColumnValue)>);

impl TableRow {
    /// The value of a column; `None` if it is null or missing.
    pub(super) fn get(&self, name: &str) -> Option<&ColumnValue> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, cell)| cell).filter(|cell| **cell != ColumnValue::Null)
    }

    /// The text of a required column; empty if it is null.
    pub(super) fn text(&self, name: &str) -> Result<&str, String> {
        match self.column(name)? {
            ColumnValue::Null => Ok(""),
            ColumnValue::Text(text) => Ok(text),
            _ => Err(format!("column {name} does not contain text")),
        }
    }

    /// The elements of a required column; none if it is null.
    pub(super) fn list(&self, name: &str) -> Result<&[ColumnValue], String> {
        match self.column(name)? {
            ColumnValue::Null => Ok(&[]),
            ColumnValue::List(list) => Ok(list),
            _ => Err(format!("column {name} does not contain a list")),
        }
    }

    pub(super) fn column(&self, name: &str) -> Result<&ColumnValue, String> {
        let found = self.0.iter().find(|(key, _)| key == name).map(|(_, cell)| cell);
        found.ok_or_else(|| format!("column {name} is missing; the file has the columns {}", self.names()))
    }

    pub(super) fn names(&self) -> String {
        self.0.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn to_json(&self) -> Map<String, Value> {
        self.0.iter().map(|(name, cell)| (name.clone(), cell.to_json())).collect()
    }
}

impl ColumnValue {
    /// Whether the value, or one value of a list, equals this text.
    pub(super) fn equals(&self, written: &str) -> bool {
        match self {
            Self::Text(text) => text == written,
            Self::Bool(value) => value.to_string() == written,
            Self::Number(number) => number.to_string() == written,
            Self::List(list) => list.iter().any(|cell| cell.equals(written)),
            Self::Null | Self::Bytes(_) | Self::Record(_) => false,
        }
    }

    /// The value as JSON; bytes become Base64.
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

impl From<Value> for ColumnValue {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::Text(text),
            Value::Array(list) => Self::List(list.into_iter().map(Self::from).collect()),
            Value::Object(object) => Self::Record(TableRow::from(object)),
        }
    }
}

impl From<Map<String, Value>> for TableRow {
    fn from(object: Map<String, Value>) -> Self {
        Self(object.into_iter().map(|(name, value)| (name, ColumnValue::from(value))).collect())
    }
}
