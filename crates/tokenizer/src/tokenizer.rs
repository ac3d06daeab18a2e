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

    /// Tokens that the server's own tokenizer puts around a single prompt by itself (a BOS, say).
    fn special_tokens_to_add(&self) -> usize {
        0
    }
}
