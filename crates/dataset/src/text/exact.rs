//! Text of an exact token count under any tokenizer. A draft is put together from words whose price in tokens is known,
//! counted as a whole, and corrected until the count is right: only the count of the whole text is trusted, or that of its
//! words where the tokenizer keeps them apart.

use std::sync::Arc;

use aiperf_seed::Seed;
use aiperf_tokenizer::Tokenizer;

use super::prose::Prose;
use super::vocabulary::{Class, Word};

/// Corrections by price before the search by trial.
const ROUNDS: usize = 30;
/// Trials of single words and letters; each costs a count of the whole text.
const TRIALS: usize = 400;
/// Draws for a word that fits what is left.
const DRAWS: usize = 24;
/// In front of a word whose price is taken, so that what tokenizers do at the start of a text does not count.
const CONTEXT: &str = "so it was";
/// Endings that add one token where no word does, as under tokenizers that know letters only.
const LETTERS: [&str; 8] = ["s", "e", "x", "q", "!", " I", " 7", "?"];

/// A generated text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExactText {
    pub(crate) text: String,
    /// Whether the count came out as asked. It does not for tokenizers that have no text of this length at all.
    pub(crate) exact: bool,
}

/// Writes texts for one tokenizer.
#[derive(Debug)]
pub(crate) struct Writer {
    tokenizer: Arc<dyn Tokenizer>,
    /// Tokens that each word adds, by class and index.
    prices: Vec<Vec<usize>>,
}

impl Writer {
    pub(crate) fn new(tokenizer: &Arc<dyn Tokenizer>) -> Self {
        let start = tokenizer.count(CONTEXT);
        let price = |class: Class, word: &str| {
            let gap = if class == Class::Mark { "" } else { " " };
            tokenizer.count(&format!("{CONTEXT}{gap}{word}")).saturating_sub(start).max(1)
        };
        let prices =
            Class::ALL.iter().map(|&class| class.words().iter().map(|word| price(class, word)).collect()).collect();
        Self { tokenizer: Arc::clone(tokenizer), prices }
    }

    /// A text that counts `tokens`, all of it drawn from `seed`. It starts with `prefix`, whose tokens count too.
    pub(crate) fn write(&self, prefix: &str, tokens: usize, seed: u64) -> ExactText {
        let prose = Prose::new(Seed::fixed(seed).stream("prose"));
        let mut draft = Draft { writer: self, prose, text: prefix.to_owned(), words: Vec::new(), prefix: prefix.len() };
        let exact = draft.approach(tokens) || draft.search(tokens);
        if !exact && draft.words.is_empty() {
            draft.grow(tokens);
        }
        draft.text.shrink_to_fit();
        ExactText { text: draft.text, exact }
    }

    fn price(&self, word: Word) -> usize {
        self.prices[word.class as usize][word.index]
    }
}

/// A text under way.
struct Draft<'w> {
    writer: &'w Writer,
    prose: Prose,
    text: String,
    /// The words behind the prefix, each with the length of the text before it.
    words: Vec<(Word, usize)>,
    prefix: usize,
}

impl Draft<'_> {
    /// Adds and cuts words by their prices until the count is right. Nearly always the first count already is.
    fn approach(&mut self, tokens: usize) -> bool {
        for _ in 0..ROUNDS {
            let count = self.count_of_words();
            if count == tokens {
                return true;
            }
            let moved = if count < tokens { self.grow(tokens - count) } else { self.shrink(count - tokens) };
            if !moved {
                return false;
            }
        }
        false
    }

    /// Fits the end by trial: each word or letter is tried in place and kept when the whole count comes nearer.
    fn search(&mut self, tokens: usize) -> bool {
        let mut trials = 0;
        while trials < TRIALS {
            let mut count = self.count();
            while count > tokens && self.shrink(count - tokens) {
                count = self.count();
            }
            if count > tokens {
                return false;
            }
            let mut letters = LETTERS.iter().copied().cycle();
            let mut misses = 0;
            while count < tokens && misses < 3 * LETTERS.len() {
                let length = self.text.len();
                let word = (misses % 2 == 0).then(|| self.prose.stray_word());
                match word {
                    Some(word) => self.push(word),
                    None => self.text.push_str(letters.next().unwrap_or("s")),
                }
                trials += 1;
                let tried = self.count();
                if tried > count && tried <= tokens {
                    count = tried;
                    misses = 0;
                } else {
                    self.text.truncate(length);
                    if word.is_some() {
                        self.words.pop();
                    }
                    misses += 1;
                }
            }
            if count == tokens {
                return true;
            }
            // Another end may have what this one lacks.
            self.shrink(2);
            trials += 1;
        }
        false
    }

    /// Adds words for at most `tokens` by their prices; says whether there was one.
    fn grow(&mut self, mut tokens: usize) -> bool {
        let before = self.words.len();
        loop {
            let next = self.prose.next_word();
            let fitting = if self.writer.price(next) <= tokens { Some(next) } else { self.last_word(tokens) };
            let Some(word) = fitting else { break };
            tokens -= self.writer.price(word);
            self.push(word);
            if tokens == 0 {
                break;
            }
        }
        self.words.len() > before
    }

    /// A word that costs no more than what is left.
    fn last_word(&mut self, tokens: usize) -> Option<Word> {
        let stray = (0..DRAWS).map(|_| self.prose.stray_word()).find(|&word| self.writer.price(word) <= tokens);
        let after_mark = self.words.last().is_none_or(|(word, _)| word.is_mark());
        stray.or_else(|| (!after_mark && self.writer.price(Word::STOP) <= tokens).then_some(Word::STOP))
    }

    /// Takes words worth at least `tokens` off the end; says whether there was one.
    fn shrink(&mut self, tokens: usize) -> bool {
        let mut worth = 0;
        while worth < tokens {
            let Some((word, length)) = self.words.pop() else { break };
            worth += self.writer.price(word);
            self.text.truncate(length);
        }
        if self.words.is_empty() {
            self.text.truncate(self.prefix);
        }
        worth > 0
    }

    fn push(&mut self, word: Word) {
        self.words.push((word, self.text.len()));
        if !self.text.is_empty() && !word.is_mark() {
            self.text.push(' ');
        }
        self.text.push_str(word.text());
    }

    /// The count while there is nothing but a prefix and words. Most of the time that a text takes is in its count, which
    /// some tokenizers allow to be put together from prices.
    fn count_of_words(&self) -> usize {
        match self.words.split_first() {
            Some(((first, _), others)) if self.prefix == 0 && self.writer.tokenizer.keeps_words_apart() => {
                let others = others.iter().map(|(word, _)| self.writer.price(*word));
                self.writer.tokenizer.count(first.text()) + others.sum::<usize>()
            }
            _ => self.count(),
        }
    }

    fn count(&self) -> usize {
        self.writer.tokenizer.count(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use aiperf_tokenizer::{HubEnvironment, TokenizerRequest};
    use proptest::prelude::*;

    use super::*;

    /// A tokenizer that only counts.
    #[derive(Debug)]
    struct Counting(fn(&str) -> usize);

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
                let written = Writer::new(&tokenizer).write("", tokens, seed);
                prop_assert_eq!(tokenizer.count(&written.text), tokens, "{:?}: {}", tokenizer, written.text);
                prop_assert!(written.exact);
            }
        }

        #[test]
        fn a_prefix_stays_whole_and_is_counted(prefix in 1_usize..60, tokens in 1_usize..60, seed: u64) {
            let builtin = builtin();
            let writer = Writer::new(&builtin);
            let first = writer.write("", prefix, seed);
            let both = writer.write(&first.text, prefix + tokens, seed ^ 1);
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
                    (0..50).all(|seed| Writer::new(&tokenizer).write("", tokens, seed).exact),
                    "{tokenizer:?} {tokens}"
                );
            }
        }
    }

    #[test]
    fn a_length_that_does_not_exist_is_owned_up_to() {
        let even: Arc<dyn Tokenizer> = Arc::new(Counting(|text| 2 * text.split_whitespace().count()));
        let writer = Writer::new(&even);
        assert!(writer.write("", 10, 1).exact);
        let odd = writer.write("", 11, 1);
        assert!(!odd.exact && !odd.text.is_empty());
        let fused: Arc<dyn Tokenizer> = Arc::new(Counting(|text| usize::from(!text.is_empty())));
        assert!(!Writer::new(&fused).write("", 5, 1).exact);
    }

    #[test]
    fn the_first_draft_is_right_for_vocabularies_that_keep_words_apart() {
        let builtin = builtin();
        let writer = Writer::new(&builtin);
        let counted = std::cell::Cell::new(0);
        for seed in 0..20 {
            let prose = Prose::new(Seed::fixed(seed).stream("prose"));
            let mut draft = Draft { writer: &writer, prose, text: String::new(), words: Vec::new(), prefix: 0 };
            draft.grow(550);
            counted.set(counted.get() + usize::from(draft.count() == 550));
        }
        assert!(counted.get() >= 18, "{} of 20", counted.get());
    }
}
