//! A text to be written. What it is drawn from is fixed in the order, so that it does not matter who writes it, or when.

use std::sync::Arc;

use super::exact::{ExactText, Writer};

/// One text to write.
#[derive(Debug, Clone)]
pub(crate) struct TextOrder {
    /// What the text starts with, and its tokens.
    pub(crate) prefix: Option<(Arc<str>, usize)>,
    /// Tokens behind the prefix.
    pub(crate) tokens: usize,
    pub(crate) seed: u64,
}

impl TextOrder {
    pub(crate) fn fulfil(&self, writer: &Writer) -> ExactText {
        let (prefix, length) = self.prefix.as_ref().map_or(("", 0), |(text, tokens)| (text, *tokens));
        writer.write(prefix, length + self.tokens, self.seed)
    }
}
