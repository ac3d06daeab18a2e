//! The part of an answer that holds its result.

use std::sync::LazyLock;

use regex::Regex;

use crate::extract::last_boxed;

static WORDS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)(?:the answer is|answer:|final answer(?: is)?):?[^\S\n]*([^\n]+)").ok());
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"-?\d+(?:\.\d+)?(?:/\d+)?").ok());

/// The result of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AnswerText {
    pub(super) text: String,
    /// In a box, as the prompt asks.
    pub(super) boxed: bool,
}

pub(super) fn answer_text(answer: &str) -> AnswerText {
    let complete_box = |content: &&str| answer.contains(&format!("{{{content}}}")) || content.is_empty();
    if let Some(content) = last_boxed(answer).filter(complete_box) {
        return AnswerText { text: content.to_owned(), boxed: true };
    }
    let unboxed = |text: String| AnswerText { text, boxed: false };
    let tail = WORDS.as_ref().and_then(|words| words.captures_iter(answer).last()).and_then(|found| found.get(1));
    if let Some(tail) = tail {
        let tail = tail.as_str().trim();
        let tail = tail.strip_suffix('.').unwrap_or(tail);
        if tail.contains(['\\', '{']) {
            return unboxed(tail.to_owned());
        }
        return unboxed(last_number(tail).unwrap_or_else(|| tail.to_owned()));
    }
    unboxed(last_number(answer).unwrap_or_else(|| answer.trim().to_owned()))
}

fn last_number(text: &str) -> Option<String> {
    NUMBER.as_ref()?.find_iter(text).last().map(|number| number.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_comes_first_then_the_words_of_an_answer_then_the_last_number() {
        let text = |answer: &str| answer_text(answer).text;
        assert_eq!(answer_text(r"The answer is 3. \boxed{4}"), AnswerText { text: "4".into(), boxed: true });
        assert_eq!(text(r"The answer is $\frac{1}{2}$."), r"$\frac{1}{2}$");
        assert_eq!(text("The answer is 5, or 6\n7"), "6");
        assert_eq!(text("It takes 3 hours and -4.5 minutes."), "-4.5");
        assert_eq!(text("nothing"), "nothing");
        assert!(!answer_text(r"\boxed{5").boxed);
    }
}
