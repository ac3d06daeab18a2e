//! `multiple_choice`: the letter of one of four choices, A to D.

use crate::Grade;
use crate::choice_letter::{LetterForm, Letters, choice_letter};

pub(crate) fn grade(answer: &str, gold: &str) -> Grade {
    let gold = gold.trim();
    let (letter, form) = choice_letter(answer, Letters::AToD);
    let explanation = match form {
        LetterForm::Expected => "the letter of the answer",
        LetterForm::Fallback => "the answer does not have the expected form; the letter is a guess from its text",
    };
    Grade::decided(letter == gold, form == LetterForm::Fallback, gold, letter, explanation)
}
