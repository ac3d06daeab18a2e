//! The comparison of two formulas by their floating-point values.

use super::super::expression::MathExpression;
use super::super::numeric::evaluate;
use super::{Equality, Tolerance};

fn has_symbols(expression: &MathExpression) -> bool {
    match expression {
        MathExpression::Symbol(_) | MathExpression::NamedCall(..) => true,
        MathExpression::Number { .. } | MathExpression::Constant(_) => false,
        MathExpression::Percent(inner) => has_symbols(inner),
        MathExpression::Quotient(first, second) | MathExpression::Power(first, second) => {
            has_symbols(first) || has_symbols(second)
        }
        MathExpression::Sum(parts) | MathExpression::Product(parts) | MathExpression::Call(_, parts) => {
            parts.iter().any(has_symbols)
        }
    }
}

/// Compares the values at three points. A difference that may be a rounding error is undecided.
pub(super) fn numerically(gold: &MathExpression, answer: &MathExpression, tolerance: Tolerance) -> Equality {
    let tolerance = if has_symbols(gold) || has_symbols(answer) { Tolerance::FiveDecimals } else { tolerance };
    let mut equal = true;
    for point in 0..3 {
        let (Some(a), Some(b)) = (evaluate(gold, point), evaluate(answer, point)) else { return Equality::Undecided };
        if a == b {
            continue;
        }
        let (distance, size) = (a.minus(b).magnitude(), a.magnitude().max(b.magnitude()));
        let allowed = if tolerance == Tolerance::TenThousandth { 1e-4 } else { 1e-11 * size.max(1e-3) };
        if size.is_infinite() || distance > (1e-9 * size).max(allowed) {
            return Equality::Different;
        }
        equal &= distance <= allowed;
    }
    // Between the two bounds the difference may be a rounding error or a real one.
    if equal { Equality::Equal } else { Equality::Undecided }
}
