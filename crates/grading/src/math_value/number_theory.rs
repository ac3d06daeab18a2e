//! Roots of integers by their prime factors, with a bound on the trial division.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

use super::budget::Budget;

/// Trial divisors are below this. A factor that is left over is taken for one base, which is exact but may miss an equality; the
/// numeric comparison then decides.
const LARGEST_DIVISOR: u32 = 5_000;

/// The factors of a positive integer with their exponents.
pub(crate) fn factors(value: &BigInt, budget: &mut Budget) -> Option<Vec<(BigInt, i64)>> {
    let mut rest = value.clone();
    let mut found = Vec::new();
    let mut divisor = 2_u32;
    while divisor < LARGEST_DIVISOR && !rest.is_one() {
        if BigInt::from(divisor) * divisor > rest {
            break;
        }
        let mut exponent = 0;
        while (&rest % divisor).is_zero() {
            rest /= divisor;
            exponent += 1;
            budget.spend(1)?;
        }
        if exponent > 0 {
            found.push((BigInt::from(divisor), exponent));
        }
        divisor += if divisor == 2 { 1 } else { 2 };
    }
    budget.spend(200)?;
    if !rest.is_one() {
        let (base, exponent) = perfect_power(&rest);
        found.push((base, exponent));
    }
    Some(found)
}

fn perfect_power(value: &BigInt) -> (BigInt, i64) {
    for exponent in [2_u32, 3, 5] {
        let root = value.nth_root(exponent);
        if root.pow(exponent) == *value && !root.is_one() {
            return (root, i64::from(exponent));
        }
    }
    (value.clone(), 1)
}

/// `n!` for `n` up to 300.
pub(crate) fn factorial(n: u32) -> Option<BigInt> {
    (n <= 300).then(|| (1..=n).fold(BigInt::one(), |product, factor| product * factor))
}

/// The number of ways to choose `k` of `n`, for `n` up to 1,000.
pub(crate) fn binomial(n: u32, k: u32) -> Option<BigInt> {
    (n <= 1_000).then(|| {
        if k > n {
            return BigInt::zero();
        }
        (0..k.min(n - k)).fold(BigInt::one(), |product, i| (product * (n - i)).div_floor(&BigInt::from(i + 1)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_primes_below_the_bound_and_perfect_powers_above() {
        let of = |value: i64| factors(&BigInt::from(value), &mut Budget::of_one_comparison()).unwrap();
        assert_eq!(of(72), vec![(2.into(), 3), (3.into(), 2)]);
        assert_eq!(of(1), vec![]);
        assert_eq!(of(10_007 * 10_007), vec![(10_007.into(), 2)]);
    }

    #[test]
    fn binomials_and_factorials_are_exact_and_bounded() {
        assert_eq!(binomial(52, 5), Some(2_598_960.into()));
        assert_eq!(factorial(20), Some(2_432_902_008_176_640_000_i64.into()));
        assert!(factorial(301).is_none() && binomial(2_000, 3).is_none());
    }
}
