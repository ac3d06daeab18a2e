//! Sentences from a small grammar: plausible English without meaning, no two passages alike.

use aiperf_seed::Stream;

use super::vocabulary::{Class, Word};

/// An endless passage of words.
#[derive(Debug)]
pub(crate) struct Prose {
    stream: Stream,
    /// The rest of the sentence under way, last word first.
    rest: Vec<Word>,
}

impl Prose {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, rest: Vec::new() }
    }

    pub(crate) fn next_word(&mut self) -> Word {
        loop {
            if let Some(word) = self.rest.pop() {
                return word;
            }
            self.compose();
        }
    }

    /// Any word but a mark, out of its place in a sentence.
    pub(crate) fn stray_word(&mut self) -> Word {
        let classes = &Class::ALL[..Class::ALL.len() - 1];
        let class = classes[self.stream.below(classes.len() as u64) as usize];
        self.word(class)
    }

    /// `[time] subject [adverb] verb object [place] {[,] conjunction clause} .`
    fn compose(&mut self) {
        match self.stream.below(4) {
            0 => self.push(Class::Name),
            1 => {
                self.push(Class::Time);
                self.noun_phrase();
            }
            _ => {
                self.push(Class::Opener);
                self.described_noun();
            }
        }
        self.predicate();
        while self.chance(1, 3) {
            if self.chance(1, 2) {
                self.rest.push(Word::COMMA);
            }
            self.push(Class::Conjunction);
            if self.chance(1, 3) {
                self.push(Class::Name);
            } else {
                self.noun_phrase();
            }
            self.predicate();
        }
        self.rest.push(Word::STOP);
        self.rest.reverse();
    }

    fn predicate(&mut self) {
        if self.chance(1, 4) {
            self.push(Class::Adverb);
        }
        self.push(Class::Verb);
        self.noun_phrase();
        while self.chance(2, 5) {
            self.push(Class::Preposition);
            self.noun_phrase();
        }
    }

    fn noun_phrase(&mut self) {
        self.push(Class::Determiner);
        self.described_noun();
    }

    fn described_noun(&mut self) {
        if self.chance(2, 5) {
            self.push(Class::Adjective);
        }
        self.push(Class::Noun);
    }

    fn push(&mut self, class: Class) {
        let word = self.word(class);
        self.rest.push(word);
    }

    fn word(&mut self, class: Class) -> Word {
        Word { class, index: self.stream.below(class.words().len() as u64) as usize }
    }

    fn chance(&mut self, one: u64, of: u64) -> bool {
        self.stream.below(of) < one
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use aiperf_seed::Seed;

    use super::*;

    #[test]
    fn sentences_start_with_a_capital_and_end_with_a_stop() {
        let mut prose = Prose::new(Seed::fixed(1).stream("prose"));
        let words: Vec<Word> = (0..2_000).map(|_| prose.next_word()).collect();
        let mut expect_capital = true;
        for word in words {
            let starts_upper = word.text().starts_with(|c: char| c.is_ascii_uppercase());
            assert!(!expect_capital || starts_upper, "{}", word.text());
            expect_capital = word == Word::STOP;
        }
    }

    #[test]
    fn passages_draw_on_most_of_the_vocabulary() {
        let mut prose = Prose::new(Seed::fixed(2).stream("prose"));
        let used: HashSet<&str> = (0..20_000).map(|_| prose.next_word().text()).collect();
        assert!(used.len() > 350, "{} distinct words", used.len());
    }
}
