//! The material of texts with recorded lengths: single words, or program code in pieces of known token count, so that blocks
//! can be joined without counting the whole. A piece begins at the space before a word, where tokenizers start a new token;
//! the rest of a block is filled with single words.

use std::sync::Arc;

use aiperf_config::{Corpus, TraceCorpus};
use aiperf_seed::{Seed, Stream};
use aiperf_tokenizer::Tokenizer;

use super::words::WordPool;
use crate::text::{TextStart, TextWriter};

/// The number of tokens of the text that blocks are cut from.
const MATERIAL: usize = 40_000;
/// The number of trial texts whose token count is compared with the sum of their pieces, and their length.
const TRIALS: u64 = 6;
const TRIAL_TOKENS: usize = 900;
/// The text before a piece while its tokens are counted.
const CONTEXT: &str = " so it was";

#[derive(Debug)]
pub(super) struct TextPool {
    words: WordPool,
    /// Consecutive pieces; empty if their token counts do not add up under the tokenizer.
    pieces: Vec<PoolPiece>,
}

#[derive(Debug)]
struct PoolPiece {
    text: Box<str>,
    tokens: usize,
}

impl TextPool {
    /// A pool for independent texts.
    pub(super) fn new(tokenizer: &Arc<dyn Tokenizer>, corpus: TraceCorpus) -> Self {
        Self::of(tokenizer, WordPool::new(tokenizer), corpus)
    }

    /// A pool for texts that are sent next to each other, such as messages.
    pub(super) fn of_neighbours(tokenizer: &Arc<dyn Tokenizer>, corpus: TraceCorpus) -> Self {
        Self::of(tokenizer, WordPool::of_neighbours(tokenizer), corpus)
    }

    fn of(tokenizer: &Arc<dyn Tokenizer>, words: WordPool, corpus: TraceCorpus) -> Self {
        let mut pool = Self { words, pieces: Vec::new() };
        if corpus == TraceCorpus::Prose || !pool.words.adds_up_everywhere() {
            return pool;
        }
        let Ok(writer) = TextWriter::new(tokenizer, &Corpus::Code) else { return pool };
        let material = writer.write(TextStart::NOTHING, MATERIAL, 0).text;
        let start = tokenizer.count(CONTEXT);
        pool.pieces = pieces(&material)
            .map(|text| {
                let tokens = tokenizer.count(&format!("{CONTEXT}{text}")).saturating_sub(start);
                PoolPiece { text: Box::from(text), tokens }
            })
            .filter(|piece| piece.tokens > 0)
            // Any piece may be the first one of a message.
            .filter(|piece| !pool.words.starts_bare() || tokenizer.count(&piece.text[1..]) == piece.tokens)
            .collect();
        let is_right = |trial| {
            let mut text = String::new();
            pool.extend(&mut text, TRIAL_TOKENS, &mut Seed::fixed(trial).stream("trial"));
            let (text, _) = pool.words.finish(text, TRIAL_TOKENS, &mut Seed::fixed(trial).stream("end"));
            tokenizer.count(&text) == TRIAL_TOKENS
        };
        if !(0..TRIALS).all(is_right) {
            pool.pieces = Vec::new();
        }
        pool
    }

    /// Adds this many tokens, determined by the stream alone.
    pub(super) fn extend(&self, text: &mut String, tokens: usize, stream: &mut Stream) {
        let mut left = tokens;
        if !self.pieces.is_empty() && tokens > 0 {
            let start = stream.below(self.pieces.len() as u64) as usize;
            for piece in self.pieces.iter().cycle().skip(start) {
                if piece.tokens > left {
                    break;
                }
                text.push_str(&piece.text);
                left -= piece.tokens;
            }
        }
        self.words.extend(text, left, stream);
    }

    /// The text to send, and whether it has the requested length.
    pub(super) fn finish(&self, text: String, tokens: usize, stream: &mut Stream) -> (String, bool) {
        self.words.finish(text, tokens, stream)
    }
}

/// The pieces of a text: from one space to the next, each between a letter or digit and a word. The first piece is left out,
/// since it has no space.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let is_start = |place: usize| {
        bytes[place] == b' '
            && place > 0
            && bytes[place - 1].is_ascii_alphanumeric()
            && bytes.get(place + 1).is_some_and(u8::is_ascii_alphabetic)
    };
    let starts: Vec<usize> = (0..bytes.len()).filter(|place| is_start(*place)).collect();
    let mut pairs = Vec::with_capacity(starts.len());
    pairs.extend(starts.windows(2).map(|pair| &text[pair[0]..pair[1]]));
    pairs.into_iter()
}

#[cfg(test)]
mod tests {
    use aiperf_tokenizer::{HubEnvironment, TokenizerRequest};
    use proptest::prelude::*;

    use super::*;

    fn builtin() -> Arc<dyn Tokenizer> {
        let nowhere = HubEnvironment::from_variables(|_| None);
        aiperf_tokenizer::load(&TokenizerRequest::named("builtin"), &nowhere).unwrap()
    }

    #[test]
    fn blocks_of_program_text_join_without_a_change_of_their_tokens() {
        let tokenizer = builtin();
        let alone = TextPool::new(&tokenizer, TraceCorpus::Code);
        let pool = TextPool::of_neighbours(&tokenizer, TraceCorpus::Code);
        assert!(
            alone.pieces.len() > 1_000 && pool.pieces.len() > 1_000,
            "{} {}",
            alone.pieces.len(),
            pool.pieces.len()
        );
        assert!(TextPool::new(&tokenizer, TraceCorpus::Prose).pieces.is_empty());
        proptest!(ProptestConfig::with_cases(30), |(blocks in 1_usize..40, size in 1_usize..130, tail in 0_usize..90, seed: u64)| {
            let mut text = String::new();
            let mut stream = Seed::fixed(seed).stream("text");
            for _ in 0..blocks {
                pool.extend(&mut text, size, &mut stream);
            }
            pool.extend(&mut text, tail, &mut stream);
            let (text, exact) = pool.finish(text, blocks * size + tail, &mut stream);
            prop_assert!(exact);
            prop_assert_eq!(tokenizer.count(&text), blocks * size + tail);
        });
    }

    #[test]
    fn pieces_begin_between_words() {
        let found: Vec<&str> = pieces("let x = 5;\n    let y\n  foo bar(a, b)").collect();
        assert_eq!(found, [" x = 5;\n    let", " y\n  foo"]);
    }
}
