//! `math`: the value in the last box of an answer, or after the words of an answer, equals the gold value. Numbers may differ by
//! 0.0001, and a percentage may be written as its fraction or the other way round.

mod answer_text;
mod plain_form;

use crate::Grade;
use crate::extract::searched;
use crate::math_value::{Equality, Rational, Tolerance, compare, read};
use answer_text::answer_text;
use plain_form::{choice_of, plain_form, plain_number, unit_exponent, without_choice};

pub(crate) fn grade(answer: &str, gold: &str) -> Grade {
    let gold = gold.trim();
    let found = answer_text(searched(answer));
    if found.text.is_empty() {
        return Grade::decided(false, true, gold, "", "the answer is empty");
    }
    let (equality, explanation) = compare_texts(gold, &found.text);
    match equality {
        Equality::Undecided => Grade::undecided(gold, found.text, explanation),
        decided => Grade::decided(decided == Equality::Equal, !found.boxed, gold, found.text, explanation),
    }
}

/// Whether two texts have the same value, and how that was decided.
fn compare_texts(gold: &str, answer: &str) -> (Equality, &'static str) {
    let units = unit_exponent(gold).zip(unit_exponent(answer));
    if units.is_some_and(|(gold, answer)| gold != answer) {
        return (Equality::Different, "the units have different exponents");
    }
    let (gold_form, form) = (plain_form(gold), plain_form(answer));
    if gold_form.to_lowercase() == form.to_lowercase() {
        return (Equality::Equal, "the texts are the same after normalisation");
    }
    if brackets_differ(&gold_form, &form) {
        return (Equality::Different, "the brackets are of different kinds");
    }
    if let Some(letter) = choice_of(&gold_form) {
        let equality =
            if without_choice(&form).is_some_and(|(found, _)| found == letter) || choice_of(&form) == Some(letter) {
                Equality::Equal
            } else {
                Equality::Different
            };
        return (equality, "compared as letters of choices");
    }
    let form = match without_choice(&form) {
        Some((_, rest)) if !rest.is_empty() => rest.to_owned(),
        _ => form,
    };
    if let (Some(gold), Some(value)) = (plain_number(&gold_form), plain_number(&form)) {
        let hundred = Rational::integer(100);
        let near = |gold: Option<Rational>| gold.is_some_and(|gold| Tolerance::TenThousandth.allows(&gold, &value));
        let equal = near(Some(gold.clone())) || near(gold.divided_by(&hundred)) || near(gold.times(&hundred));
        return (if equal { Equality::Equal } else { Equality::Different }, "compared as numbers");
    }
    let explanation = "compared as formulas";
    match (read(&gold_form), read(&form)) {
        (Some(gold), Some(value)) => (compare(&gold, &value, Tolerance::TenThousandth), explanation),
        _ => (Equality::Undecided, "the formulas cannot be compared"),
    }
}

/// Whether one of two lists is in round brackets and the other one is in square brackets.
fn brackets_differ(gold: &str, answer: &str) -> bool {
    let ends = |text: &str| {
        let (first, last) = (text.chars().next()?, text.chars().next_back()?);
        (text.contains(',') && matches!(first, '(' | '[') && matches!(last, ')' | ']')).then_some((first, last))
    };
    // A union has several pairs of brackets, and its parts may stand in another order.
    let single = |text: &str| !text.contains("\\cup");
    single(gold) && single(answer) && ends(gold).zip(ends(answer)).is_some_and(|(gold, answer)| gold != answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn square_brackets_are_not_round_ones() {
        let right = |gold: &str, answer: &str| grade(&format!("\\boxed{{{answer}}}"), gold).verdict.is_right();
        assert!(!right("[5,1]", "(5,1)") && !right("[1,5)", "[1,5]"));
        assert!(right("(5, 1)", "(5,1.00001)") && right("[1,2]\\cup(3,4)", "(3,4)\\cup[1,2]"));
    }
}
