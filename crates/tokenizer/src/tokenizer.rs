//! The seam between those who count tokens and those who know how.

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

    /// Whether a plain word with a space before it, and a mark behind a word, always are tokens of their own: then a text
    /// of such words has as many tokens as its words have one by one.
    fn keeps_words_apart(&self) -> bool {
        false
    }

    /// Tokens that the server's own tokenizer puts around a single prompt by itself (a BOS, say).
    fn special_tokens_to_add(&self) -> usize {
        0
    }
}
