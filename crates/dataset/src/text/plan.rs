//! The plan of a text. It contains the seed, so that the text does not depend on when and on which thread it is written.

use std::sync::Arc;

use super::exact::ExactText;
use super::writer::{TextStart, TextWriter};

/// A text to write.
#[derive(Debug, Clone)]
pub(crate) struct TextPlan {
    /// The beginning of the text, which others may share.
    pub(crate) prefix: Option<Prefix>,
    /// The number of tokens after the prefix.
    pub(crate) tokens: usize,
    pub(crate) seed: u64,
}

/// A text that other texts start with.
#[derive(Debug, Clone)]
pub(crate) struct Prefix {
    pub(crate) text: Arc<str>,
    /// The number of tokens that it has under the tokenizer.
    pub(crate) tokens: usize,
}

impl TextPlan {
    pub(crate) fn write(&self, writer: &TextWriter) -> ExactText {
        self.write_with(writer, self.tokens)
    }

    /// Writes the text with another number of tokens after the prefix.
    pub(crate) fn write_with(&self, writer: &TextWriter, tokens: usize) -> ExactText {
        let start = self
            .prefix
            .as_ref()
            .map_or(TextStart::NOTHING, |prefix| TextStart { text: &prefix.text, tokens: prefix.tokens });
        writer.write(start, tokens, self.seed)
    }

    pub(crate) fn prefix_tokens(&self) -> usize {
        self.prefix.as_ref().map_or(0, |prefix| prefix.tokens)
    }
}
