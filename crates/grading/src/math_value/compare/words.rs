//! The comparison of words, and of numbers with their base.

use super::super::expression::{MathExpression, MathValue};
use super::Equality;

/// Words, and letters that a reader of formulas takes for a product. Two texts in `\text{...}` are equal if their case is, too.
pub(super) fn same_words(gold: &MathValue, answer: &MathValue) -> Option<Equality> {
    let joined = |words: &str| words.split_whitespace().collect::<String>().trim_matches(['(', ')']).to_owned();
    let letters = |value: &MathValue| match value {
        MathValue::Single(expression) => expression.letters(),
        MathValue::Words(words) => Some(joined(words)),
        _ => None,
    };
    match (gold, answer) {
        (MathValue::Words(gold), MathValue::Words(answer)) => Some(Equality::of(joined(gold) == joined(answer))),
        (MathValue::Words(_), _) | (_, MathValue::Words(_)) => {
            let lower = |value: &MathValue| letters(value).map(|letters| letters.to_lowercase());
            Some(Equality::of(lower(gold).is_some() && lower(gold) == lower(answer)))
        }
        _ => None,
    }
}

/// The digits of `101_2` and 101, if one of the two has its base.
pub(super) fn one_in_a_base(gold: &MathExpression, answer: &MathExpression) -> Option<(String, String)> {
    let in_base = |expression: &MathExpression| match expression {
        MathExpression::Symbol(name) => {
            name.split_once('_').map(|(digits, _)| digits.to_owned()).filter(|digits| digits.parse::<u128>().is_ok())
        }
        _ => None,
    };
    let plain = |expression: &MathExpression| match expression {
        MathExpression::Number { value, .. } => Some(value.to_string()),
        _ => None,
    };
    in_base(gold).zip(plain(answer)).or_else(|| plain(gold).zip(in_base(answer)))
}
