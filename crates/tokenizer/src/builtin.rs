//! The built-in tokenizer `o200k_base`. It needs no file and no network.

use crate::count_cache::CounterId;
use crate::{BUILTIN, Tokenizer};

#[derive(Debug)]
pub(crate) struct Builtin;

impl Tokenizer for Builtin {
    fn name(&self) -> &str {
        BUILTIN
    }

    fn encode(&self, text: &str) -> Vec<u32> {
        aiperf_o200k::encode(text)
    }

    fn decode(&self, tokens: &[u32]) -> String {
        let bytes: Vec<u8> = tokens.iter().filter_map(|&id| aiperf_o200k::bytes_of(id)).flatten().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn count(&self, text: &str) -> usize {
        let count = |piece: &str| aiperf_o200k::count_piece(piece.as_bytes());
        CounterId::BUILTIN.with_cache(|cache| aiperf_o200k::split(text).map(|piece| cache.count(piece, count)).sum())
    }

    /// True, since text is split by a pattern first, and no piece contains a space before a letter except at its start.
    fn keeps_words_apart(&self) -> bool {
        true
    }

    /// The vocabulary without special tokens, which have no text here.
    fn vocabulary(&self, _with_special_tokens: bool) -> Vec<u32> {
        (0..aiperf_o200k::TOKENS).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_texts_have_their_known_o200k_tokens() {
        assert_eq!(Builtin.encode("hello world"), [24_912, 2_375]);
        assert_eq!(Builtin.encode(""), Vec::<u32>::new());
        assert_eq!(Builtin.count("hello world"), 2);
        assert_eq!(Builtin.count("The quick brown fox jumps over the lazy dog"), 9);
    }

    #[test]
    fn an_id_outside_the_vocabulary_is_left_out() {
        assert_eq!(Builtin.decode(&[24_912, u32::MAX, 200_018, 2_375]), "hello world");
    }

    #[test]
    fn it_adds_nothing_around_a_prompt() {
        assert_eq!(Builtin.special_tokens_to_add(), 0);
    }

    proptest! {
        #[test]
        fn any_text_comes_back_and_the_count_is_the_number_of_tokens(text in "\\PC{0,60}|[a-z \\n]{0,200}") {
            let tokens = Builtin.encode(&text);
            prop_assert_eq!(Builtin.count(&text), tokens.len());
            prop_assert_eq!(Builtin.decode(&tokens), text);
        }
    }
}
