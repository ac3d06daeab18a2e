//! Finds added tokens, such as `<|eot_id|>`, in a text: at each place the longest one.

use std::collections::HashMap;

use super::pipeline::Pipeline;
use super::settings::{TokenizerSettings, Unsupported, unsupported};

/// The added tokens of a file.
#[derive(Debug)]
pub(crate) struct AddedTokens {
    /// Those that are found in the text as it is given.
    raw: TokenFinder,
    /// Those that are found in the normalized text.
    normalized: TokenFinder,
    by_id: HashMap<u32, AddedText>,
}

/// An added token as it is decoded.
#[derive(Debug)]
pub(crate) struct AddedText {
    pub(crate) text: String,
    pub(crate) is_special: bool,
}

/// A part of a text.
pub(crate) enum Segment<'t> {
    Added(u32),
    Text(&'t str),
}

impl AddedTokens {
    pub(crate) fn new(settings: &TokenizerSettings, pipeline: &Pipeline) -> Result<Self, Unsupported> {
        let mut next_id = settings.model.entries;
        let (mut raw, mut normalized, mut by_id) = (Vec::new(), Vec::new(), HashMap::new());
        for token in &settings.added_tokens {
            if token.content.is_empty() || token.single_word {
                return unsupported(format!("the added token {:?}", token.content));
            }
            let text = if token.normalized {
                if !pipeline.normalizes_at_once() {
                    return unsupported("normalized added tokens");
                }
                pipeline.normalized(&token.content).into_owned()
            } else {
                token.content.clone()
            };
            // Tokens that are not in the vocabulary have the ids after it, whatever the file says.
            let id = token.vocabulary_id.unwrap_or_else(|| {
                next_id += 1;
                next_id - 1
            });
            let strips = (token.lstrip, token.rstrip);
            let list = if token.normalized { &mut normalized } else { &mut raw };
            list.push(Wanted { text: text.clone().into_bytes(), id, strips });
            if by_id.insert(id, AddedText { text, is_special: token.special }).is_some() {
                return unsupported(format!("two added tokens with the id {id}"));
            }
        }
        Ok(Self { raw: TokenFinder::new(raw)?, normalized: TokenFinder::new(normalized)?, by_id })
    }

    pub(crate) fn get(&self, id: u32) -> Option<&AddedText> {
        self.by_id.get(&id)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = u32> {
        self.by_id.keys().copied()
    }

    /// The parts of a text as it is given.
    pub(crate) fn each<'t>(&self, text: &'t str, segment: impl FnMut(Segment<'t>)) {
        self.raw.each(text, segment);
    }

    /// The parts of a normalized text.
    pub(crate) fn each_normalized<'t>(&self, text: &'t str, segment: impl FnMut(Segment<'t>)) {
        self.normalized.each(text, segment);
    }
}

#[derive(Debug)]
struct Wanted {
    text: Vec<u8>,
    id: u32,
    /// Whether it includes the white space before and after it.
    strips: (bool, bool),
}

/// Finds the first of several texts, and the longest of those at the same place.
#[derive(Debug)]
struct TokenFinder {
    /// Sorted by text.
    wanted: Vec<Wanted>,
    /// The bytes that one of them starts with.
    is_first: Box<[bool; 256]>,
    /// The same bytes, if they are at most three.
    firsts: Vec<u8>,
}

impl TokenFinder {
    fn new(mut wanted: Vec<Wanted>) -> Result<Self, Unsupported> {
        wanted.sort_by(|a, b| a.text.cmp(&b.text));
        if wanted.windows(2).any(|pair| pair[0].text == pair[1].text) {
            return unsupported("two added tokens with the same text");
        }
        let blank = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_whitespace() || !byte.is_ascii());
        let strips = wanted.iter().any(|token| token.strips != (false, false));
        if strips && wanted.iter().any(|token| blank(token.text.first())) {
            return unsupported("added tokens that strip white space, and some that may be white space");
        }
        let mut is_first = Box::new([false; 256]);
        for token in &wanted {
            is_first[usize::from(token.text[0])] = true;
        }
        let firsts = (0..=255).filter(|byte| is_first[usize::from(*byte)]).collect();
        Ok(Self { wanted, is_first, firsts })
    }

    fn each<'t>(&self, text: &'t str, mut segment: impl FnMut(Segment<'t>)) {
        // Up to here the parts have been passed on.
        let mut done = 0;
        let mut at = 0;
        while let Some(start) = self.candidate(text.as_bytes(), at) {
            let Some(token) = self.longest(&text.as_bytes()[start..]) else {
                at = start + 1;
                continue;
            };
            let end = start + token.text.len();
            let before = if token.strips.0 { text[done..start].trim_end() } else { &text[done..start] };
            if !before.is_empty() {
                segment(Segment::Text(before));
            }
            segment(Segment::Added(token.id));
            at = end;
            done = if token.strips.1 { text.len() - text[end..].trim_start().len() } else { end };
        }
        if done < text.len() {
            segment(Segment::Text(&text[done..]));
        }
    }

    /// The next place where a token may start.
    fn candidate(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let rest = bytes.get(at..)?;
        let offset = match self.firsts.as_slice() {
            [] => None,
            [one] => memchr::memchr(*one, rest),
            [one, two] => memchr::memchr2(*one, *two, rest),
            [one, two, three] => memchr::memchr3(*one, *two, *three, rest),
            _ => rest.iter().position(|byte| self.is_first[usize::from(*byte)]),
        };
        offset.map(|offset| at + offset)
    }

    /// The longest token that a text starts with.
    fn longest(&self, text: &[u8]) -> Option<&Wanted> {
        let mut left = self.wanted.as_slice();
        let mut found = None;
        for (depth, byte) in text.iter().enumerate() {
            let start = left.partition_point(|token| token.text.get(depth).is_none_or(|other| other < byte));
            let end = left.partition_point(|token| token.text.get(depth).is_none_or(|other| other <= byte));
            left = &left[start..end];
            // The shortest comes first.
            match left.first() {
                Some(token) if token.text.len() == depth + 1 => found = Some(token),
                Some(_) => {}
                None => break,
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(wanted: &[(&str, (bool, bool))], text: &str) -> Vec<String> {
        let wanted = wanted.iter().zip(0..).map(|((text, strips), id)| Wanted {
            text: text.as_bytes().to_vec(),
            id,
            strips: *strips,
        });
        let mut parts = Vec::new();
        TokenFinder::new(wanted.collect()).unwrap().each(text, |segment| {
            parts.push(match segment {
                Segment::Added(id) => format!("#{id}"),
                Segment::Text(text) => text.to_owned(),
            });
        });
        parts
    }

    const PLAIN: (bool, bool) = (false, false);

    #[test]
    fn the_first_and_then_the_longest_token_is_found() {
        let wanted = [("<a>", PLAIN), ("<a>b", PLAIN), ("a", PLAIN), ("｜x", PLAIN)];
        assert_eq!(parts(&wanted, "<<a>bc<a>.｜y｜xa"), ["<", "#1", "c", "#0", ".｜y", "#3", "#2"]);
        assert_eq!(parts(&wanted, ""), Vec::<String>::new());
        assert_eq!(parts(&[], "<a>"), ["<a>"]);
    }

    #[test]
    fn white_space_next_to_a_token_belongs_to_it_if_it_says_so() {
        let wanted = [("<l>", (true, false)), ("<r>", (false, true))];
        assert_eq!(parts(&wanted, "a  <l>  b <r> \n<r>  "), ["a", "#0", "  b ", "#1", "#1"]);
    }
}
