//! The normal form of an expression: a quotient of two polynomials.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive};

use super::budget::Budget;
use super::expression::{Constant, MathExpression, MathFunction};
use super::number_theory::{binomial, factorial, factors};
use super::polynomial::{Atom, Polynomial};
use super::rational::Rational;

/// A quotient of polynomials.
#[derive(Clone, Debug)]
pub(crate) struct NormalForm {
    above: Polynomial,
    below: Polynomial,
}

/// Bytes of the text of a part without a normal form, at most.
const MAX_OPAQUE: usize = 2_000;

/// Integer exponents of sums that are expanded, at most.
const MAX_EXPANDED_EXPONENT: i64 = 40;

/// The normal form; `None` if the expression has no value (division by zero) or is too large.
pub(crate) fn normal_form(expression: &MathExpression, budget: &mut Budget) -> Option<NormalForm> {
    budget.spend(1)?;
    match expression {
        MathExpression::Number { value, .. } => Some(NormalForm::number(value.clone())),
        MathExpression::Constant(constant) => Some(NormalForm::atom(Atom::Constant(*constant))),
        MathExpression::Symbol(name) => Some(NormalForm::atom(Atom::Symbol(name.clone()))),
        MathExpression::Sum(terms) => terms.iter().try_fold(NormalForm::number(Rational::zero()), |sum, term| {
            let term = normal_form(term, budget)?;
            sum.plus(&term, budget)
        }),
        MathExpression::Product(terms) => {
            terms.iter().try_fold(NormalForm::number(Rational::one()), |product, factor| {
                let factor = normal_form(factor, budget)?;
                product.times(&factor, budget)
            })
        }
        MathExpression::Quotient(above, below) => {
            let (above, below) = (normal_form(above, budget)?, normal_form(below, budget)?);
            above.times(&below.reciprocal()?, budget)
        }
        MathExpression::Percent(inner) => {
            let hundredth = Rational::new(1.into(), 100.into())?;
            normal_form(inner, budget)?.times(&NormalForm::number(hundredth), budget)
        }
        MathExpression::Power(base, exponent) => {
            let (base, exponent) = (normal_form(base, budget)?, normal_form(exponent, budget)?);
            power(&base, &exponent, budget)
        }
        MathExpression::Call(function, arguments) => {
            let arguments: Option<Vec<NormalForm>> =
                arguments.iter().map(|argument| normal_form(argument, budget)).collect();
            call(*function, &arguments?, budget)
        }
        MathExpression::NamedCall(name, arguments) => {
            let arguments: Option<Vec<NormalForm>> =
                arguments.iter().map(|argument| normal_form(argument, budget)).collect();
            NormalForm::opaque(name, &arguments?, budget)
        }
    }
}

impl NormalForm {
    fn number(value: Rational) -> Self {
        Self { above: Polynomial::number(value), below: Polynomial::number(Rational::one()) }
    }

    fn atom(atom: Atom) -> Self {
        Self { above: Polynomial::atom(atom), below: Polynomial::number(Rational::one()) }
    }

    fn opaque(name: &str, arguments: &[Self], budget: &mut Budget) -> Option<Self> {
        let arguments: Vec<String> =
            arguments.iter().map(|argument| format!("({})/({})", argument.above, argument.below)).collect();
        let text = format!("{name}({})", arguments.join("; "));
        budget.spend(text.len() / 16)?;
        (text.len() <= MAX_OPAQUE).then(|| Self::atom(Atom::Opaque(text)))
    }

    /// A denominator of one term moves into the numerator.
    fn reduced(above: Polynomial, below: Polynomial, budget: &mut Budget) -> Option<Self> {
        match below.reciprocal() {
            Some(reciprocal) => {
                Some(Self { above: above.times(&reciprocal, budget)?, below: Polynomial::number(Rational::one()) })
            }
            None => (!below.is_zero()).then_some(Self { above, below }),
        }
    }

    fn plus(&self, other: &Self, budget: &mut Budget) -> Option<Self> {
        if self.below == other.below {
            return Some(Self { above: self.above.plus(&other.above, budget)?, below: self.below.clone() });
        }
        let left = self.above.times(&other.below, budget)?;
        let right = other.above.times(&self.below, budget)?;
        let below = self.below.times(&other.below, budget)?;
        Self::reduced(left.plus(&right, budget)?, below, budget)
    }

    fn times(&self, other: &Self, budget: &mut Budget) -> Option<Self> {
        let above = self.above.times(&other.above, budget)?;
        Self::reduced(above, self.below.times(&other.below, budget)?, budget)
    }

    fn reciprocal(&self) -> Option<Self> {
        (!self.above.is_zero()).then(|| Self { above: self.below.clone(), below: self.above.clone() })
    }

    /// The difference of two values over a common denominator: zero exactly if they are the same formula.
    pub(crate) fn difference(&self, other: &Self, budget: &mut Budget) -> Option<Polynomial> {
        let left = self.above.times(&other.below, budget)?;
        let right = other.above.times(&self.below, budget)?;
        left.plus(&right.negated(), budget)
    }

    /// The value, if it is a rational number.
    pub(crate) fn as_number(&self) -> Option<Rational> {
        self.above.as_number()?.divided_by(&self.below.as_number()?)
    }
}

fn power(base: &NormalForm, exponent: &NormalForm, budget: &mut Budget) -> Option<NormalForm> {
    let whole = Polynomial::number(Rational::one());
    if let Some(exponent) = exponent.as_number() {
        if let Some(value) = base.as_number() {
            return number_to_the(&value, &exponent, budget);
        }
        if base.below == whole && base.above.single_term().is_some() {
            let one_atom = base
                .above
                .single_term()
                .is_some_and(|(monomial, _)| monomial.len() == 1 && monomial.values().all(Rational::is_one));
            if let (true, Some(above)) = (exponent.is_integer() || one_atom, base.above.single_term_to_the(&exponent)) {
                return Some(NormalForm { above, below: whole });
            }
        }
        if let Some(times) = exponent.to_i64().filter(|times| times.abs() <= MAX_EXPANDED_EXPONENT) {
            let base = if times < 0 { base.reciprocal()? } else { base.clone() };
            return (0..times.abs())
                .try_fold(NormalForm::number(Rational::one()), |product, _| product.times(&base, budget));
        }
    }
    NormalForm::opaque("power", &[base.clone(), exponent.clone()], budget)
}

/// A rational number to a rational power, as a product of roots of primes.
fn number_to_the(value: &Rational, exponent: &Rational, budget: &mut Budget) -> Option<NormalForm> {
    if let Some(exponent) = exponent.to_i64() {
        return Some(NormalForm::number(value.power(exponent)?));
    }
    if value.is_zero() {
        return (!exponent.is_negative()).then(|| NormalForm::number(Rational::zero()));
    }
    let half = Rational::new(1.into(), 2.into())?;
    let mut product = Polynomial::number(Rational::one());
    if value.is_negative() {
        if *exponent != half {
            return NormalForm::opaque(
                "power",
                &[NormalForm::number(value.clone()), NormalForm::number(exponent.clone())],
                budget,
            );
        }
        product = Polynomial::atom(Atom::Constant(Constant::ImaginaryUnit));
    }
    let sides: [(BigInt, i64); 2] = [(value.numerator().abs(), 1), (value.denominator().clone(), -1)];
    for (part, sign) in sides {
        for (prime, times) in factors(&part, budget)? {
            let exponent = exponent.times(&Rational::integer(times * sign))?;
            let root = Polynomial::atom(Atom::RootOf(prime)).single_term_to_the(&exponent)?;
            product = product.times(&root, budget)?;
        }
    }
    Some(NormalForm { above: product, below: Polynomial::number(Rational::one()) })
}

fn call(function: MathFunction, arguments: &[NormalForm], budget: &mut Budget) -> Option<NormalForm> {
    let numbers: Option<Vec<Rational>> = arguments.iter().map(NormalForm::as_number).collect();
    if let Some(value) = numbers.and_then(|numbers| exact_call(function, &numbers)) {
        return Some(NormalForm::number(value));
    }
    NormalForm::opaque(&format!("{function:?}"), arguments, budget)
}

/// The exact value of a function of rational numbers, if it is rational for all of them.
fn exact_call(function: MathFunction, numbers: &[Rational]) -> Option<Rational> {
    let first = numbers.first()?;
    let integer = |value: BigInt| Rational::new(value, 1.into());
    let small = |value: &Rational| value.to_i64().and_then(|value| u32::try_from(value).ok());
    match function {
        MathFunction::Absolute => Some(if first.is_negative() { first.negated() } else { first.clone() }),
        MathFunction::Floor => Some(first.floor()),
        MathFunction::Ceiling => Some(first.negated().floor().negated()),
        MathFunction::Factorial => integer(factorial(small(first)?)?),
        MathFunction::Binomial => integer(binomial(small(first)?, small(numbers.get(1)?)?)?),
        MathFunction::Minimum => numbers.iter().min().cloned(),
        MathFunction::Maximum => numbers.iter().max().cloned(),
        MathFunction::Gcd | MathFunction::Lcm => {
            if !numbers.iter().all(Rational::is_integer) {
                return None;
            }
            let combine = |a: BigInt, b: &Rational| {
                if function == MathFunction::Gcd { a.gcd(b.numerator()) } else { a.lcm(b.numerator()) }
            };
            integer(numbers[1..].iter().fold(first.numerator().abs(), combine))
        }
        MathFunction::Ln => first.is_one().then(Rational::zero),
        MathFunction::Sin | MathFunction::Tan | MathFunction::Arcsin | MathFunction::Arctan => {
            first.is_zero().then(Rational::zero)
        }
        MathFunction::Cos | MathFunction::Cosh => first.is_zero().then(Rational::one),
        _ => None,
    }
}

/// Whether a difference consists of roots of integers and of the imaginary unit.
pub(crate) fn has_only_roots(difference: &Polynomial) -> bool {
    difference.atoms().all(|atom| matches!(atom, Atom::RootOf(_) | Atom::Constant(Constant::ImaginaryUnit)))
}

/// Whether the bases of all roots are primes. Such roots are independent of each other over the rational numbers, so that a
/// difference of them that is not zero as a formula is not zero as a number.
pub(crate) fn has_only_primes(difference: &Polynomial) -> bool {
    // Trial division goes to 5,000, so that what is left below its square is a prime.
    let prime = |base: &BigInt| base.to_u64().is_some_and(|base| base < 25_000_000);
    difference.atoms().all(|atom| if let Atom::RootOf(base) = atom { prime(base) } else { true })
}
