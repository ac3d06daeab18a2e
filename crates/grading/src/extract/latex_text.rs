//! The LaTeX formulas of a text that may be its answer, by the words before them.

use std::sync::LazyLock;

use regex::Regex;

use super::environment::connected_at;
use super::{Anchor, Candidate, FormulaText, MAX_CANDIDATES, last_first, without_boxes};

static FINAL_ANSWER_IS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?is)final answer is:?\s*").ok());
static FINAL_ANSWER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?is)final answer.{0,100}?\s+is:?\s*").ok());
static ANSWER_COLON: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)answer\s?:").ok());
static ANSWER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)answer").ok());

/// Characters between the word `answer` and its formula, at most.
const REACH: usize = 50;

/// The formulas after `anchor`, the last one first.
pub(crate) fn formulas(text: &str, anchor: Anchor) -> Vec<Candidate> {
    let found = match anchor {
        Anchor::FinalAnswerOrBox => {
            let mut found = boxes(text);
            found.extend(after(text, FINAL_ANSWER_IS.as_ref(), 0).into_iter().filter(|candidate| {
                let rest = &text[candidate.end..];
                let rest = rest.strip_prefix('.').unwrap_or(rest);
                rest.strip_prefix(char::is_whitespace).unwrap_or(rest).starts_with("I hope")
            }));
            found
        }
        Anchor::FinalAnswer => after(text, FINAL_ANSWER.as_ref(), 0),
        Anchor::AnswerColon => after(text, ANSWER_COLON.as_ref(), REACH),
        Anchor::Answer => after(text, ANSWER.as_ref(), REACH),
        Anchor::Nothing => anywhere(text, false),
    };
    last_first(found).into_iter().map(unboxed).collect()
}

fn unboxed(mut candidate: Candidate) -> Candidate {
    for formula in &mut candidate.formulas {
        formula.text = without_boxes(&formula.text, false);
    }
    candidate
}

/// Formulas with a box in them, and the text from the first box to the last brace.
fn boxes(text: &str) -> Vec<Candidate> {
    let mut found = anywhere(text, true);
    let ends = text.find("\\boxed{").zip(text.rfind('}')).filter(|(start, last)| last > start);
    if let Some((start, last)) = ends {
        let content = without_boxes(&text[start..=last], true);
        let formulas = vec![FormulaText { text: content, percent: false }];
        found.push(Candidate { start, end: last + 1, formulas });
    }
    found
}

/// Formulas one after the other, from the start of the text on.
fn anywhere(text: &str, boxed: bool) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut at = 0;
    while let Some(start) = next_start(text, at) {
        if let Some((end, formulas)) = connected_at(text, start, boxed) {
            found.push(Candidate { start, end, formulas });
            at = end;
        } else {
            at = start + text[start..].chars().next().map_or(1, char::len_utf8);
        }
        // The last ones count.
        if found.len() > 4 * MAX_CANDIDATES {
            found.drain(..2 * MAX_CANDIDATES);
        }
    }
    found
}

/// The next place where a delimiter may be.
fn next_start(text: &str, from: usize) -> Option<usize> {
    text[from..]
        .char_indices()
        .find(|(_, character)| matches!(character, '$' | '\\' | '-') || character.is_whitespace())
        .map(|(at, _)| from + at)
}

/// The first formula within `reach` characters after each match of `anchor`.
fn after(text: &str, anchor: Option<&Regex>, reach: usize) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut done = 0;
    for anchor in anchor.into_iter().flat_map(|anchor| anchor.find_iter(text)) {
        if anchor.start() < done {
            continue;
        }
        let mut starts = text[anchor.end()..].char_indices().take(reach + 1).map(|(at, _)| anchor.end() + at);
        if let Some((end, formulas)) = starts.find_map(|start| connected_at(text, start, false)) {
            found.push(Candidate { start: anchor.start(), end, formulas });
            done = end;
        }
    }
    found
}
