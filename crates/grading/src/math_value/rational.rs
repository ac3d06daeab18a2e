//! Exact fractions of bounded size. An operation whose result is too large returns `None`.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Bits of a numerator or denominator, at most: about 2,400 digits.
const MAX_BITS: u64 = 8_000;

/// A fraction in lowest terms with a positive denominator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rational {
    numerator: BigInt,
    denominator: BigInt,
}

impl Rational {
    pub(crate) fn new(numerator: BigInt, denominator: BigInt) -> Option<Self> {
        if denominator.is_zero() || numerator.bits() > MAX_BITS || denominator.bits() > MAX_BITS {
            return None;
        }
        let divisor = numerator.gcd(&denominator);
        let sign = if denominator.is_negative() { -1 } else { 1 };
        Some(Self { numerator: numerator / &divisor * sign, denominator: denominator / divisor * sign })
    }

    pub(crate) fn integer(value: i64) -> Self {
        Self { numerator: value.into(), denominator: BigInt::one() }
    }

    pub(crate) fn zero() -> Self {
        Self::integer(0)
    }

    pub(crate) fn one() -> Self {
        Self::integer(1)
    }

    /// Digits with at most one point. Longer than 2,000 characters: `None`.
    pub(crate) fn from_decimal(text: &str) -> Option<Self> {
        if text.len() > 2_000 {
            return None;
        }
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = format!("{whole}{part}");
        let numerator = digits.parse::<BigInt>().ok()?;
        Self::new(numerator, BigInt::from(10).pow(u32::try_from(part.len()).ok()?))
    }

    pub(crate) fn numerator(&self) -> &BigInt {
        &self.numerator
    }

    pub(crate) fn denominator(&self) -> &BigInt {
        &self.denominator
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    pub(crate) fn is_one(&self) -> bool {
        self.numerator.is_one() && self.denominator.is_one()
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.numerator.is_negative()
    }

    pub(crate) fn is_integer(&self) -> bool {
        self.denominator.is_one()
    }

    /// The value as a machine integer, if it is one.
    pub(crate) fn to_i64(&self) -> Option<i64> {
        if self.is_integer() { self.numerator.to_i64() } else { None }
    }

    /// The nearest floating-point number, also of fractions whose parts are too large for one.
    pub(crate) fn to_f64(&self) -> f64 {
        let excess = self.numerator.bits().max(self.denominator.bits()).saturating_sub(1_000);
        let shifted = |part: &BigInt| (part >> excess).to_f64().unwrap_or(f64::NAN);
        let (numerator, denominator) = (shifted(&self.numerator), shifted(&self.denominator));
        if denominator == 0.0 { f64::NAN } else { numerator / denominator }
    }

    pub(crate) fn negated(&self) -> Self {
        Self { numerator: -&self.numerator, denominator: self.denominator.clone() }
    }

    pub(crate) fn plus(&self, other: &Self) -> Option<Self> {
        let numerator = &self.numerator * &other.denominator + &other.numerator * &self.denominator;
        Self::new(numerator, &self.denominator * &other.denominator)
    }

    pub(crate) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.negated())
    }

    pub(crate) fn times(&self, other: &Self) -> Option<Self> {
        Self::new(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }

    pub(crate) fn divided_by(&self, other: &Self) -> Option<Self> {
        Self::new(&self.numerator * &other.denominator, &self.denominator * &other.numerator)
    }

    /// The value to an integer power, if the result is not too large.
    pub(crate) fn power(&self, exponent: i64) -> Option<Self> {
        let size = self.numerator.bits().max(self.denominator.bits());
        let times = u32::try_from(exponent.unsigned_abs()).ok()?;
        let trivial = size <= 1;
        if !trivial && size.saturating_sub(1).checked_mul(u64::from(times))? > MAX_BITS {
            return None;
        }
        let (numerator, denominator) = if trivial {
            let sign = if self.is_negative() && times % 2 == 1 { -1 } else { 1 };
            let zero = self.is_zero() && times > 0;
            (BigInt::from(if zero { 0 } else { sign }), BigInt::one())
        } else {
            (self.numerator.pow(times), self.denominator.pow(times))
        };
        if exponent < 0 { Self::new(denominator, numerator) } else { Self::new(numerator, denominator) }
    }

    /// The largest integer that is not greater.
    pub(crate) fn floor(&self) -> Self {
        Self { numerator: self.numerator.div_floor(&self.denominator), denominator: BigInt::one() }
    }

    /// The value with `decimals` digits after the point, halves to the even digit.
    pub(crate) fn rounded(&self, decimals: u32) -> Option<Self> {
        let scale = Self::new(BigInt::from(10).pow(decimals), BigInt::one())?;
        let scaled = self.times(&scale)?;
        let floor = scaled.floor();
        let half = Self::new(1.into(), 2.into())?;
        let up = match scaled.minus(&floor)?.cmp(&half) {
            Ordering::Less => false,
            Ordering::Equal => floor.numerator.is_odd(),
            Ordering::Greater => true,
        };
        let whole = if up { floor.plus(&Self::one())? } else { floor };
        whole.divided_by(&scale)
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_integer() {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Rational {
        Rational::from_decimal(text).unwrap()
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(decimal("0.1").plus(&decimal(".2")), Some(decimal("0.3")));
        assert_eq!(decimal("2.50").to_string(), "5/2");
        assert!(Rational::from_decimal("1.2.3").is_none());
    }

    #[test]
    fn halves_round_to_the_even_digit() {
        assert_eq!(decimal("0.125").rounded(2), Some(decimal("0.12")));
        assert_eq!(decimal("0.375").rounded(2), Some(decimal("0.38")));
        assert_eq!(decimal("-0.126").negated().rounded(2), Some(decimal("0.13")));
    }

    #[test]
    fn powers_that_are_too_large_are_refused_at_once() {
        assert!(Rational::integer(10).power(1_000_000_000).is_none());
        assert!(decimal("0.1").power(-1_000_000).is_none());
        assert_eq!(Rational::integer(-1).power(1_000_000_001), Some(Rational::integer(-1)));
        assert_eq!(Rational::integer(2).power(-3).unwrap().to_string(), "1/8");
        assert!(Rational::zero().power(-1).is_none());
    }

    #[test]
    fn large_fractions_have_a_floating_point_value() {
        let large = Rational::integer(3).power(3_000).unwrap();
        let ratio = large.divided_by(&large.times(&Rational::integer(2)).unwrap()).unwrap();
        assert!((ratio.to_f64() - 0.5).abs() < 1e-12);
    }
}
