//! Text with an exact token count under any tokenizer. A draft is built from words of known token cost, counted as a whole,
//! and corrected until the count is right. If the tokenizer never merges words, the sum of their costs is exact and the whole
//! is not counted.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use aiperf_seed::{Seed, Stream};
use aiperf_tokenizer::Tokenizer;

use super::boundary;
use super::prose::Prose;
use super::vocabulary::{ProseWord, WordClass};
use super::writer::TextStart;

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
/// Texts, with their lengths, that show whether a tokenizer keeps words apart.
const TRUST_TEXTS: u64 = 6;
const TRUST_TOKENS: usize = 400;
/// How far back from a cut to look for a break.
const BREAK: usize = 64;

/// A generated text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExactText {
    pub(crate) text: String,
    /// Whether the count came out as asked. It does not for tokenizers that have no text of this length at all.
    pub(crate) exact: bool,
}

/// Brings texts to their lengths under one tokenizer.
#[derive(Debug)]
pub(super) struct Fitter {
    tokenizer: Arc<dyn Tokenizer>,
    /// By class and index of the word.
    prices: Vec<Vec<Price>>,
    /// Prices add up to the count of the whole.
    additive: bool,
}

/// Tokens that a word adds.
#[derive(Debug, Clone, Copy)]
struct Price {
    /// At the start of a text.
    first: usize,
    /// Behind another word.
    later: usize,
}

impl Fitter {
    pub(super) fn new(tokenizer: &Arc<dyn Tokenizer>) -> Self {
        let start = tokenizer.count(CONTEXT);
        let price = |class: WordClass, word: &str| {
            let gap = if class == WordClass::Mark { "" } else { " " };
            Price {
                first: tokenizer.count(word).max(1),
                later: tokenizer.count(&format!("{CONTEXT}{gap}{word}")).saturating_sub(start).max(1),
            }
        };
        let prices =
            WordClass::ALL.iter().map(|&class| class.words().iter().map(|word| price(class, word)).collect()).collect();
        let mut fitter = Self { tokenizer: Arc::clone(tokenizer), prices, additive: tokenizer.keeps_words_apart() };
        let is_right = |seed| {
            let written = fitter.write_prose(TextStart::NOTHING, TRUST_TOKENS, seed);
            fitter.count(&written.text) == TRUST_TOKENS
        };
        fitter.additive = fitter.additive && (0..TRUST_TEXTS).all(is_right);
        fitter
    }

    pub(super) fn tokenizer(&self) -> &dyn Tokenizer {
        &*self.tokenizer
    }

    pub(super) fn count(&self, text: &str) -> usize {
        self.tokenizer.count(text)
    }

    /// Prose behind `start`, with `tokens` more.
    pub(super) fn write_prose(&self, start: TextStart<'_>, tokens: usize, seed: u64) -> ExactText {
        let mut draft = WordDraft::new(self, start.text.to_owned(), seed);
        if self.additive {
            if tokens == 0 || draft.grow(tokens) && draft.worth() == tokens {
                return draft.finish(true);
            }
            draft.shrink(usize::MAX);
        }
        draft.complete(start.tokens + tokens)
    }

    /// A text that `more` adds to until it is long enough, cut back to `tokens` behind `start`.
    pub(super) fn write_from(
        &self,
        start: TextStart<'_>,
        tokens: usize,
        seed: u64,
        mut more: impl FnMut(&mut String, &mut Stream),
    ) -> ExactText {
        let mut stream = Seed::fixed(seed).stream("material");
        let mut text = start.text.to_owned();
        if !text.is_empty() && !text.ends_with(char::is_whitespace) {
            text.push(' ');
        }
        // Four bytes to a token is the usual proportion; a count says what it really is.
        let (mut enough, wanted) = (text.len() + 4 * tokens, start.tokens + tokens);
        loop {
            while text.len() < enough {
                more(&mut text, &mut stream);
            }
            let count = self.count(&text);
            if count >= wanted {
                return self.cut(text, count, start, wanted, seed);
            }
            let per_token = (text.len() / count.max(1)).max(1);
            enough = text.len() + per_token * (wanted - count) + per_token;
        }
    }

    /// Cuts the end off a text that is too long, and fills up one that is too short, with `tokens` behind `start`.
    pub(super) fn fit(&self, text: String, start: TextStart<'_>, tokens: usize, seed: u64) -> ExactText {
        let count = self.count(&text);
        self.cut(text, count, start, start.tokens + tokens, seed)
    }

    /// Down to a break between words, then up again with words. A cut by proportion is tried first and moved by what it
    /// missed.
    fn cut(&self, mut text: String, mut count: usize, start: TextStart<'_>, wanted: usize, seed: u64) -> ExactText {
        let least = start.text.len();
        while count > wanted && text.len() > least {
            let (own, own_tokens) = (text.len() - least, count.saturating_sub(start.tokens).max(1));
            let excess = (own * (count - wanted)).div_ceil(own_tokens).max(1);
            let place = least + own.saturating_sub(excess);
            text.truncate(last_break(&text, place).max(least));
            count = self.count(&text);
        }
        WordDraft::new(self, text, seed).complete(wanted)
    }

    fn price(&self, word: ProseWord, is_first: bool) -> usize {
        let price = self.prices[word.class as usize][word.index];
        if is_first { price.first } else { price.later }
    }
}

/// The end of a word at or before a place; any end of a character where no word ends nearby.
fn last_break(text: &str, place: usize) -> usize {
    let place = boundary::at_or_before(text, place);
    if text[place..].starts_with(char::is_whitespace) {
        return place;
    }
    let from = boundary::at_or_before(text, place.saturating_sub(BREAK));
    text[from..place].rfind(char::is_whitespace).map_or(place, |blank| from + blank)
}

/// A text under way.
struct WordDraft<'w> {
    fitter: &'w Fitter,
    prose: Prose,
    text: String,
    /// The words behind the start.
    words: Vec<Placed>,
    start: usize,
}

#[derive(Debug, Clone, Copy)]
struct Placed {
    word: ProseWord,
    price: usize,
    /// Length of the text before it.
    at: usize,
}

impl<'w> WordDraft<'w> {
    fn new(fitter: &'w Fitter, text: String, seed: u64) -> Self {
        let prose = Prose::new(Seed::fixed(seed).stream("prose"));
        Self { fitter, prose, start: text.len(), text, words: Vec::new() }
    }

    /// By counts of the whole, until it has `tokens` in all.
    fn complete(mut self, tokens: usize) -> ExactText {
        let exact = self.approach(tokens) || self.search(tokens);
        if !exact && self.text.is_empty() {
            self.grow(tokens);
        }
        self.finish(exact)
    }

    fn finish(mut self, exact: bool) -> ExactText {
        self.text.shrink_to_fit();
        ExactText { text: self.text, exact }
    }

    fn worth(&self) -> usize {
        self.words.iter().map(|placed| placed.price).sum()
    }

    /// Adds and cuts words by their prices until the count is right. Nearly always the first count already is.
    fn approach(&mut self, tokens: usize) -> bool {
        for _ in 0..ROUNDS {
            let count = self.count();
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
            let fitting = if self.price(next) <= tokens { Some(next) } else { self.last_word(tokens) };
            let Some(word) = fitting else { break };
            tokens -= self.price(word);
            self.push(word);
            if tokens == 0 {
                break;
            }
        }
        self.words.len() > before
    }

    /// A word that costs no more than what is left.
    fn last_word(&mut self, tokens: usize) -> Option<ProseWord> {
        let is_first = self.text.is_empty();
        let price = |word: ProseWord| self.fitter.price(word, is_first);
        let stray = (0..DRAWS).map(|_| self.prose.stray_word()).find(|&word| price(word) <= tokens);
        let after_mark = self.words.last().is_none_or(|placed| placed.word.is_mark());
        stray.or_else(|| (!after_mark && price(ProseWord::STOP) <= tokens).then_some(ProseWord::STOP))
    }

    /// Takes words worth at least `tokens` off the end; says whether there was one.
    fn shrink(&mut self, tokens: usize) -> bool {
        let mut worth = 0;
        while worth < tokens {
            let Some(placed) = self.words.pop() else { break };
            worth += placed.price;
            self.text.truncate(placed.at);
        }
        if self.words.is_empty() {
            self.text.truncate(self.start);
        }
        worth > 0
    }

    fn push(&mut self, word: ProseWord) {
        self.words.push(Placed { word, price: self.price(word), at: self.text.len() });
        if !self.text.is_empty() && !word.is_mark() {
            self.text.push(' ');
        }
        self.text.push_str(word.text());
    }

    fn price(&self, word: ProseWord) -> usize {
        self.fitter.price(word, self.text.is_empty())
    }

    fn count(&self) -> usize {
        self.fitter.count(&self.text)
    }
}
