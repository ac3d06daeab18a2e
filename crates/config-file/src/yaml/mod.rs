//! YAML as configuration files use it: a tree in which every key and value knows its line, read strictly.

mod node;
mod read;
mod scalar;
mod write;

pub use node::{Entry, Node, NodeValue, Position};
pub use read::read;
pub(crate) use scalar::typed;
/// The value of a document, without places.
pub fn value(text: &str) -> Result<serde_json::Value, crate::FileError> {
    read(text).map(|node| node.to_json())
}

pub(crate) use write::text as write_text;
pub use write::write;
