//! The letter of a choice in an answer, for graders of multiple-choice questions.

use std::sync::LazyLock;

use regex::Regex;

/// How a letter was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LetterForm {
    /// The form that the prompt asks for: a bare letter, or `the answer is (X)`.
    Expected,
    /// Another form, such as a letter in a sentence.
    Fallback,
}

/// The letters of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Letters {
    AToD,
    AToJ,
}

struct Patterns {
    answer_is: Regex,
    answer_colon: Regex,
    lone: Regex,
}

impl Patterns {
    fn of(letters: &str) -> Option<Self> {
        Some(Self {
            answer_is: Regex::new(&format!(r"answer is\s*\(?([{letters}])\b\)?")).ok()?,
            answer_colon: Regex::new(&format!(r"(?i:answer)\s*:\s*\(?([{letters}])\b\)?")).ok()?,
            lone: Regex::new(&format!(r"\b([{letters}])\b")).ok()?,
        })
    }
}

static A_TO_D: LazyLock<Option<Patterns>> = LazyLock::new(|| Patterns::of("A-D"));
static A_TO_J: LazyLock<Option<Patterns>> = LazyLock::new(|| Patterns::of("A-J"));

/// The letter of an answer, or its first line if it has no letter.
pub(crate) fn choice_letter(answer: &str, letters: Letters) -> (String, LetterForm) {
    let answer = answer.trim();
    let first_line = answer.lines().next().unwrap_or_default().trim();
    let (patterns, last) = match letters {
        Letters::AToD => (A_TO_D.as_ref(), 'D'),
        Letters::AToJ => (A_TO_J.as_ref(), 'J'),
    };
    if first_line.len() == 1 && first_line.chars().all(|letter| ('A'..=last).contains(&letter)) {
        return (first_line.to_owned(), LetterForm::Expected);
    }
    let Some(patterns) = patterns else { return (first_line.to_owned(), LetterForm::Fallback) };
    let last_of = |pattern: &Regex, text: &str| {
        pattern.captures_iter(text).last().and_then(|found| found.get(1)).map(|letter| letter.as_str().to_owned())
    };
    if let Some(letter) = last_of(&patterns.answer_is, answer) {
        return (letter, LetterForm::Expected);
    }
    let first_of = |pattern: &Regex, text: &str| pattern.find(text).map(|letter| letter.as_str().to_owned());
    let fallback = last_of(&patterns.answer_colon, answer)
        // With ten letters the pronoun `I` would count as one.
        .or_else(|| if letters == Letters::AToD { first_of(&patterns.lone, first_line) } else { None })
        .or_else(|| last_of(&patterns.lone, answer))
        .unwrap_or_else(|| first_line.to_owned());
    (fallback, LetterForm::Fallback)
}
