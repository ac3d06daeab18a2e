//! YAML as configuration files use it: a tree in which every key and value knows its line, read strictly.

mod node;
mod read;
mod scalar;
mod write;

pub use node::Position;
pub(crate) use node::{Entry, Node, NodeValue};
pub(crate) use read::read;
pub(crate) use scalar::typed;
pub use write::write;
