//! Attributes, and what they describe: the resource and the scope.

use prost::{Message, Oneof};

#[derive(Clone, PartialEq, Message)]
pub struct KeyValue {
    #[prost(string, tag = "1")]
    pub key: String,
    #[prost(message, optional, tag = "2")]
    pub value: Option<OtlpValue>,
}

#[derive(Clone, PartialEq, Message)]
pub struct OtlpValue {
    #[prost(oneof = "AttributeValue", tags = "1, 2, 3, 4")]
    pub value: Option<AttributeValue>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum AttributeValue {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(bool, tag = "2")]
    Truth(bool),
    #[prost(int64, tag = "3")]
    Int(i64),
    #[prost(double, tag = "4")]
    Float(f64),
}

/// What the measurements are of: this program and this run.
#[derive(Clone, PartialEq, Message)]
pub struct OtlpResource {
    #[prost(message, repeated, tag = "1")]
    pub attributes: Vec<KeyValue>,
}

/// What measured.
#[derive(Clone, PartialEq, Message)]
pub struct OtlpScope {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub version: String,
}

impl KeyValue {
    pub fn text(key: &str, value: impl Into<String>) -> Self {
        Self::new(key, AttributeValue::Text(value.into()))
    }

    pub fn int(key: &str, value: i64) -> Self {
        Self::new(key, AttributeValue::Int(value))
    }

    pub fn truth(key: &str, value: bool) -> Self {
        Self::new(key, AttributeValue::Truth(value))
    }

    fn new(key: &str, value: AttributeValue) -> Self {
        Self { key: key.to_owned(), value: Some(OtlpValue { value: Some(value) }) }
    }

    /// The value as text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self.value.as_ref()?.value.as_ref()? {
            AttributeValue::Text(text) => Some(text),
            _ => None,
        }
    }
}
