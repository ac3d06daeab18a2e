//! Splits text into the pieces that are tokenized separately, in one or more stages: each stage splits the pieces of the one
//! before it.

use crate::char_class::{CharClass, class_at, run};
use crate::{RegexSplit, WordPattern};

/// One stage of splitting.
#[derive(Debug)]
pub enum Stage {
    Words(WordPattern),
    /// `\p{N}{1,most}`: numbers of at most this many digits; what is between them is a piece as well.
    Numbers {
        most: usize,
    },
    /// Each digit (or run of digits), as Rust's `char::is_numeric` defines it, and what is between them.
    Digits {
        individual: bool,
    },
    /// Runs of Chinese characters and Japanese syllables, as DeepSeek defines them, and what is between them.
    Ideographs,
    Regex(RegexSplit),
}

impl Stage {
    fn each<'t>(&self, text: &'t str, piece: &mut dyn FnMut(&'t str)) {
        match self {
            Self::Words(pattern) => pattern.pieces(text).for_each(piece),
            Self::Regex(regex) => regex.each(text, piece),
            Self::Numbers { most } => {
                let number = |at| {
                    (0..*most).try_fold(at, |end, _| match class_at(text, end) {
                        Some((CharClass::Number, length)) => Ok(end + length),
                        _ => Err(end),
                    })
                };
                let between = |at| run(text, at, |class| class != CharClass::Number);
                alternate(text, between, |at| number(at).unwrap_or_else(|end| end), piece);
            }
            Self::Digits { individual } => {
                let until =
                    |at: usize, stops: &dyn Fn(char) -> bool| text[at..].find(stops).map_or(text.len(), |n| at + n);
                let digits = |at| match text[at..].chars().next() {
                    Some(c) if *individual && c.is_numeric() => at + c.len_utf8(),
                    _ => until(at, &|c| !c.is_numeric()),
                };
                alternate(text, |at| until(at, &char::is_numeric), digits, piece);
            }
            Self::Ideographs => {
                let until = |at: usize, wanted: bool| {
                    text[at..].find(|c| is_ideograph(c) == wanted).map_or(text.len(), |n| at + n)
                };
                alternate(text, |at| until(at, true), |at| until(at, false), piece);
            }
        }
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '一'..='龥' | '\u{3040}'..='\u{309f}' | '\u{30a0}'..='\u{30ff}')
}

/// Passes on the parts of a text that two functions find alternately. Each returns the end of what starts at a place.
fn alternate<'t>(
    text: &'t str,
    first: impl Fn(usize) -> usize,
    second: impl Fn(usize) -> usize,
    piece: &mut dyn FnMut(&'t str),
) {
    let mut at = 0;
    while at < text.len() {
        for end in [first(at), second(first(at))] {
            if end > at {
                piece(&text[at..end]);
            }
            at = end;
        }
    }
}

/// All stages.
#[derive(Debug)]
pub struct Splitter(Vec<Stage>);

impl Splitter {
    pub fn new(stages: Vec<Stage>) -> Self {
        Self(stages)
    }

    /// Passes on the pieces of a text, in order.
    #[inline]
    pub fn each<'t>(&self, text: &'t str, mut piece: impl FnMut(&'t str)) {
        match self.0.as_slice() {
            [Stage::Words(pattern)] => pattern.pieces(text).for_each(piece),
            stages => each_of(stages, text, &mut piece),
        }
    }
}

fn each_of<'t>(stages: &[Stage], text: &'t str, piece: &mut dyn FnMut(&'t str)) {
    match stages {
        [] if text.is_empty() => {}
        [] => piece(text),
        [last] => last.each(text, piece),
        [first, rest @ ..] => first.each(text, &mut |part| each_of(rest, part, piece)),
    }
}
