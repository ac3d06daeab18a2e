//! Sentences from a small grammar: plausible English without meaning, in which no two passages are equal.

use aiperf_seed::Stream;

use super::vocabulary::{ProseWord, WordClass};

/// An endless sequence of words.
#[derive(Debug)]
pub(crate) struct Prose {
    stream: Stream,
    /// The rest of the current sentence, last word first.
    rest: Vec<ProseWord>,
}

impl Prose {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, rest: Vec::new() }
    }

    pub(crate) fn next_word(&mut self) -> ProseWord {
        loop {
            if let Some(word) = self.rest.pop() {
                return word;
            }
            self.compose();
        }
    }

    /// A random word, not a punctuation mark, independent of the sentence.
    pub(crate) fn stray_word(&mut self) -> ProseWord {
        let classes = &WordClass::ALL[..WordClass::ALL.len() - 1];
        let class = classes[self.stream.below(classes.len() as u64) as usize];
        self.word(class)
    }

    /// `[time] subject [adverb] verb object [place] {[,] conjunction clause} .`
    fn compose(&mut self) {
        match self.stream.below(4) {
            0 => self.push(WordClass::Name),
            1 => {
                self.push(WordClass::Time);
                self.noun_phrase();
            }
            _ => {
                self.push(WordClass::Opener);
                self.described_noun();
            }
        }
        self.predicate();
        while self.chance(1, 3) {
            if self.chance(1, 2) {
                self.rest.push(ProseWord::COMMA);
            }
            self.push(WordClass::Conjunction);
            if self.chance(1, 3) {
                self.push(WordClass::Name);
            } else {
                self.noun_phrase();
            }
            self.predicate();
        }
        self.rest.push(ProseWord::STOP);
        self.rest.reverse();
    }

    fn predicate(&mut self) {
        if self.chance(1, 4) {
            self.push(WordClass::Adverb);
        }
        self.push(WordClass::Verb);
        self.noun_phrase();
        while self.chance(2, 5) {
            self.push(WordClass::Preposition);
            self.noun_phrase();
        }
    }

    fn noun_phrase(&mut self) {
        self.push(WordClass::Determiner);
        self.described_noun();
    }

    fn described_noun(&mut self) {
        if self.chance(2, 5) {
            self.push(WordClass::Adjective);
        }
        self.push(WordClass::Noun);
    }

    fn push(&mut self, class: WordClass) {
        let word = self.word(class);
        self.rest.push(word);
    }

    fn word(&mut self, class: WordClass) -> ProseWord {
        ProseWord { class, index: self.stream.below(class.words().len() as u64) as usize }
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
        let words: Vec<ProseWord> = (0..2_000).map(|_| prose.next_word()).collect();
        let mut expect_capital = true;
        for word in words {
            let starts_upper = word.text().starts_with(|c: char| c.is_ascii_uppercase());
            assert!(!expect_capital || starts_upper, "{}", word.text());
            expect_capital = word == ProseWord::STOP;
        }
    }

    #[test]
    fn passages_draw_on_most_of_the_vocabulary() {
        let mut prose = Prose::new(Seed::fixed(2).stream("prose"));
        let used: HashSet<&str> = (0..20_000).map(|_| prose.next_word().text()).collect();
        assert!(used.len() > 350, "{} distinct words", used.len());
    }
}
