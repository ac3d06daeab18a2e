//! The tokenizer `o200k_base`: splits text by its pattern and merges bytes to tokens by their ranks. The tables are generated
//! by the build script and used in place, so that the first token costs no more than the next.
#![forbid(unsafe_code)]

mod layout;
mod merge;
mod table;

use aiperf_bpe::{Pieces, WordPattern};

/// The build script, which cannot use other crates, includes the file of this function.
mod hash {
    pub(crate) use aiperf_bpe::hash;
}

/// The number of tokens in the vocabulary. Their ids are `0..TOKENS`.
pub const TOKENS: u32 = table::TOKENS;

/// The pieces of a text, which are tokenized separately. Joined, they are the text.
pub fn split(text: &str) -> Pieces<'_> {
    WordPattern::O200k { digits: 3, contractions: true }.pieces(text)
}

/// The tokens of a text.
pub fn encode(text: &str) -> Vec<u32> {
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    for piece in split(text) {
        encode_piece(piece.as_bytes(), &mut tokens);
    }
    tokens
}

/// The number of tokens in a text.
pub fn count(text: &str) -> usize {
    split(text).map(|piece| count_piece(piece.as_bytes())).sum()
}

/// The number of tokens in a piece of [`split`].
pub fn count_piece(piece: &[u8]) -> usize {
    if table::id_of(piece).is_some() {
        return 1;
    }
    let mut tokens = Vec::new();
    merge::merge(piece, &mut tokens);
    tokens.len()
}

/// The bytes of a token; `None` for an id outside the vocabulary.
pub fn bytes_of(token: u32) -> Option<&'static [u8]> {
    table::bytes_of(token)
}

fn encode_piece(piece: &[u8], tokens: &mut Vec<u32>) {
    match table::id_of(piece) {
        Some(token) => tokens.push(token),
        None => merge::merge(piece, tokens),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn expected(text: &str) -> Vec<u32> {
        bpe_openai::o200k_base().encode(text)
    }

    #[test]
    fn every_token_has_its_bytes_and_its_id() {
        let bpe = &bpe_openai::o200k_base().bpe;
        assert_eq!(TOKENS as usize, bpe.num_tokens());
        for token in 0..TOKENS {
            let bytes = bytes_of(token).unwrap();
            assert_eq!(bytes, bpe.decode_tokens(&[token]));
            assert_eq!(table::id_of(bytes), Some(token));
        }
        assert_eq!(bytes_of(TOKENS), None);
        assert_eq!(table::id_of(b""), None);
    }

    #[test]
    fn texts_of_many_kinds_have_the_tokens_of_the_library_that_carries_the_vocabulary() {
        let texts = [
            "",
            " ",
            "hello world",
            "The quick brown fox can't jump; they'll WALK, I'D say.\r\n\r\n  Next   line \t\n   ",
            "fn main() {\n    println!(\"{}\", 12345678 + 0x1F);\n}\n\n\n// end  ",
            "日本語の文章はとても長くなることがありますが、それでも正しく分けられなければなりません。",
            "Здравствуйте, как дела? Ünïcödé naïve façade — “quotes” … ½ ² Ⅷ ٣٤٥",
            "👩‍👩‍👧‍👦 emoji 🇩🇪 \u{200d}\u{fe0f} e\u{301}e\u{301} \u{1F600}\u{0} \u{a0}\u{2003}x \u{2028}y",
            "AAAAaaaaBBBBbbbb CamelCaseWordsAndHTTPServers'S don'T",
            "/path/to//file/\n///\r\n https://example.com/?q=1&r=%20",
        ];
        for text in texts {
            assert_eq!(encode(text), expected(text), "{text:?}");
            assert_eq!(count(text), encode(text).len(), "{text:?}");
        }
    }

    #[test]
    fn a_long_run_without_a_break_is_merged_as_a_short_one() {
        for unit in ["a", "ab", "漢字", "xyzzy", "=", "é"] {
            for times in [31, 32, 33, 100, 3_000] {
                let text = unit.repeat(times);
                assert_eq!(encode(&text), expected(&text), "{unit} {times}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_has_the_tokens_of_the_library(text in "\\PC{0,80}|[a-zA-Z' \\r\\n\\t/]{0,300}|[\\s\\S]{0,60}|(\\s|[a-c0-9]|\\p{M}){0,80}") {
            prop_assert_eq!(encode(&text), expected(&text));
            prop_assert_eq!(count(&text), expected(&text).len());
            prop_assert_eq!(split(&text).collect::<String>(), text);
        }

        #[test]
        fn any_letters_in_a_row_have_the_tokens_of_the_library(text in "[a-zäöü漢字]{0,400}") {
            prop_assert_eq!(encode(&text), expected(&text));
        }
    }
}
