//! Token counting. One trait, and the tokenizers behind it: the built-in o200k, a local folder or `tokenizer.json`, and
//! a Hugging Face id through the hub cache.
#![forbid(unsafe_code)]

/// Text to tokens and back. Encoding never adds special tokens.
pub trait Tokenizer: Send + Sync + std::fmt::Debug {
    /// The name under which it was asked for.
    fn name(&self) -> &str;

    fn encode(&self, text: &str) -> Vec<u32>;

    fn decode(&self, tokens: &[u32]) -> String;

    fn count(&self, text: &str) -> usize {
        self.encode(text).len()
    }

    /// Tokens that the server's own tokenizer puts around a single prompt by itself (a BOS, say).
    fn special_tokens_to_add(&self) -> usize {
        0
    }
}
