//! A YAML file as a tree in which each key knows its line.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum YamlNode {
    Map(Vec<YamlEntry>),
    List(Vec<YamlNode>),
    /// A number, a truth value or a text, as text.
    Word(String),
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct YamlEntry {
    pub(crate) key: String,
    pub(crate) line: u64,
    pub(crate) value: YamlNode,
}

impl YamlNode {
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let said = |error: serde_saphyr::Error| error.to_string();
        // The first line says where and what; the rest is a drawing.
        serde_saphyr::from_str(text)
            .map_err(|error| said(error).lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned())
    }

    pub(crate) fn word(&self) -> Option<&str> {
        if let Self::Word(word) = self { Some(word) } else { None }
    }
}

impl<'de> Deserialize<'de> for YamlNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(YamlVisitor)
    }
}

struct YamlVisitor;

impl<'de> Visitor<'de> for YamlVisitor {
    type Value = YamlNode;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("keys, a list or a value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<YamlNode, E> {
        Ok(YamlNode::Word(value.to_string()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<YamlNode, E> {
        Ok(YamlNode::Word(value.to_string()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<YamlNode, E> {
        Ok(YamlNode::Word(value.to_string()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<YamlNode, E> {
        Ok(YamlNode::Word(value.to_string()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<YamlNode, E> {
        Ok(YamlNode::Word(value.to_owned()))
    }

    fn visit_unit<E: Error>(self) -> Result<YamlNode, E> {
        Ok(YamlNode::Nothing)
    }

    fn visit_none<E: Error>(self) -> Result<YamlNode, E> {
        Ok(YamlNode::Nothing)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<YamlNode, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element()? {
            nodes.push(node);
        }
        Ok(YamlNode::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<YamlNode, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            entries.push(YamlEntry { line: key.referenced.line(), key: key.value, value: map.next_value()? });
        }
        Ok(YamlNode::Map(entries))
    }
}
