//! Exact counts under tokenizers of all kinds.

use aiperf_tokenizer::{HubEnvironment, TokenizerRequest};
use proptest::prelude::*;

use super::*;
use crate::counting::Counting;

const BYTES: Counting = Counting(str::len);
const WORDS: Counting = Counting(|text| text.split_whitespace().count());
const BYTE_PAIRS: Counting = Counting(|text| text.len().div_ceil(2));
const BYTE_PAIRS_OF_WORDS: Counting = Counting(|text| text.split(' ').map(|w| w.len().div_ceil(2)).sum());
const MARKED_AT_THE_START: Counting =
    Counting(|text| 1 + text.split_inclusive(' ').map(|w| w.len().div_ceil(4)).sum::<usize>());
const LETTERS_ONLY: Counting = Counting(|text| text.chars().filter(|c| c.is_alphabetic()).count());

fn builtin() -> Arc<dyn Tokenizer> {
    let nowhere = HubEnvironment::from_variables(|_| None);
    aiperf_tokenizer::load(&TokenizerRequest::named("builtin"), &nowhere).unwrap()
}

proptest! {
    #[test]
    fn the_count_is_exact_under_any_tokenizer(tokens in 3_usize..700, seed: u64) {
        let builtin = builtin();
        let all: [Arc<dyn Tokenizer>; 7] =
            [builtin, Arc::new(BYTES), Arc::new(WORDS), Arc::new(BYTE_PAIRS), Arc::new(BYTE_PAIRS_OF_WORDS), Arc::new(MARKED_AT_THE_START), Arc::new(LETTERS_ONLY)];
        for tokenizer in all {
            let written = Fitter::new(&tokenizer).write_prose(TextStart::NOTHING, tokens, seed);
            prop_assert_eq!(tokenizer.count(&written.text), tokens, "{:?}: {}", tokenizer, written.text);
            prop_assert!(written.exact);
        }
    }

    #[test]
    fn a_prefix_stays_whole_and_is_counted(prefix in 1_usize..60, tokens in 1_usize..60, seed: u64) {
        let builtin = builtin();
        let fitter = Fitter::new(&builtin);
        let first = fitter.write_prose(TextStart::NOTHING, prefix, seed);
        let both = fitter.write_prose(TextStart { text: &first.text, tokens: prefix }, tokens, seed ^ 1);
        prop_assert!(both.text.starts_with(&first.text) && both.exact);
        let (first, both) = (builtin.encode(&first.text), builtin.encode(&both.text));
        prop_assert_eq!((first.len(), both.len()), (prefix, prefix + tokens));
        prop_assert_eq!(&both[..prefix], &first[..], "the server can reuse every token of the prefix");
    }
}

#[test]
fn one_and_two_tokens_can_be_had_from_the_usual_tokenizers() {
    let builtin = builtin();
    let all: [Arc<dyn Tokenizer>; 4] = [builtin, Arc::new(BYTES), Arc::new(WORDS), Arc::new(BYTE_PAIRS)];
    for tokenizer in all {
        for tokens in [1, 2] {
            assert!(
                (0..50).all(|seed| Fitter::new(&tokenizer).write_prose(TextStart::NOTHING, tokens, seed).exact),
                "{tokenizer:?} {tokens}"
            );
        }
    }
}

#[test]
fn a_length_that_does_not_exist_is_owned_up_to() {
    let even: Arc<dyn Tokenizer> = Arc::new(Counting(|text| 2 * text.split_whitespace().count()));
    let fitter = Fitter::new(&even);
    assert!(fitter.write_prose(TextStart::NOTHING, 10, 1).exact);
    let odd = fitter.write_prose(TextStart::NOTHING, 11, 1);
    assert!(!odd.exact && !odd.text.is_empty());
    let fused: Arc<dyn Tokenizer> = Arc::new(Counting(|text| usize::from(!text.is_empty())));
    assert!(!Fitter::new(&fused).write_prose(TextStart::NOTHING, 5, 1).exact);
}

#[test]
fn the_first_draft_is_right_for_vocabularies_that_keep_words_apart() {
    let builtin = builtin();
    let fitter = Fitter::new(&builtin);
    assert!(fitter.additive);
    for seed in 0..200 {
        let written = fitter.write_prose(TextStart::NOTHING, 550, seed);
        assert!(written.exact && builtin.count(&written.text) == 550);
    }
}

/// Says that it keeps words apart, and does not.
#[derive(Debug)]
struct Boastful;

impl Tokenizer for Boastful {
    fn name(&self) -> &'static str {
        "boastful"
    }
    fn encode(&self, text: &str) -> Vec<u32> {
        vec![0; text.len().div_ceil(3)]
    }
    fn decode(&self, _: &[u32]) -> String {
        String::new()
    }
    fn keeps_words_apart(&self) -> bool {
        true
    }
}

#[test]
fn a_promise_that_does_not_hold_is_not_trusted() {
    let boastful: Arc<dyn Tokenizer> = Arc::new(Boastful);
    let fitter = Fitter::new(&boastful);
    assert!(!fitter.additive);
    let written = fitter.write_prose(TextStart::NOTHING, 100, 3);
    assert!(written.exact && boastful.count(&written.text) == 100);
}

#[test]
fn a_cut_falls_between_words_where_there_are_any() {
    assert_eq!(last_break("one two three", 9), 7);
    assert_eq!(last_break("one two three", 7), 7);
    assert_eq!(last_break("一二三四五", 7), 6);
    assert_eq!(last_break("one", 2), 2);
}
