//! Unicode classes of characters, as far as split patterns distinguish them.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex_syntax::hir::{Class, HirKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CharClass {
    /// `\p{Lu}` and `\p{Lt}`.
    Upper,
    /// `\p{Ll}`.
    Lower,
    /// `\p{Lm}` and `\p{Lo}`: letters without case.
    Letter,
    /// `\p{M}`.
    Mark,
    /// `\p{N}`.
    Number,
    /// White space other than line ends.
    Blank,
    /// `\r` and `\n`.
    LineEnd,
    /// `\p{P}` and `\p{S}`.
    Sign,
    /// Control characters and everything else.
    Other,
}

impl CharClass {
    pub(crate) fn is_letter(self) -> bool {
        matches!(self, Self::Upper | Self::Lower | Self::Letter)
    }

    /// `\s`.
    pub(crate) fn is_space(self) -> bool {
        matches!(self, Self::Blank | Self::LineEnd)
    }

    /// `[^\s\p{L}\p{N}]`.
    pub(crate) fn is_other(self) -> bool {
        matches!(self, Self::Mark | Self::Sign | Self::Other)
    }
}

const ASCII: [CharClass; 128] = {
    let mut classes = [CharClass::Other; 128];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'A'..=b'Z' => CharClass::Upper,
            b'a'..=b'z' => CharClass::Lower,
            b'0'..=b'9' => CharClass::Number,
            b'\n' | b'\r' => CharClass::LineEnd,
            b'\t' | 0x0B | 0x0C | b' ' => CharClass::Blank,
            b'!'..=b'~' => CharClass::Sign,
            _ => CharClass::Other,
        };
        byte += 1;
    }
    classes
};

/// The class of the character at `at`, and its length in bytes; `None` at the end of the text.
#[inline]
pub(crate) fn class_at(text: &str, at: usize) -> Option<(CharClass, usize)> {
    let byte = *text.as_bytes().get(at)?;
    if let Some(class) = ASCII.get(usize::from(byte)) {
        return Some((*class, 1));
    }
    let c = text[at..].chars().next()?;
    Some((UNICODE.class_of(c), c.len_utf8()))
}

/// The end of the characters of these classes that start at `at`.
#[inline]
pub(crate) fn run(text: &str, mut at: usize, wanted: impl Fn(CharClass) -> bool) -> usize {
    while let Some((class, length)) = class_at(text, at) {
        if !wanted(class) {
            break;
        }
        at += length;
    }
    at
}

/// Built when the first character that is not ASCII occurs, since that takes some milliseconds.
static UNICODE: LazyLock<UnicodeClasses> = LazyLock::new(UnicodeClasses::new);

const BLOCK: usize = 256;

/// The classes of all characters, in blocks of 256. Most blocks are equal to another and stored once.
struct UnicodeClasses {
    /// The index into `blocks`, for each block of characters.
    block_of: Vec<u16>,
    blocks: Vec<[CharClass; BLOCK]>,
}

impl UnicodeClasses {
    fn new() -> Self {
        let mut classes = vec![CharClass::Other; char::MAX as usize + 1];
        let of_pattern = [
            (r"\s", CharClass::Blank),
            (r"\p{Lu}", CharClass::Upper),
            (r"\p{Lt}", CharClass::Upper),
            (r"\p{Ll}", CharClass::Lower),
            (r"\p{Lm}", CharClass::Letter),
            (r"\p{Lo}", CharClass::Letter),
            (r"\p{M}", CharClass::Mark),
            (r"\p{N}", CharClass::Number),
            (r"\p{P}", CharClass::Sign),
            (r"\p{S}", CharClass::Sign),
        ];
        for (pattern, class) in of_pattern {
            for (first, last) in ranges(pattern) {
                classes[first..=last].fill(class);
            }
        }
        let mut known = HashMap::new();
        let mut blocks = Vec::new();
        let block_of = classes.as_chunks::<BLOCK>().0.iter().map(|block| {
            *known.entry(block).or_insert_with(|| {
                blocks.push(*block);
                blocks.len() as u16 - 1
            })
        });
        let block_of = block_of.collect();
        Self { block_of, blocks }
    }

    #[inline]
    fn class_of(&self, c: char) -> CharClass {
        let c = c as usize;
        self.blocks[usize::from(self.block_of[c / BLOCK])][c % BLOCK]
    }
}

fn ranges(pattern: &str) -> Vec<(usize, usize)> {
    let parsed = regex_syntax::parse(pattern);
    match parsed.as_ref().map(regex_syntax::hir::Hir::kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => {
            class.ranges().iter().map(|range| (range.start() as usize, range.end() as usize)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ascii_table_says_the_same_as_the_one_of_all_characters() {
        for byte in 0..128_u8 {
            let (fast, whole) = (ASCII[usize::from(byte)], UNICODE.class_of(char::from(byte)));
            assert!(fast == whole || (fast == CharClass::LineEnd && whole == CharClass::Blank), "{byte}");
        }
    }

    #[test]
    fn characters_of_many_scripts_have_their_classes() {
        let classes = [
            ('É', CharClass::Upper),
            ('ǅ', CharClass::Upper),
            ('ß', CharClass::Lower),
            ('漢', CharClass::Letter),
            ('ʰ', CharClass::Letter),
            ('\u{301}', CharClass::Mark),
            ('½', CharClass::Number),
            ('\u{2003}', CharClass::Blank),
            ('\u{85}', CharClass::Blank),
            ('—', CharClass::Sign),
            ('😀', CharClass::Sign),
            ('\u{e000}', CharClass::Other),
            ('\u{10ffff}', CharClass::Other),
        ];
        for (c, class) in classes {
            assert_eq!(class_at(&format!("a{c}"), 1), Some((class, c.len_utf8())), "{c:?}");
        }
    }
}
