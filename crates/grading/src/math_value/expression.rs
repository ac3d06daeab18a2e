//! What the reader makes of a text: an expression, or a collection of expressions.

use super::rational::Rational;

/// A number with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Constant {
    Pi,
    Euler,
    ImaginaryUnit,
    Infinity,
}

/// A function of known meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum MathFunction {
    Sin,
    Cos,
    Tan,
    Cot,
    Sec,
    Csc,
    Arcsin,
    Arccos,
    Arctan,
    Sinh,
    Cosh,
    Tanh,
    Ln,
    Absolute,
    Floor,
    Ceiling,
    Factorial,
    Binomial,
    Minimum,
    Maximum,
    Gcd,
    Lcm,
}

/// A number or a formula.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MathExpression {
    Number {
        value: Rational,
        /// Written with a decimal point: compared after rounding.
        decimal: bool,
    },
    Constant(Constant),
    Symbol(String),
    Sum(Vec<MathExpression>),
    Product(Vec<MathExpression>),
    Quotient(Box<MathExpression>, Box<MathExpression>),
    Power(Box<MathExpression>, Box<MathExpression>),
    Call(MathFunction, Vec<MathExpression>),
    /// A function without a known meaning, such as `f(x)`.
    NamedCall(String, Vec<MathExpression>),
    /// Hundredths of the inner value.
    Percent(Box<MathExpression>),
}

/// The sign between the two sides of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RelationSign {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl RelationSign {
    /// The sign that says the same with the sides exchanged.
    pub(crate) fn mirrored(self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::NotEqual => Self::NotEqual,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }
}

/// One end of an interval.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IntervalEnd {
    pub(crate) at: MathExpression,
    pub(crate) open: bool,
}

/// A whole answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MathValue {
    Single(MathExpression),
    /// Words, such as the name of a person.
    Words(String),
    /// In round brackets: the order counts. Two elements are also an open interval.
    Tuple(Vec<MathValue>),
    /// In braces, or a list without brackets. The order does not count.
    Set(Vec<MathValue>),
    Interval(IntervalEnd, IntervalEnd),
    Union(Vec<MathValue>),
    /// `sides[0] signs[0] sides[1] signs[1] ...`
    Relation {
        sides: Vec<MathExpression>,
        signs: Vec<RelationSign>,
    },
    Matrix(Vec<Vec<MathExpression>>),
}

impl MathExpression {
    pub(crate) fn integer(value: i64) -> Self {
        Self::Number { value: Rational::integer(value), decimal: false }
    }

    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Number { value, decimal } => Self::Number { value: value.negated(), decimal },
            other => Self::Product(vec![Self::integer(-1), other]),
        }
    }

    /// The letters of a product of symbols, in the order in which they were written: `\boxed{yes}` is such a product.
    pub(crate) fn letters(&self) -> Option<String> {
        match self {
            Self::Symbol(name) => Some(name.clone()),
            Self::Constant(Constant::Euler) => Some("e".to_owned()),
            Self::Constant(Constant::ImaginaryUnit) => Some("i".to_owned()),
            Self::Product(factors) => factors.iter().map(Self::letters).collect(),
            _ => None,
        }
    }
}

/// Hundredths of a value; `None` of what has no hundredths.
pub(crate) fn percent_of(value: MathValue) -> Option<MathValue> {
    match value {
        MathValue::Single(expression) => Some(MathValue::Single(MathExpression::Percent(Box::new(expression)))),
        _ => None,
    }
}
