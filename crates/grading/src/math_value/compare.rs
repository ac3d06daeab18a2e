//! Whether two values are equal: exactly where the normal form decides, else by numbers that are far more exact than any
//! difference that matters. What neither decides is undecided.

mod numeric_equality;
mod relation;
mod tolerance;
mod words;

use super::budget::Budget;
use super::expression::{IntervalEnd, MathExpression, MathValue, RelationSign};
use super::normal_form::{has_only_primes, has_only_roots, normal_form};
use numeric_equality::numerically;
use relation::{assigned, is_equation, last_side, solution};
pub(crate) use tolerance::Tolerance;
use tolerance::is_decimal;
use words::{one_in_a_base, same_words};

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Equality {
    Equal,
    Different,
    Undecided,
}

impl Equality {
    fn of(equal: bool) -> Self {
        if equal { Self::Equal } else { Self::Different }
    }

    /// Both are equal.
    fn and(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Different => Self::Different,
            Self::Equal => other(),
            Self::Undecided => {
                if other() == Self::Different {
                    Self::Different
                } else {
                    Self::Undecided
                }
            }
        }
    }

    fn or(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::Different => other(),
            Self::Undecided => {
                if other() == Self::Equal {
                    Self::Equal
                } else {
                    Self::Undecided
                }
            }
        }
    }
}

/// Compares the value of an answer with the gold value.
pub(crate) fn compare(gold: &MathValue, answer: &MathValue, tolerance: Tolerance) -> Equality {
    let mut comparison = Comparison { tolerance, budget: Budget::of_one_comparison() };
    comparison.values(gold, answer)
}

struct Comparison {
    tolerance: Tolerance,
    budget: Budget,
}

impl Comparison {
    fn values(&mut self, gold: &MathValue, answer: &MathValue) -> Equality {
        if self.budget.spend(1).is_none() {
            return Equality::Undecided;
        }
        if let (Some(gold), false) = (assigned(gold), is_equation(answer)) {
            return self.values(&gold, answer);
        }
        if let (false, Some(answer)) = (is_equation(gold), last_side(answer)) {
            return self.values(gold, &answer);
        }
        if let Some(equality) = same_words(gold, answer) {
            return equality;
        }
        match (gold, answer) {
            (MathValue::Single(gold), MathValue::Single(answer)) => self.expressions(gold, answer),
            (MathValue::Relation { sides: gold, signs: gold_signs }, MathValue::Relation { sides: answer, signs }) => {
                self.relations(gold, gold_signs, answer, signs)
            }
            (MathValue::Relation { sides, signs }, other) => match solution(sides, signs) {
                Some(interval) => self.values(&interval, other),
                None => Equality::Different,
            },
            (other, MathValue::Relation { sides, signs }) => match solution(sides, signs) {
                Some(interval) => self.values(other, &interval),
                None => Equality::Different,
            },
            (MathValue::Interval(low, high), MathValue::Interval(other_low, other_high)) => {
                Equality::of(low.open == other_low.open && high.open == other_high.open)
                    .and(|| self.expressions(&low.at, &other_low.at))
                    .and(|| self.expressions(&high.at, &other_high.at))
            }
            (MathValue::Interval(low, high), MathValue::Tuple(pair) | MathValue::Set(pair))
            | (MathValue::Tuple(pair) | MathValue::Set(pair), MathValue::Interval(low, high)) => {
                self.open_pair(low, high, pair)
            }
            (MathValue::Set(gold), MathValue::Set(answer)) | (MathValue::Union(gold), MathValue::Union(answer)) => {
                self.unordered(gold, answer)
            }
            (MathValue::Tuple(gold), MathValue::Tuple(answer) | MathValue::Set(answer))
            | (MathValue::Set(gold), MathValue::Tuple(answer)) => self.ordered(gold, answer),
            (MathValue::Matrix(gold), MathValue::Matrix(answer)) => self.matrices(gold, answer),
            (MathValue::Set(elements), other) | (other, MathValue::Set(elements)) => match elements.as_slice() {
                [only] => self.values(only, other),
                _ => Equality::Different,
            },
            _ => Equality::Different,
        }
    }

    fn expressions(&mut self, gold: &MathExpression, answer: &MathExpression) -> Equality {
        if let (Tolerance::FiveDecimals, Some((gold, answer))) = (self.tolerance, one_in_a_base(gold, answer)) {
            return Equality::of(gold == answer);
        }
        let mut only_roots = false;
        let budget = &mut self.budget;
        if let (Some(gold_form), Some(form)) = (normal_form(gold, budget), normal_form(answer, budget)) {
            if let (Some(gold_value), Some(value)) = (gold_form.as_number(), form.as_number()) {
                let inexact = self.tolerance == Tolerance::TenThousandth || is_decimal(gold) || is_decimal(answer);
                return Equality::of(gold_value == value || inexact && self.tolerance.allows(&gold_value, &value));
            }
            if let Some(difference) = gold_form.difference(&form, budget) {
                if difference.is_zero() {
                    return Equality::Equal;
                }
                only_roots = has_only_roots(&difference) && self.tolerance == Tolerance::FiveDecimals;
                if only_roots && has_only_primes(&difference) {
                    return Equality::Different;
                }
            }
        }
        match numerically(gold, answer, self.tolerance) {
            // Two sums of roots that differ as formulas can be equal only if a base has factors that were not found.
            Equality::Equal if only_roots => Equality::Undecided,
            result => result,
        }
    }

    fn relations(
        &mut self,
        gold: &[MathExpression],
        gold_signs: &[RelationSign],
        answer: &[MathExpression],
        signs: &[RelationSign],
    ) -> Equality {
        if gold.len() != answer.len() {
            return Equality::Different;
        }
        let differences = |sides: &[MathExpression]| -> Vec<MathExpression> {
            sides.windows(2).map(|pair| MathExpression::Sum(vec![pair[0].clone(), pair[1].clone().negated()])).collect()
        };
        let (gold_differences, answer_differences) = (differences(gold), differences(answer));
        let mut same = Equality::of(gold_signs == signs);
        for (gold, answer) in gold_differences.iter().zip(&answer_differences) {
            same = same.and(|| self.expressions(gold, answer));
        }
        same.or(|| {
            let mirrored: Vec<RelationSign> = signs.iter().rev().map(|sign| sign.mirrored()).collect();
            let mut flipped = Equality::of(gold_signs == mirrored);
            for (gold, answer) in gold_differences.iter().zip(answer_differences.iter().rev()) {
                flipped = flipped.and(|| self.expressions(gold, &answer.clone().negated()));
            }
            flipped
        })
    }

    fn open_pair(&mut self, low: &IntervalEnd, high: &IntervalEnd, pair: &[MathValue]) -> Equality {
        if !(low.open && high.open && pair.len() == 2) {
            return Equality::Different;
        }
        let ends = [MathValue::Single(low.at.clone()), MathValue::Single(high.at.clone())];
        self.ordered(&ends, pair)
    }

    fn ordered(&mut self, gold: &[MathValue], answer: &[MathValue]) -> Equality {
        if gold.len() != answer.len() {
            return Equality::Different;
        }
        gold.iter().zip(answer).fold(Equality::Equal, |all, (gold, answer)| all.and(|| self.values(gold, answer)))
    }

    /// Each element of one side has its own equal element on the other side.
    fn unordered(&mut self, gold: &[MathValue], answer: &[MathValue]) -> Equality {
        // For `math` a list has as many elements as were written; for the others it is a set.
        let (gold, answer) = match self.tolerance {
            Tolerance::FiveDecimals => (self.distinct(gold), self.distinct(answer)),
            Tolerance::TenThousandth => (gold.iter().collect(), answer.iter().collect()),
        };
        if gold.len() != answer.len() {
            return Equality::Different;
        }
        let mut left: Vec<&MathValue> = answer;
        let mut result = Equality::Equal;
        for element in gold {
            let compared: Vec<Equality> = left.iter().map(|candidate| self.values(element, candidate)).collect();
            if let Some(position) = compared.iter().position(|equality| *equality == Equality::Equal) {
                left.remove(position);
            } else if compared.contains(&Equality::Undecided) {
                result = Equality::Undecided;
            } else {
                return Equality::Different;
            }
        }
        result
    }

    fn distinct<'v>(&mut self, values: &'v [MathValue]) -> Vec<&'v MathValue> {
        let mut kept: Vec<&MathValue> = Vec::new();
        for value in values {
            if !kept.iter().any(|other| self.values(other, value) == Equality::Equal) {
                kept.push(value);
            }
        }
        kept
    }

    fn matrices(&mut self, gold: &[Vec<MathExpression>], answer: &[Vec<MathExpression>]) -> Equality {
        let same_shape =
            gold.len() == answer.len() && gold.iter().zip(answer).all(|(gold, answer)| gold.len() == answer.len());
        let cells = gold.iter().flatten().zip(answer.iter().flatten());
        cells.fold(Equality::of(same_shape), |all, (gold, answer)| all.and(|| self.expressions(gold, answer)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::reader::read;
    use super::*;

    fn compared(gold: &str, answer: &str) -> Equality {
        compare(&read(gold).unwrap(), &read(answer).unwrap(), Tolerance::FiveDecimals)
    }

    #[test]
    fn equal_formulas_are_equal_exactly() {
        for (gold, answer) in [
            (r"\frac{1}{2}", "0.5"),
            (r"3\sqrt{8}", r"\sqrt{72}"),
            (r"\frac{1}{\sqrt{2}+1}", r"\sqrt{2}-1"),
            (r"2^{100}", "1267650600228229401496703205376"),
            (r"(x+y)^3", "x^3+3x^2y+3xy^2+y^3"),
            (r"\frac{x^2-1}{x-1}", "x+1"),
            (r"e^{i\pi}+1", "0"),
            (r"\sin\frac{\pi}{6}", r"\frac12"),
            (r"\log_2 8", "3"),
            (r"\{1,2,3\}", "3,1,2"),
            (r"x^2 \ge 4", r"4 \le x^2"),
            (r"(1,2)\cup[3,\infty)", r"[3,\infty)\cup(1,2)"),
            (r"x = 3\pm 1", "2, 4"),
            (r"50\%", r"\frac12"),
            (r"10!", "3628800"),
            ("4 : 1", "4"),
            (r"\log 100", "2"),
        ] {
            assert_eq!(compared(gold, answer), Equality::Equal, "{gold} and {answer}");
        }
    }

    #[test]
    fn formulas_that_differ_by_little_are_different() {
        for (gold, answer) in [
            ("2^{100}", "2^{100}+1"),
            (r"\sqrt{1000000000000001}", r"\sqrt{1000000000000000}"),
            (r"\sqrt{2}", "1.414213562373095"),
            (r"\pi", r"\frac{355}{113}"),
            ("x^2", "x^2+x"),
            ("(1,2]", "[1,2]"),
            ("(1,2)", "(2,1)"),
            (r"\infty", "5"),
            (r"-\infty", r"\infty"),
        ] {
            assert_eq!(compared(gold, answer), Equality::Different, "{gold} and {answer}");
        }
    }

    #[test]
    fn a_set_that_is_given_by_a_condition_is_not_read() {
        assert_eq!(read(r"\{x : x > 0\}"), None);
    }

    #[test]
    fn what_cannot_be_decided_is_undecided() {
        for (gold, answer) in [("f(x)+1", "f(x)+x"), (r"\sqrt{10^{40}+1}", r"10^{20}"), (r"(10^{12})!", "1")] {
            assert_eq!(compared(gold, answer), Equality::Undecided, "{gold} and {answer}");
        }
    }
}
