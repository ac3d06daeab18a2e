//! From the text of a formula to its value.

use crate::extract::Candidate;
use crate::math_value::{MathValue, percent_of, read};

/// The value of the formulas of a candidate; several are a set.
pub(crate) fn value_of(candidate: &Candidate) -> Option<MathValue> {
    let values: Option<Vec<MathValue>> = candidate
        .formulas
        .iter()
        .map(|formula| {
            let value = read(result_of(&formula.text))?;
            if formula.percent { percent_of(value) } else { Some(value) }
        })
        .collect();
    let mut values = values?;
    match values.len() {
        0 | 1 => values.pop(),
        _ => Some(MathValue::Set(values)),
    }
}

/// The text of a candidate for a reader.
pub(crate) fn display(candidate: &Candidate) -> String {
    let texts: Vec<&str> = candidate.formulas.iter().map(|formula| result_of(&formula.text).trim()).collect();
    texts.join(" and ")
}

/// What comes before an approximation: `\pi \approx 3.14` is pi.
fn result_of(formula: &str) -> &str {
    formula.split("\\approx").next().unwrap_or(formula)
}
