//! The seam between those who count tokens and those who know how.

use crate::ChatTemplate;

/// Text to tokens and back. Encoding never adds special tokens.
pub trait Tokenizer: Send + Sync + std::fmt::Debug {
    /// The name under which it was asked for.
    fn name(&self) -> &str;

    fn encode(&self, text: &str) -> Vec<u32>;

    /// The text of the tokens. Ids that the vocabulary does not know are left out.
    fn decode(&self, tokens: &[u32]) -> String;

    fn count(&self, text: &str) -> usize {
        self.encode(text).len()
    }

    /// Tokens that the server's own tokenizer puts around a single prompt by itself (a BOS, say).
    fn special_tokens_to_add(&self) -> usize {
        0
    }

    /// Whether a blank in front of a word, and a full stop or comma behind it, always begin a new token, whatever stands
    /// around them: then the tokens of a sentence are those of its words.
    fn keeps_words_apart(&self) -> bool {
        false
    }

    /// The ids that stand for something, in order; those of special tokens only where asked for. Empty where they are
    /// not known.
    fn vocabulary(&self, _with_special_tokens: bool) -> Vec<u32> {
        Vec::new()
    }

    /// How a list of messages becomes a prompt; there only if it was asked for when the tokenizer was loaded.
    fn chat_template(&self) -> Option<&ChatTemplate> {
        None
    }
}
