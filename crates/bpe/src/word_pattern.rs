//! Hand-written matchers of the split patterns of well-known model families. They are several times as fast as regular
//! expressions and find the same pieces.

use crate::char_class::{CharClass, class_at, run};

/// A split pattern, known by its text in a `tokenizer.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordPattern {
    /// The pattern of GPT-2, which `ByteLevel` uses.
    Gpt2,
    /// The pattern of `cl100k_base`: Llama 3, Qwen, Phi 4.
    Cl100k {
        /// The most digits in a piece.
        digits: usize,
        /// Whether combining marks belong to words.
        marks: bool,
    },
    /// The pattern of `o200k_base`, which also splits before capitals: GPT-OSS, Llama 4, Mistral with the Tekken vocabulary.
    O200k {
        /// The most digits in a piece.
        digits: usize,
        /// Whether a word includes its contraction, such as `'s`.
        contractions: bool,
    },
    /// The last of the three patterns of DeepSeek V3.
    DeepSeek,
}

/// The published patterns.
const KNOWN: [(&str, WordPattern); 8] = [
    (r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", WordPattern::Gpt2),
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        WordPattern::Cl100k { digits: 3, marks: false },
    ),
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        WordPattern::Cl100k { digits: 1, marks: false },
    ),
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        WordPattern::Cl100k { digits: 1, marks: true },
    ),
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        WordPattern::O200k { digits: 3, contractions: true },
    ),
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        WordPattern::O200k { digits: 3, contractions: false },
    ),
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        WordPattern::O200k { digits: 1, contractions: false },
    ),
    (
        "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
        WordPattern::DeepSeek,
    ),
];

impl WordPattern {
    /// The pattern with this text; `None` if it is not a well-known one.
    pub fn known(pattern: &str) -> Option<Self> {
        KNOWN.iter().find(|(text, _)| *text == pattern).map(|(_, known)| *known)
    }

    /// The pieces of a text, in order. Joined, they are the text.
    pub fn pieces(self, text: &str) -> Pieces<'_> {
        Pieces { pattern: self, text, at: 0 }
    }

    /// The end of the match that starts at `at`; `None` if there is none.
    #[inline]
    fn match_end(self, text: &str, at: usize) -> Option<usize> {
        if let Some(end) = plain_word(text.as_bytes(), at) {
            return Some(end);
        }
        match self {
            Self::Gpt2 => gpt2(text, at),
            Self::Cl100k { digits, marks } => cl100k(text, at, digits, marks),
            Self::O200k { digits, contractions } => o200k(text, at, digits, contractions),
            Self::DeepSeek => deep_seek(text, at),
        }
    }
}

/// The pieces of a text; see [`WordPattern::pieces`].
#[derive(Debug)]
pub struct Pieces<'t> {
    pattern: WordPattern,
    text: &'t str,
    at: usize,
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t str;

    #[inline]
    fn next(&mut self) -> Option<&'t str> {
        let start = self.at;
        if start == self.text.len() {
            return None;
        }
        // What no match covers is a piece as well: it ends before the next match.
        self.at = self.pattern.match_end(self.text, start).unwrap_or_else(|| {
            let mut at = start;
            while let Some((_, length)) = class_at(self.text, at) {
                at += length;
                if self.pattern.match_end(self.text, at).is_some() {
                    break;
                }
            }
            at
        });
        Some(&self.text[start..self.at])
    }
}

/// The end of an English word with at most a space before it, if no more than its first letter is a capital and the next
/// character cannot belong to it. All patterns agree about such words, which are most of most texts.
#[inline]
fn plain_word(bytes: &[u8], at: usize) -> Option<usize> {
    let start = at + usize::from(bytes.get(at) == Some(&b' '));
    let (first, rest) = bytes.get(start..)?.split_first()?;
    if !first.is_ascii_alphabetic() {
        return None;
    }
    let Some(lower) = rest.iter().position(|byte| !byte.is_ascii_lowercase()) else { return Some(bytes.len()) };
    let next = rest[lower];
    let ends = next.is_ascii() && !next.is_ascii_uppercase() && next != b'\'';
    if ends { Some(start + 1 + lower) } else { None }
}

fn gpt2(text: &str, at: usize) -> Option<usize> {
    let (first, length) = class_at(text, at)?;
    if text.as_bytes()[at] == b'\''
        && let Some(end) = contraction(text, at, false)
    {
        return Some(end);
    }
    let is_space = text.as_bytes()[at] == b' ';
    let next = if is_space { class_at(text, at + 1) } else { None };
    let (class, start) = match next {
        Some((next, _)) if !next.is_space() => (next, at + 1),
        _ => (first, at),
    };
    Some(match class {
        CharClass::Upper | CharClass::Lower | CharClass::Letter => run(text, start, CharClass::is_letter),
        CharClass::Number => run(text, start, |class| class == CharClass::Number),
        CharClass::Mark | CharClass::Sign | CharClass::Other => run(text, start, CharClass::is_other),
        CharClass::Blank | CharClass::LineEnd => spaces(text, at, length, false),
    })
}

fn cl100k(text: &str, at: usize, digits: usize, marks: bool) -> Option<usize> {
    let (first, length) = class_at(text, at)?;
    let in_word = |class: CharClass| class.is_letter() || (marks && class == CharClass::Mark);
    if in_word(first) {
        return Some(run(text, at, in_word));
    }
    if text.as_bytes()[at] == b'\''
        && let Some(end) = contraction(text, at, true)
    {
        return Some(end);
    }
    if first == CharClass::Number {
        return Some(numbers(text, at, digits));
    }
    let next = class_at(text, at + length).map(|(class, _)| class);
    if first != CharClass::LineEnd && next.is_some_and(in_word) {
        return Some(run(text, at + length, in_word));
    }
    let in_signs = |class: CharClass| class.is_other() && !in_word(class);
    Some(if in_signs(first) {
        line_ends(text, run(text, at, in_signs), false)
    } else if text.as_bytes()[at] == b' ' && next.is_some_and(in_signs) {
        line_ends(text, run(text, at + 1, in_signs), false)
    } else {
        spaces(text, at, length, true)
    })
}

fn o200k(text: &str, at: usize, digits: usize, contractions: bool) -> Option<usize> {
    let (first, length) = class_at(text, at)?;
    if first == CharClass::Number {
        return Some(numbers(text, at, digits));
    }
    if let Some(end) = cased_word(text, at, first, length) {
        let is_quote = contractions && text.as_bytes().get(end) == Some(&b'\'');
        return Some(if is_quote { contraction(text, end, true).unwrap_or(end) } else { end });
    }
    Some(if first.is_other() {
        line_ends(text, run(text, at, CharClass::is_other), true)
    } else if text.as_bytes()[at] == b' ' && class_at(text, at + 1).is_some_and(|(class, _)| class.is_other()) {
        line_ends(text, run(text, at + 1, CharClass::is_other), true)
    } else {
        spaces(text, at, length, true)
    })
}

/// The end of a word of capitals and then other letters, with at most one character of another kind before it.
fn cased_word(text: &str, at: usize, first: CharClass, length: usize) -> Option<usize> {
    let may_lead = !first.is_letter() && first != CharClass::LineEnd;
    let may_start = first.is_letter() || first == CharClass::Mark;
    let led = || if may_lead { Some(at + length) } else { None };
    let bare = || if may_start { Some(at) } else { None };
    led()
        .and_then(|start| lower_word(text, start))
        .or_else(|| bare().and_then(|start| lower_word(text, start)))
        .or_else(|| led().and_then(|start| upper_word(text, start)))
        .or_else(|| bare().and_then(|start| upper_word(text, start)))
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`. The first part gives back what the second needs: without a
/// lower-case letter, the match ends after the last character that belongs to both.
fn lower_word(text: &str, at: usize) -> Option<usize> {
    let mut end = at;
    let mut after_both = None;
    loop {
        match class_at(text, end) {
            Some((CharClass::Upper, length)) => end += length,
            Some((CharClass::Letter | CharClass::Mark, length)) => {
                end += length;
                after_both = Some(end);
            }
            Some((CharClass::Lower, _)) => {
                let in_word = |class| matches!(class, CharClass::Lower | CharClass::Letter | CharClass::Mark);
                return Some(run(text, end, in_word));
            }
            _ => return after_both,
        }
    }
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+`, for a text in which no lower-case letter follows.
fn upper_word(text: &str, at: usize) -> Option<usize> {
    let in_word = |class| matches!(class, CharClass::Upper | CharClass::Letter | CharClass::Mark);
    let end = run(text, at, in_word);
    (end > at).then_some(end)
}

fn deep_seek(text: &str, at: usize) -> Option<usize> {
    let (first, length) = class_at(text, at)?;
    let bytes = text.as_bytes();
    if bytes[at].is_ascii_punctuation() && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic) {
        let letters = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        return Some(at + 1 + letters);
    }
    let in_word = |class: CharClass| class.is_letter() || class == CharClass::Mark;
    if in_word(first) {
        return Some(run(text, at, in_word));
    }
    let is_sign = |class: CharClass| class == CharClass::Sign;
    if is_sign(first) {
        return Some(line_ends(text, run(text, at, is_sign), false));
    }
    let next = class_at(text, at + length).map(|(class, _)| class);
    if first != CharClass::LineEnd && next.is_some_and(in_word) {
        return Some(run(text, at + length, in_word));
    }
    if bytes[at] == b' ' && next.is_some_and(is_sign) {
        return Some(line_ends(text, run(text, at + 1, is_sign), false));
    }
    first.is_space().then(|| spaces(text, at, length, true))
}

/// The end of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d`. `at` is the place of the quote.
fn contraction(text: &str, at: usize, any_case: bool) -> Option<usize> {
    let rest = &text.as_bytes()[at + 1..];
    let letter =
        |place: usize| rest.get(place).map(|letter| if any_case { letter.to_ascii_lowercase() } else { *letter });
    match (letter(0)?, letter(1)) {
        (b's' | b't' | b'm' | b'd', _) => Some(at + 2),
        (b'r' | b'v', Some(b'e')) | (b'l', Some(b'l')) => Some(at + 3),
        // The long s is a lower case of S.
        _ if any_case && rest.starts_with("ſ".as_bytes()) => Some(at + 3),
        _ => None,
    }
}

/// The end of at most `most` digits.
fn numbers(text: &str, mut at: usize, most: usize) -> usize {
    for _ in 0..most {
        match class_at(text, at) {
            Some((CharClass::Number, length)) => at += length,
            _ => break,
        }
    }
    at
}

/// The end of the line ends at `at`, and of slashes if they count.
fn line_ends(text: &str, at: usize, slashes: bool) -> usize {
    let is_tail = |byte: &&u8| matches!(byte, b'\r' | b'\n') || (slashes && **byte == b'/');
    at + text.as_bytes()[at..].iter().take_while(is_tail).count()
}

/// The end of white space at `at`, whose first character has `length` bytes: after the last line end if they count; without
/// one, before the last character, which belongs to the next piece.
fn spaces(text: &str, at: usize, length: usize, after_line_ends: bool) -> usize {
    let (mut end, mut last, mut after_line) = (at, at, None);
    while let Some((class, length)) = class_at(text, end) {
        if !class.is_space() {
            break;
        }
        last = end;
        end += length;
        if class == CharClass::LineEnd {
            after_line = Some(end);
        }
    }
    match after_line {
        Some(after) if after_line_ends => after,
        _ if end == text.len() => end,
        _ => last.max(at + length),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::{RegexSplit, Splitter, Stage};

    /// The published patterns as regular expressions.
    static REGULAR: LazyLock<[Splitter; KNOWN.len()]> = LazyLock::new(|| {
        KNOWN.map(|(pattern, _)| Splitter::new(vec![Stage::Regex(RegexSplit::new(pattern, true).unwrap())]))
    });

    /// The pieces by a pattern and by its regular expression.
    fn both(number: usize, text: &str) -> (Vec<&str>, Vec<&str>) {
        let mut expected = Vec::new();
        REGULAR[number].each(text, |piece| expected.push(piece));
        (KNOWN[number].1.pieces(text).collect(), expected)
    }

    #[test]
    fn texts_of_many_kinds_have_the_pieces_of_the_published_patterns() {
        let texts = [
            "",
            " ",
            "The quick brown fox can't jump; they'll WALK, I'D say.\r\n\r\n  Next   line \t\n   ",
            "fn main() {\n    println!(\"{}\", 12345678 + 0x1F);\n}\n\n\n// end  ",
            "Здравствуйте, как дела? Ünïcödé naïve — “quotes” … ½ ² Ⅷ ٣٤٥ 漢字AB漢字ab ǅungla",
            "👩‍👩‍👧 🇩🇪 \u{200d}\u{fe0f} e\u{301}e\u{301}AB \u{301}AB\u{301} \u{0} \u{a0}\u{2003}x \u{2028}y\u{1}\u{2}a\u{3}",
            "AAAAaaaaBBBBbbbb CamelCaseWordsAndHTTPServers'S don'T it'\u{17f} 'section 'LLama",
            "/path/to//file/\n///\r\n https://example.com/?q=1&r=%20 \n  \n x",
        ];
        for (number, (pattern, known)) in KNOWN.iter().enumerate() {
            assert_eq!(WordPattern::known(pattern), Some(*known));
            for text in texts {
                let (found, expected) = both(number, text);
                assert_eq!(found, expected, "{known:?} {text:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_has_the_pieces_of_the_published_patterns(
            text in "\\PC{0,60}|[a-zA-Z' \\r\\n\\t/]{0,80}|[\\s\\S]{0,40}|(\\s|[a-cA-C0-9'ſ!]|\\p{M}|\\p{Lo}|\\p{Lt}|\\PC){0,60}"
        ) {
            for (number, (_, known)) in KNOWN.iter().enumerate() {
                let (found, expected) = both(number, &text);
                prop_assert_eq!(found, expected, "{:?}", known);
            }
        }
    }
}
