//! Tokenizers for tests of lengths.

use aiperf_tokenizer::Tokenizer;

/// A tokenizer that only counts.
#[derive(Debug)]
pub(crate) struct Counting(pub(crate) fn(&str) -> usize);

impl Tokenizer for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }
    fn encode(&self, text: &str) -> Vec<u32> {
        vec![0; self.count(text)]
    }
    fn decode(&self, _: &[u32]) -> String {
        String::new()
    }
    fn count(&self, text: &str) -> usize {
        (self.0)(text)
    }
}
