//! Texts whose parts have a known number of tokens, so that parts can be joined without counting the whole.
//!
//! The words used are those that are one token after another word. A text of `n` of them has `n` tokens, its first `k` words
//! are its first `k` tokens, and two texts one after the other have the tokens of both. Whether this holds for a tokenizer
//! is tested first; if it does not, texts are counted as a whole and corrected at their end.

use std::sync::Arc;

use aiperf_seed::{Seed, Stream};
use aiperf_tokenizer::Tokenizer;

use crate::text::words;

/// The text before a word while its tokens are counted.
const CONTEXT: &str = " so it was";
/// The least number of words in a pool, so that texts differ after a few words.
const FEWEST_WORDS: usize = 64;
/// The number of trial texts, and their length in words.
const TRIALS: u64 = 8;
const TRIAL_WORDS: usize = 300;
/// The most corrections of a text whose token count is not the sum of its parts.
const ROUNDS: usize = 60;

#[derive(Debug)]
pub(super) struct WordPool {
    tokenizer: Arc<dyn Tokenizer>,
    words: Vec<&'static str>,
    /// Whether token counts add up, and how a text starts.
    additive: Option<Lead>,
}

/// The first word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lead {
    /// Starts without a space. Texts that are joined by a space keep their tokens.
    Bare,
    /// Starts with a space, like all other words.
    Space,
}

impl WordPool {
    /// A pool for independent texts. Each part has the same number of tokens everywhere, at the start as well if possible.
    pub(super) fn new(tokenizer: &Arc<dyn Tokenizer>) -> Self {
        let single = single_tokens(tokenizer);
        Self::choose(tokenizer, [(Lead::Space, single.clone()), (Lead::Bare, single)])
    }

    /// A pool for texts that are sent next to each other, such as messages. With a space between them they have the tokens
    /// of both, if possible.
    pub(super) fn of_neighbours(tokenizer: &Arc<dyn Tokenizer>) -> Self {
        let single = single_tokens(tokenizer);
        let leading = single.iter().copied().filter(|word| tokenizer.count(word) == 1).collect();
        Self::choose(tokenizer, [(Lead::Bare, leading), (Lead::Bare, single.clone()), (Lead::Space, single)])
    }

    fn choose<const N: usize>(tokenizer: &Arc<dyn Tokenizer>, ways: [(Lead, Vec<&'static str>); N]) -> Self {
        let mut pool = Self { tokenizer: Arc::clone(tokenizer), words: Vec::new(), additive: None };
        for (lead, words) in ways {
            pool.words = words;
            if pool.words.len() >= FEWEST_WORDS && pool.adds_up(lead) {
                pool.additive = Some(lead);
                return pool;
            }
        }
        pool.words = words().collect();
        pool
    }

    /// Whether the token count of a text is the sum of those of its parts.
    pub(super) fn adds_up_everywhere(&self) -> bool {
        self.additive.is_some()
    }

    /// Whether the space at the start of a text is removed.
    pub(super) fn starts_bare(&self) -> bool {
        self.additive == Some(Lead::Bare)
    }

    fn adds_up(&self, lead: Lead) -> bool {
        (0..TRIALS).all(|trial| {
            let mut text = String::new();
            let words = if trial < 2 { trial as usize + 1 } else { TRIAL_WORDS };
            self.extend(&mut text, words, &mut Seed::fixed(trial).stream("trial"));
            self.tokenizer.count(led(&text, lead)) == words
        })
    }

    /// Adds this many words, each after a space. The words depend on the stream alone; fewer words of the same stream are the
    /// beginning of more.
    pub(super) fn extend(&self, text: &mut String, words: usize, stream: &mut Stream) {
        text.reserve(words * 7);
        for _ in 0..words {
            text.push(' ');
            text.push_str(self.words[stream.below(self.words.len() as u64) as usize]);
        }
    }

    /// The text to send, and whether it has this number of tokens.
    pub(super) fn finish(&self, mut text: String, tokens: usize, stream: &mut Stream) -> (String, bool) {
        match self.additive {
            Some(Lead::Space) => (text, true),
            Some(Lead::Bare) => {
                if text.starts_with(' ') {
                    text.remove(0);
                }
                (text, true)
            }
            None => self.correct(text, tokens, stream),
        }
    }

    /// Adds and removes words at the end until the count is right.
    fn correct(&self, mut text: String, tokens: usize, stream: &mut Stream) -> (String, bool) {
        for round in 0..ROUNDS {
            let count = self.tokenizer.count(&text);
            if count == tokens {
                return (text, true);
            }
            if count < tokens {
                // In the second half of the rounds, one letter at a time: few tokenizers merge it with the text before.
                if round < ROUNDS / 2 {
                    self.extend(&mut text, ((tokens - count) / 4).max(1), stream);
                } else {
                    text.push_str([" a", "b", "!", " 7"][round % 4]);
                }
            } else {
                let excess = ((count - tokens) / 4).max(1);
                for _ in 0..excess {
                    let end = text.rfind(' ').unwrap_or(0);
                    text.truncate(end);
                }
            }
        }
        let exact = self.tokenizer.count(&text) == tokens;
        (text, exact)
    }
}

/// The words that are one token after another word.
fn single_tokens(tokenizer: &Arc<dyn Tokenizer>) -> Vec<&'static str> {
    let start = tokenizer.count(CONTEXT);
    words().filter(|word| tokenizer.count(&format!("{CONTEXT} {word}")) == start + 1).collect()
}

fn led(text: &str, lead: Lead) -> &str {
    match lead {
        Lead::Space => text,
        Lead::Bare => &text[1..],
    }
}

#[cfg(test)]
mod tests {
    use aiperf_tokenizer::{HubEnvironment, TokenizerRequest};

    use super::*;
    use crate::counting::Counting;

    fn text(pool: &WordPool, tokens: usize) -> (String, bool) {
        let mut stream = Seed::fixed(5).stream("text");
        let mut text = String::new();
        pool.extend(&mut text, tokens, &mut stream);
        pool.finish(text, tokens, &mut stream)
    }

    #[test]
    fn the_built_in_tokenizer_keeps_words_apart() {
        let nowhere = HubEnvironment::from_variables(|_| None);
        let builtin = aiperf_tokenizer::load(&TokenizerRequest::named("builtin"), &nowhere).unwrap();
        let pool = WordPool::new(&builtin);
        assert_eq!(pool.additive, Some(Lead::Space));
        assert!(pool.words.len() > 200, "{}", pool.words.len());
        for tokens in [1, 2, 3, 50, 4_000] {
            assert_eq!(builtin.count(&text(&pool, tokens).0), tokens);
        }
    }

    #[test]
    fn texts_that_are_joined_by_a_space_keep_their_tokens() {
        let nowhere = HubEnvironment::from_variables(|_| None);
        let builtin = aiperf_tokenizer::load(&TokenizerRequest::named("builtin"), &nowhere).unwrap();
        let pool = WordPool::of_neighbours(&builtin);
        let texts: Vec<String> = [7, 1, 90].into_iter().map(|tokens| text(&pool, tokens).0).collect();
        assert_eq!(builtin.count(&texts.join(" ")), 98);
    }

    #[test]
    fn a_tokenizer_that_brings_its_own_space_gets_none_in_front() {
        // As of Llama 2: a mark for the start, and one for each space that is not in front of a word.
        let own: Arc<dyn Tokenizer> =
            Arc::new(Counting(|text| text.split_whitespace().count() + usize::from(text.starts_with(' '))));
        let pool = WordPool::new(&own);
        assert_eq!(pool.additive, Some(Lead::Bare));
        assert_eq!(own.count(&text(&pool, 40).0), 40);
    }

    #[test]
    fn where_counts_do_not_add_up_the_whole_is_corrected() {
        for count in [str::len as fn(&str) -> usize, |text| text.len().div_ceil(3), |text| text.chars().count() / 2] {
            let odd: Arc<dyn Tokenizer> = Arc::new(Counting(count));
            let pool = WordPool::new(&odd);
            assert_eq!(pool.additive, None);
            for tokens in [5, 60, 700] {
                let (text, exact) = text(&pool, tokens);
                assert!(exact && odd.count(&text) == tokens, "{tokens}: {}", odd.count(&text));
            }
        }
    }

    #[test]
    fn a_length_that_does_not_exist_is_owned_up_to() {
        let even: Arc<dyn Tokenizer> = Arc::new(Counting(|text| 2 * text.len()));
        assert!(!text(&WordPool::new(&even), 11).1);
    }
}
