//! The trait of all tokenizers.

use crate::ChatTemplate;

/// Converts text to tokens and back. Encoding never adds special tokens.
pub trait Tokenizer: Send + Sync + std::fmt::Debug {
    /// The name under which it was requested.
    fn name(&self) -> &str;

    fn encode(&self, text: &str) -> Vec<u32>;

    /// The text of the tokens. Unknown ids are left out.
    fn decode(&self, tokens: &[u32]) -> String;

    fn count(&self, text: &str) -> usize {
        self.encode(text).len()
    }

    /// The number of tokens, such as a BOS, that the server's tokenizer adds to a single prompt.
    fn special_tokens_to_add(&self) -> usize {
        0
    }

    /// Whether a space before a word, and a full stop or comma after it, always begin a new token. Then the tokens of a sentence
    /// are those of its words.
    fn keeps_words_apart(&self) -> bool {
        false
    }

    /// The ids of the vocabulary, in order, with or without those of special tokens. Empty if they are unknown.
    fn vocabulary(&self, _with_special_tokens: bool) -> Vec<u32> {
        Vec::new()
    }

    /// Whether texts pass through the `tokenizers` library, which is slower and needs more memory.
    fn uses_library(&self) -> bool {
        false
    }

    /// The chat template; present only if it was requested when the tokenizer was loaded.
    fn chat_template(&self) -> Option<&ChatTemplate> {
        None
    }
}
