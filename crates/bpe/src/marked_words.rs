//! Vocabularies that were converted from `SentencePiece` merge a whole text at once, with each space replaced by a mark. This
//! cuts such a text where no token reaches across, so that the parts have the same tokens as the whole.

use crate::Vocabulary;
use crate::hash::hash;

/// Stands for a space in these vocabularies.
pub const MARK: char = '\u{2581}';
const MARK_BYTES: &[u8] = "\u{2581}".as_bytes();
/// Longer words are cut further.
const LONG: usize = 32;

/// Whether a mark is put before a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    Never,
    Always,
    /// If the text does not start with a space or a mark.
    UnlessMarked,
}

/// How the texts of a vocabulary are cut.
#[derive(Debug)]
pub struct MarkedWords {
    pub lead: Lead,
    /// Whether every mark begins a part, even if a token reaches across.
    pub splits_at_marks: bool,
}

impl MarkedWords {
    /// Passes on the parts of a text, with marks in place of spaces.
    pub fn each(&self, vocabulary: &Vocabulary, text: &str, leads: bool, mut part: impl FnMut(&str)) {
        let mut buffer = String::new();
        let starts_marked = text.starts_with([' ', MARK]);
        let mut lead = leads
            && !text.is_empty()
            && match self.lead {
                Lead::Never => false,
                Lead::Always => true,
                Lead::UnlessMarked => !starts_marked,
            };
        let mut rest = text;
        while !rest.is_empty() {
            let (word, after) = rest.split_at(self.word_end(vocabulary, rest));
            rest = after;
            buffer.clear();
            if std::mem::take(&mut lead) {
                buffer.push(MARK);
            }
            add_marked(word, &mut buffer);
            if buffer.len() <= LONG {
                part(&buffer);
            } else {
                each_part(vocabulary, &buffer, &mut part);
            }
        }
    }

    /// The end of the first word: before a space or mark.
    fn word_end(&self, vocabulary: &Vocabulary, text: &str) -> usize {
        let bytes = text.as_bytes();
        let mut places = memchr::memchr2_iter(b' ', MARK_BYTES[0], bytes);
        let end = places.find(|&at| {
            let is_mark = bytes[at] == b' ' || bytes[at..].starts_with(MARK_BYTES);
            if at == 0 || !is_mark {
                return false;
            }
            self.splits_at_marks
                || !is_space_before(bytes, at) && {
                    let before = text[..at].chars().next_back().unwrap_or(MARK);
                    !vocabulary.may_join(before, MARK)
                }
        });
        end.unwrap_or(text.len())
    }
}

/// Runs of spaces are tokens in most vocabularies; this saves looking them up.
fn is_space_before(bytes: &[u8], at: usize) -> bool {
    bytes[at - 1] == b' '
}

fn add_marked(word: &str, buffer: &mut String) {
    let mut rest = word;
    while let Some(at) = memchr::memchr(b' ', rest.as_bytes()) {
        buffer.push_str(&rest[..at]);
        buffer.push(MARK);
        rest = &rest[at + 1..];
    }
    buffer.push_str(rest);
}

/// Cuts a long word between any two characters that no token has next to each other.
fn each_part(vocabulary: &Vocabulary, word: &str, part: &mut impl FnMut(&str)) {
    let mut start = 0;
    let mut previous = None;
    for (at, c) in word.char_indices() {
        if previous.is_some_and(|previous| !vocabulary.may_join(previous, c)) {
            part(&word[start..at]);
            start = at;
        }
        previous = Some(c);
    }
    part(&word[start..]);
}

impl Vocabulary {
    /// Whether a token may have these two characters next to each other. Two pairs can share a bit, so that a `true` can be
    /// wrong; a `false` never is.
    #[inline]
    pub(crate) fn may_join(&self, left: char, right: char) -> bool {
        let bit = neighbour_bit(left, right, self.neighbours.len());
        self.neighbours[bit / 8] & 1 << (bit % 8) != 0
    }
}

/// The bit of two neighbouring characters in a table of this many bytes, a power of two.
pub(crate) fn neighbour_bit(left: char, right: char, bytes: usize) -> usize {
    let pair = u64::from(left as u32) << 32 | u64::from(right as u32);
    (hash(&pair.to_le_bytes()) >> 20) as usize & (8 * bytes - 1)
}
