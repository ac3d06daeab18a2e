//! Splits text into the pieces that are tokenized separately, by the pattern of the vocabulary.

use std::sync::LazyLock;

use regex_automata::{Anchored, Input, meta};

use crate::ascii;

/// The published pattern without its last two alternatives, `\s+(?!\S)` and `\s+`: the engine has no look-ahead, and
/// [`Pieces::blanks`] does what they do.
const PATTERN: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"|\s*[\r\n]+",
);

/// Built when the first character that is not ASCII occurs, since that takes some milliseconds.
static REGEX: LazyLock<meta::Regex> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "a constant, which the tests of this crate build")]
    meta::Regex::new(PATTERN).expect("the pattern is well formed")
});

/// The pieces of a text, in order. Joined, they are the text.
pub fn split(text: &str) -> impl Iterator<Item = &str> {
    Pieces { text, at: 0 }
}

struct Pieces<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        if self.at == self.text.len() {
            return None;
        }
        let length = ascii::piece(&self.text.as_bytes()[self.at..]).unwrap_or_else(|| self.any_piece());
        let piece = &self.text[self.at..self.at + length];
        self.at += length;
        Some(piece)
    }
}

impl Pieces<'_> {
    fn any_piece(&self) -> usize {
        let input = Input::new(self.text).range(self.at..).anchored(Anchored::Yes);
        REGEX.search_half(&input).map_or_else(|| self.blanks(), |end| end.offset() - self.at)
    }

    /// The length of a run of white space without a line end, which the pattern does not match: the whole run at the end of the
    /// text or if it is a single character, otherwise all but the last character, which belongs to the next piece.
    fn blanks(&self) -> usize {
        let rest = &self.text[self.at..];
        let run = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
        match rest[..run].char_indices().next_back() {
            Some((last, _)) if run < rest.len() && last > 0 => last,
            _ => run,
        }
    }
}
