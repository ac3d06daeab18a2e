//! What an equation assigns, and which numbers satisfy an inequality.

use super::super::expression::{Constant, IntervalEnd, MathExpression, MathValue, RelationSign};

/// Whether a value is an equation.
pub(super) fn is_equation(value: &MathValue) -> bool {
    matches!(value, MathValue::Relation { signs, .. } if signs.iter().all(|sign| *sign == RelationSign::Equal))
}

/// The last side of an equation.
pub(super) fn last_side(value: &MathValue) -> Option<MathValue> {
    match value {
        MathValue::Relation { sides, .. } if is_equation(value) => sides.last().cloned().map(MathValue::Single),
        _ => None,
    }
}

/// The right side of `x = ...`, with only symbols on the left.
pub(super) fn assigned(value: &MathValue) -> Option<MathValue> {
    match value {
        MathValue::Relation { sides, .. } => {
            let named =
                |side: &MathExpression| side.letters().is_some() || matches!(side, MathExpression::NamedCall(..));
            if sides.first().is_some_and(named) { last_side(value) } else { None }
        }
        _ => None,
    }
}

/// The interval of the numbers that satisfy `x < 3` or `1 < x < 3`.
pub(super) fn solution(sides: &[MathExpression], signs: &[RelationSign]) -> Option<MathValue> {
    let symbol = |side: &MathExpression| matches!(side, MathExpression::Symbol(_));
    let end = |at: &MathExpression, sign: RelationSign| IntervalEnd {
        at: at.clone(),
        open: matches!(sign, RelationSign::Less | RelationSign::Greater),
    };
    let infinite = |negative: bool| {
        let infinity = MathExpression::Constant(Constant::Infinity);
        IntervalEnd { at: if negative { infinity.negated() } else { infinity }, open: true }
    };
    let below = |sign: RelationSign| matches!(sign, RelationSign::Less | RelationSign::LessOrEqual);
    let above = |sign: RelationSign| matches!(sign, RelationSign::Greater | RelationSign::GreaterOrEqual);
    let (low, high) = match (sides, signs) {
        ([x, bound], [sign]) if symbol(x) && below(*sign) => (infinite(true), end(bound, *sign)),
        ([x, bound], [sign]) if symbol(x) && above(*sign) => (end(bound, *sign), infinite(false)),
        ([bound, x], [sign]) if symbol(x) && above(*sign) => (infinite(true), end(bound, *sign)),
        ([bound, x], [sign]) if symbol(x) && below(*sign) => (end(bound, *sign), infinite(false)),
        ([low, x, high], [first, second]) if symbol(x) && below(*first) && below(*second) => {
            (end(low, *first), end(high, *second))
        }
        ([high, x, low], [first, second]) if symbol(x) && above(*first) && above(*second) => {
            (end(low, *second), end(high, *first))
        }
        _ => return None,
    };
    Some(MathValue::Interval(low, high))
}
