//! Splits text by a pattern that has no hand-written matcher.

use regex_automata::{Input, meta};

/// The alternatives at the end of most patterns. The engine has no look-ahead; [`spaces`] does what they do.
const SPACES: &str = r"|\s+(?!\S)|\s+";

/// A split by a regular expression.
#[derive(Debug)]
pub struct RegexSplit {
    regex: meta::Regex,
    /// Whether the pattern ends with [`SPACES`].
    splits_spaces: bool,
    /// Whether what is between the matches is a piece as well.
    keeps_gaps: bool,
}

impl RegexSplit {
    /// `None` if this engine might understand the pattern differently from the one of the `tokenizers` library.
    pub fn new(pattern: &str, keeps_gaps: bool) -> Option<Self> {
        let (pattern, splits_spaces) = match pattern.strip_suffix(SPACES) {
            Some(rest) => (rest, true),
            None => (pattern, false),
        };
        let parsed = regex_syntax::parse(pattern).ok().filter(|_| is_plain(pattern))?;
        // An empty match would be a piece of its own in neither engine, but would move the search.
        let is_safe = parsed.properties().minimum_len()? > 0 && parsed.properties().look_set().is_empty();
        let regex = meta::Regex::builder().build_from_hir(&parsed).ok().filter(|_| is_safe)?;
        Some(Self { regex, splits_spaces, keeps_gaps })
    }

    pub(crate) fn each<'t>(&self, text: &'t str, piece: &mut dyn FnMut(&'t str)) {
        let mut at = 0;
        while at < text.len() {
            let found = self.next(text, at).unwrap_or((text.len(), text.len()));
            if found.0 > at && self.keeps_gaps {
                piece(&text[at..found.0]);
            }
            if found.1 > found.0 {
                piece(&text[found.0..found.1]);
            }
            at = found.1;
        }
    }

    /// The first match at or after `at`.
    fn next(&self, text: &str, at: usize) -> Option<(usize, usize)> {
        let found = self.regex.search(&Input::new(text).range(at..)).map(|found| (found.start(), found.end()));
        if !self.splits_spaces {
            return found;
        }
        // The first of two alternatives wins at the same place.
        let before = found.map_or(text.len(), |found| found.0);
        match text[at..before].find(char::is_whitespace) {
            Some(offset) => Some((at + offset, spaces(text, at + offset))),
            None => found,
        }
    }
}

/// The end of a run of white space: the whole run at the end of the text or if it is a single character, otherwise all but the
/// last character, which belongs to the next piece.
fn spaces(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let run = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
    match rest[..run].char_indices().next_back() {
        Some((last, _)) if run < rest.len() && last > 0 => at + last,
        _ => at + run,
    }
}

/// Whether the pattern uses only syntax that both engines read in the same way: classes, groups, alternatives, and greedy
/// quantifiers. A second `+` makes a quantifier possessive in one engine and repeats it in the other.
fn is_plain(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    let (mut at, mut classes) = (0, 0);
    while at < bytes.len() {
        let next = bytes.get(at + 1).copied();
        match bytes[at] {
            b'\\' => {
                if !next.is_some_and(|c| b"pPsSrntdDwW".contains(&c) || c.is_ascii_punctuation()) {
                    return false;
                }
                at += 1;
                // The name of a class in braces.
                if matches!(next, Some(b'p' | b'P')) && bytes.get(at + 1) == Some(&b'{') {
                    at += bytes[at..].iter().position(|byte| *byte == b'}').unwrap_or_default();
                }
            }
            b'[' => classes += 1,
            b']' if classes > 0 => classes -= 1,
            _ if classes > 0 => {}
            b'(' if next == Some(b'?') => {
                let rest = &pattern[at..];
                if !rest.starts_with("(?:") && !rest.starts_with("(?i:") {
                    return false;
                }
                at += 1;
            }
            b'+' | b'*' | b'?' | b'}' if matches!(next, Some(b'+' | b'?')) => return false,
            _ => {}
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces<'t>(split: &RegexSplit, text: &'t str) -> Vec<&'t str> {
        let mut pieces = Vec::new();
        split.each(text, &mut |piece| pieces.push(piece));
        pieces
    }

    #[test]
    fn what_is_between_matches_is_kept_or_not() {
        let (kept, dropped) = (RegexSplit::new(r"\p{L}+", true).unwrap(), RegexSplit::new(r"\p{L}+", false).unwrap());
        assert_eq!(pieces(&kept, "-ab 1c"), ["-", "ab", " 1", "c"]);
        assert_eq!(pieces(&dropped, "-ab 1c"), ["ab", "c"]);
    }

    #[test]
    fn spaces_leave_their_last_to_the_next_piece() {
        let split = RegexSplit::new(r" ?\p{L}+|\s+(?!\S)|\s+", true).unwrap();
        assert_eq!(pieces(&split, "  a   b.  1 "), [" ", " a", "  ", " b", ".", " ", " ", "1", " "]);
    }

    #[test]
    fn patterns_that_engines_read_differently_are_refused() {
        for pattern in [r"\p{L}++", r"a?+b", r"(?!a)b", r"\bword", r"a*", r"^a", "(a", r"(?<n>a)", r"\h+"] {
            assert!(RegexSplit::new(pattern, true).is_none(), "{pattern}");
        }
    }
}
