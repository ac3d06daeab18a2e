//! `lighteval_latex`: the value of the LaTeX formula of an answer equals the value of the formula of a full solution.

use crate::Grade;
use crate::extract::{Anchor, Candidate, expressions, formulas, last_first, searched};
use crate::math_text::{display, value_of};
use crate::math_value::{Equality, MathValue, Tolerance, compare};

/// Where the gold answer is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GoldForm {
    /// In the LaTeX of a solution.
    Latex,
    /// A number or an expression.
    Plain,
}

/// What was found in a text: the first candidate that can be read, and the text of the first candidate.
struct Found {
    value: Option<MathValue>,
    text: String,
}

pub(crate) fn grade(answer: &str, gold: &str) -> Grade {
    grade_with(answer, gold, GoldForm::Latex)
}

pub(crate) fn grade_with(answer: &str, gold: &str, form: GoldForm) -> Grade {
    let expected = match form {
        GoldForm::Latex => find(gold, formulas),
        GoldForm::Plain => find(gold, expressions),
    };
    let Some(expected) = expected else {
        return Grade::undecided(gold.trim(), "", "the gold answer has no formula");
    };
    let found = find(answer, |text, anchor| {
        let mut both = formulas(text, anchor);
        both.extend(expressions(text, anchor));
        last_first(both)
    });
    let Some(actual) = found else {
        return Grade::decided(false, true, expected.text, "", "the answer has no formula and no number");
    };
    let same_text = !actual.text.is_empty() && actual.text == expected.text;
    if same_text {
        let unread = actual.value.is_none();
        return Grade::decided(true, unread, expected.text, actual.text, "the formulas are written in the same way");
    }
    let equality = match (&expected.value, &actual.value) {
        (Some(expected), Some(actual)) => compare(expected, actual, Tolerance::FiveDecimals),
        _ => Equality::Undecided,
    };
    match equality {
        Equality::Equal => Grade::decided(true, false, expected.text, actual.text, "the values are equal"),
        Equality::Different => Grade::decided(false, false, expected.text, actual.text, "the values differ"),
        Equality::Undecided => Grade::undecided(expected.text, actual.text, "the formulas cannot be compared"),
    }
}

fn find(text: &str, candidates: impl Fn(&str, Anchor) -> Vec<Candidate>) -> Option<Found> {
    let text = searched(text);
    let mut first_text = None;
    for anchor in Anchor::IN_ORDER {
        for candidate in candidates(text, anchor) {
            let shown = display(&candidate);
            first_text.get_or_insert_with(|| shown.clone());
            if let Some(value) = value_of(&candidate) {
                return Some(Found { value: Some(value), text: first_text.unwrap_or(shown) });
            }
        }
    }
    first_text.map(|text| Found { value: None, text })
}
