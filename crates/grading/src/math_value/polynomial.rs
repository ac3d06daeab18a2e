//! Sums of products of symbols, constants and roots with rational exponents, in a normal form: two of them are equal as formulas
//! exactly if their terms are.

use std::collections::BTreeMap;
use std::fmt;

use num_bigint::BigInt;

use super::budget::Budget;
use super::expression::Constant;
use super::rational::Rational;

/// Terms of one polynomial, at most.
const MAX_TERMS: usize = 300;

/// What is multiplied in a term.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Atom {
    /// The root of a positive integer, with an exponent between 0 and 1.
    RootOf(BigInt),
    Constant(Constant),
    Symbol(String),
    /// A part without a normal form of its own, by its text.
    Opaque(String),
}

/// A product of atoms with their exponents.
pub(crate) type Monomial = BTreeMap<Atom, Rational>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Polynomial {
    terms: BTreeMap<Monomial, Rational>,
}

impl Polynomial {
    pub(crate) fn number(value: Rational) -> Self {
        let mut sum = Self::default();
        if !value.is_zero() {
            sum.terms.insert(Monomial::new(), value);
        }
        sum
    }

    pub(crate) fn atom(atom: Atom) -> Self {
        Self { terms: BTreeMap::from([(Monomial::from([(atom, Rational::one())]), Rational::one())]) }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The value, if the polynomial is a number.
    pub(crate) fn as_number(&self) -> Option<Rational> {
        match self.single_term() {
            Some((monomial, value)) => monomial.is_empty().then(|| value.clone()),
            None => self.is_zero().then(Rational::zero),
        }
    }

    pub(crate) fn single_term(&self) -> Option<(&Monomial, &Rational)> {
        if self.terms.len() == 1 { self.terms.first_key_value() } else { None }
    }

    /// The atoms of all terms.
    pub(crate) fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.terms.keys().flat_map(BTreeMap::keys)
    }

    pub(crate) fn plus(&self, other: &Self, budget: &mut Budget) -> Option<Self> {
        budget.spend(self.terms.len() + other.terms.len())?;
        let mut sum = self.clone();
        for (monomial, value) in &other.terms {
            sum.add_term(monomial.clone(), value)?;
        }
        Some(sum)
    }

    pub(crate) fn negated(&self) -> Self {
        Self { terms: self.terms.iter().map(|(monomial, value)| (monomial.clone(), value.negated())).collect() }
    }

    pub(crate) fn times(&self, other: &Self, budget: &mut Budget) -> Option<Self> {
        budget.spend(self.terms.len().checked_mul(other.terms.len())? * 4)?;
        let mut product = Self::default();
        for (left, left_value) in &self.terms {
            for (right, right_value) in &other.terms {
                let (monomial, factor) = multiplied(left, right)?;
                product.add_term(monomial, &left_value.times(right_value)?.times(&factor)?)?;
            }
        }
        Some(product)
    }

    /// One divided by the polynomial, if it has one term.
    pub(crate) fn reciprocal(&self) -> Option<Self> {
        let (monomial, value) = self.single_term()?;
        let inverted = monomial.iter().map(|(atom, exponent)| (atom.clone(), exponent.negated())).collect();
        let (monomial, factor) = multiplied(&inverted, &Monomial::new())?;
        let value = Rational::one().divided_by(value)?.times(&factor)?;
        Some(Self { terms: BTreeMap::from([(monomial, value)]) })
    }

    /// One term with its exponents multiplied, for a base that is one atom or for an integer exponent.
    pub(crate) fn single_term_to_the(&self, exponent: &Rational) -> Option<Self> {
        let (monomial, value) = self.single_term()?;
        let integer = exponent.to_i64();
        let coefficient = match integer {
            Some(exponent) => value.power(exponent)?,
            None if value.is_one() => Rational::one(),
            None => return None,
        };
        let raised: Option<Monomial> =
            monomial.iter().map(|(atom, inner)| Some((atom.clone(), inner.times(exponent)?))).collect();
        let (monomial, factor) = multiplied(&raised?, &Monomial::new())?;
        let mut power = Self::default();
        power.add_term(monomial, &coefficient.times(&factor)?)?;
        Some(power)
    }

    fn add_term(&mut self, monomial: Monomial, value: &Rational) -> Option<()> {
        let sum = match self.terms.get(&monomial) {
            Some(present) => present.plus(value)?,
            None => value.clone(),
        };
        if sum.is_zero() {
            self.terms.remove(&monomial);
        } else {
            self.terms.insert(monomial, sum);
        }
        (self.terms.len() <= MAX_TERMS).then_some(())
    }
}

/// The product of two monomials and the number that comes out of their roots and imaginary units.
fn multiplied(left: &Monomial, right: &Monomial) -> Option<(Monomial, Rational)> {
    let mut product = left.clone();
    for (atom, exponent) in right {
        let sum = match product.get(atom) {
            Some(present) => present.plus(exponent)?,
            None => exponent.clone(),
        };
        product.insert(atom.clone(), sum);
    }
    let mut factor = Rational::one();
    let mut reduced = Monomial::new();
    for (atom, exponent) in product {
        let kept = match &atom {
            Atom::RootOf(base) => {
                let whole = exponent.floor();
                let base = Rational::new(base.clone(), 1.into())?;
                factor = factor.times(&base.power(whole.to_i64()?)?)?;
                exponent.minus(&whole)?
            }
            Atom::Constant(Constant::ImaginaryUnit) if exponent.is_integer() => {
                let quarter_turns = exponent.to_i64()?.rem_euclid(4);
                if quarter_turns >= 2 {
                    factor = factor.negated();
                }
                Rational::integer(quarter_turns % 2)
            }
            _ => exponent,
        };
        if !kept.is_zero() {
            reduced.insert(atom, kept);
        }
    }
    Some((reduced, factor))
}

impl fmt::Display for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (monomial, value)) in self.terms.iter().enumerate() {
            if position > 0 {
                f.write_str(" + ")?;
            }
            write!(f, "{value}")?;
            for (atom, exponent) in monomial {
                match atom {
                    Atom::RootOf(base) => write!(f, "*{base}^({exponent})")?,
                    Atom::Constant(constant) => write!(f, "*{constant:?}^({exponent})")?,
                    Atom::Symbol(name) | Atom::Opaque(name) => write!(f, "*{name}^({exponent})")?,
                }
            }
        }
        if self.terms.is_empty() { f.write_str("0") } else { Ok(()) }
    }
}
