//! How far two numbers may be from each other.

use super::super::expression::MathExpression;
use super::super::rational::Rational;

/// When a number that was written with a decimal point equals another number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tolerance {
    /// Both are equal after rounding to five decimals.
    FiveDecimals,
    /// Two numbers are equal if they differ by at most 0.0001.
    TenThousandth,
}

impl Tolerance {
    /// Whether two numbers are equal, if one of them was written with a decimal point.
    pub(crate) fn allows(self, gold: &Rational, value: &Rational) -> bool {
        match self {
            // An integer equals a decimal number only exactly.
            Self::FiveDecimals => {
                gold == value
                    || !gold.is_integer()
                        && !value.is_integer()
                        && gold.rounded(5).is_some()
                        && gold.rounded(5) == value.rounded(5)
            }
            Self::TenThousandth => {
                let bound = Rational::new(1.into(), 10_000.into());
                let distance = gold.minus(value).map(|d| if d.is_negative() { d.negated() } else { d });
                matches!((distance, bound), (Some(distance), Some(bound)) if distance <= bound)
            }
        }
    }
}

/// Whether a number was written with a decimal point.
pub(super) fn is_decimal(expression: &MathExpression) -> bool {
    match expression {
        MathExpression::Number { decimal, .. } => *decimal,
        MathExpression::Percent(inner) => is_decimal(inner),
        MathExpression::Product(factors) => factors.iter().any(is_decimal),
        _ => false,
    }
}
