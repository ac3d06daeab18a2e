//! A named group of contents of one kind. The names matter to few endpoints (`query` and `passages` of rankings).

use std::sync::Arc;

/// One field of a turn: a list of texts, or of media given as URL, data URL or `format,base64`. A content that many turns
/// have is held once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Media {
    pub name: String,
    pub contents: Vec<Arc<str>>,
}

impl Media {
    pub fn unnamed(content: impl Into<Arc<str>>) -> Self {
        Self { name: String::new(), contents: vec![content.into()] }
    }
}
