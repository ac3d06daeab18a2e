//! The value of an expression as a complex floating-point number, for comparisons that the normal form does not decide.

use super::expression::{Constant, MathExpression, MathFunction};

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ComplexNumber {
    pub(crate) real: f64,
    pub(crate) imaginary: f64,
}

impl ComplexNumber {
    const ONE: Self = Self::real(1.0);

    const fn real(real: f64) -> Self {
        Self { real, imaginary: 0.0 }
    }

    pub(crate) fn magnitude(self) -> f64 {
        self.real.hypot(self.imaginary)
    }

    fn plus(self, other: Self) -> Self {
        Self { real: self.real + other.real, imaginary: self.imaginary + other.imaginary }
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self { real: self.real - other.real, imaginary: self.imaginary - other.imaginary }
    }

    fn times(self, other: Self) -> Self {
        // Infinity times a real number has no imaginary part.
        if self.imaginary == 0.0 && other.imaginary == 0.0 {
            return Self::real(self.real * other.real);
        }
        Self {
            real: self.real * other.real - self.imaginary * other.imaginary,
            imaginary: self.real * other.imaginary + self.imaginary * other.real,
        }
    }

    fn divided_by(self, other: Self) -> Option<Self> {
        if self.imaginary == 0.0 && other.imaginary == 0.0 {
            return (other.real != 0.0).then(|| Self::real(self.real / other.real));
        }
        let square = other.real * other.real + other.imaginary * other.imaginary;
        let conjugate = Self { real: other.real / square, imaginary: -other.imaginary / square };
        (square != 0.0).then(|| self.times(conjugate))
    }

    fn logarithm(self) -> Option<Self> {
        (self.magnitude() > 0.0)
            .then(|| Self { real: self.magnitude().ln(), imaginary: self.imaginary.atan2(self.real) })
    }

    fn exponential(self) -> Self {
        let length = self.real.exp();
        if self.imaginary == 0.0 {
            return Self::real(length);
        }
        Self { real: length * self.imaginary.cos(), imaginary: length * self.imaginary.sin() }
    }

    fn power(self, exponent: Self) -> Option<Self> {
        if self.imaginary == 0.0 && exponent.imaginary == 0.0 {
            let power = self.real.powf(exponent.real);
            if !power.is_nan() {
                return Some(Self::real(power));
            }
        }
        Some(self.logarithm()?.times(exponent).exponential())
    }
}

/// The value with the symbols replaced by numbers of the point `point`; `None` if there is none.
pub(crate) fn evaluate(expression: &MathExpression, point: usize) -> Option<ComplexNumber> {
    let value = match expression {
        MathExpression::Number { value, .. } => ComplexNumber::real(value.to_f64()),
        MathExpression::Constant(Constant::Pi) => ComplexNumber::real(std::f64::consts::PI),
        MathExpression::Constant(Constant::Euler) => ComplexNumber::real(std::f64::consts::E),
        MathExpression::Constant(Constant::Infinity) => ComplexNumber::real(f64::INFINITY),
        MathExpression::Constant(Constant::ImaginaryUnit) => ComplexNumber { real: 0.0, imaginary: 1.0 },
        MathExpression::Symbol(name) => ComplexNumber::real(at_point(name, point)),
        MathExpression::Sum(terms) => {
            terms.iter().try_fold(ComplexNumber::real(0.0), |sum, term| Some(sum.plus(evaluate(term, point)?)))?
        }
        MathExpression::Product(factors) => factors
            .iter()
            .try_fold(ComplexNumber::ONE, |product, factor| Some(product.times(evaluate(factor, point)?)))?,
        MathExpression::Quotient(above, below) => evaluate(above, point)?.divided_by(evaluate(below, point)?)?,
        MathExpression::Power(base, exponent) => evaluate(base, point)?.power(evaluate(exponent, point)?)?,
        MathExpression::Percent(inner) => evaluate(inner, point)?.times(ComplexNumber::real(0.01)),
        MathExpression::Call(function, arguments) => {
            let values: Option<Vec<ComplexNumber>> =
                arguments.iter().map(|argument| evaluate(argument, point)).collect();
            call(*function, &values?)?
        }
        MathExpression::NamedCall(..) => return None,
    };
    (!value.real.is_nan() && !value.imaginary.is_nan()).then_some(value)
}

/// The number that stands for a symbol. The first two points are positive, and the third is not.
fn at_point(name: &str, point: usize) -> f64 {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let mixed = (hash ^ (point as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let share = (mixed >> 11) as f64 / (1_u64 << 53) as f64;
    let positive = 0.3 + 2.4 * share;
    if point >= 2 { -positive } else { positive }
}

fn call(function: MathFunction, values: &[ComplexNumber]) -> Option<ComplexNumber> {
    let first = *values.first()?;
    if function == MathFunction::Ln {
        return first.logarithm();
    }
    if function == MathFunction::Absolute {
        return Some(ComplexNumber::real(first.magnitude()));
    }
    // The others are for real arguments only.
    if values.iter().any(|value| value.imaginary.abs() > 1e-12) {
        return None;
    }
    let x = first.real;
    let value = match function {
        MathFunction::Sin => x.sin(),
        MathFunction::Cos => x.cos(),
        MathFunction::Tan => x.tan(),
        MathFunction::Cot => 1.0 / x.tan(),
        MathFunction::Sec => 1.0 / x.cos(),
        MathFunction::Csc => 1.0 / x.sin(),
        MathFunction::Arcsin => x.asin(),
        MathFunction::Arccos => x.acos(),
        MathFunction::Arctan => x.atan(),
        MathFunction::Sinh => x.sinh(),
        MathFunction::Cosh => x.cosh(),
        MathFunction::Tanh => x.tanh(),
        MathFunction::Minimum => values.iter().map(|value| value.real).fold(f64::INFINITY, f64::min),
        MathFunction::Maximum => values.iter().map(|value| value.real).fold(f64::NEG_INFINITY, f64::max),
        // A rounding error decides these at a whole number.
        MathFunction::Floor | MathFunction::Ceiling => {
            if (x - x.round()).abs() < 1e-9 {
                return None;
            }
            if function == MathFunction::Floor { x.floor() } else { x.ceil() }
        }
        MathFunction::Factorial
        | MathFunction::Binomial
        | MathFunction::Gcd
        | MathFunction::Lcm
        | MathFunction::Ln
        | MathFunction::Absolute => return None,
    };
    Some(ComplexNumber::real(value))
}
