//! A named group of contents of one kind. The names matter to few endpoints (`query` and `passages` of rankings).

/// One field of a turn: a list of texts, or of media given as URL, data URL or `format,base64`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Media {
    pub name: String,
    pub contents: Vec<String>,
}

impl Media {
    pub fn unnamed(content: impl Into<String>) -> Self {
        Self { name: String::new(), contents: vec![content.into()] }
    }
}
