//! Finds the formula of the answer in a text.

mod boxed;
mod environment;
mod expression_text;
mod latex_text;

pub(crate) use boxed::{last_boxed, without_boxes};
pub(crate) use expression_text::expressions;
pub(crate) use latex_text::formulas;

/// Bytes of an answer that are searched, from its end. The last formula counts, and answers of models are shorter.
const MAX_SEARCHED: usize = 100_000;

/// Formulas of one kind that are tried, at most.
const MAX_CANDIDATES: usize = 100;

/// The words that come before an answer, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Anchor {
    /// `final answer is ... I hope`, and everything in a box.
    FinalAnswerOrBox,
    /// `final answer ... is`
    FinalAnswer,
    /// `answer:`
    AnswerColon,
    /// `answer`
    Answer,
    Nothing,
}

impl Anchor {
    pub(crate) const IN_ORDER: [Self; 5] =
        [Self::FinalAnswerOrBox, Self::FinalAnswer, Self::AnswerColon, Self::Answer, Self::Nothing];
}

/// A part of the text that may be the answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// More than one formula are the elements of a set.
    pub(crate) formulas: Vec<FormulaText>,
}

/// One formula, without its delimiters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FormulaText {
    pub(crate) text: String,
    pub(crate) percent: bool,
}

/// The end of a text that is too long to search.
pub(crate) fn searched(text: &str) -> &str {
    let mut start = text.len().saturating_sub(MAX_SEARCHED);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// The candidates that end last first; of two with the same end the one that starts first.
pub(crate) fn last_first(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_by_key(|candidate| (std::cmp::Reverse(candidate.end), candidate.start));
    candidates.truncate(MAX_CANDIDATES);
    candidates
}
