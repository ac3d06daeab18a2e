//! A text to be written. What it is drawn from is fixed in the order, so that it does not matter who writes it, or when.

use std::sync::Arc;

use super::exact::ExactText;
use super::writer::{Start, Writer};

/// One text to write.
#[derive(Debug, Clone)]
pub(crate) struct TextOrder {
    /// What the text starts with.
    pub(crate) prefix: Option<Prefix>,
    /// Tokens behind the prefix.
    pub(crate) tokens: usize,
    pub(crate) seed: u64,
}

/// A text that others begin with.
#[derive(Debug, Clone)]
pub(crate) struct Prefix {
    pub(crate) text: Arc<str>,
    /// Its true number of tokens.
    pub(crate) tokens: usize,
}

impl TextOrder {
    pub(crate) fn fulfil(&self, writer: &Writer) -> ExactText {
        self.fulfil_with(writer, self.tokens)
    }

    /// With another number of tokens behind the prefix than was drawn.
    pub(crate) fn fulfil_with(&self, writer: &Writer, tokens: usize) -> ExactText {
        let start =
            self.prefix.as_ref().map_or(Start::NOTHING, |prefix| Start { text: &prefix.text, tokens: prefix.tokens });
        writer.write(start, tokens, self.seed)
    }

    pub(crate) fn prefix_tokens(&self) -> usize {
        self.prefix.as_ref().map_or(0, |prefix| prefix.tokens)
    }
}
