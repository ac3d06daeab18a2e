//! Values by rank: the one definition of a percentile that summaries, intervals and trace analyses share.

/// Linear interpolation at rank `q (n - 1)`, counted from 0, of values in order; `None` if there are none.
pub fn linear(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    Some(at_rank(|place| sorted[place.min(last)], q * last as f64))
}

/// The value at a rank counted from 0, between its neighbours if the rank is not a whole number. `value` gives the
/// value at a whole rank, which may be infinite.
pub fn at_rank(value: impl Fn(usize) -> f64, rank: f64) -> f64 {
    let below = rank.floor();
    let share = rank - below;
    let low = value(below as usize);
    if share == 0.0 {
        return low;
    }
    let high = value(below as usize + 1);
    if low.is_infinite() || high.is_infinite() {
        // Between a value and infinity there is only infinity.
        return if low.is_infinite() { low } else { high };
    }
    // From the nearer end, as NumPy does: no result lies beyond its neighbours.
    if share >= 0.5 { high - (high - low) * (1.0 - share) } else { low + (high - low) * share }
}

/// As [`at_rank`], with ranks beyond the values taken for the first or the last.
pub(crate) fn at(sorted: &[f64], rank: f64) -> f64 {
    let last = sorted.len() - 1;
    at_rank(|place| sorted[place.min(last)], rank.clamp(0.0, last as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_between_neighbours() {
        let values = [10.0, 20.0, 30.0, 40.0];
        assert_eq!(linear(&values, 0.5), Some(25.0));
        assert_eq!(linear(&values, 0.25), Some(17.5));
        assert_eq!((linear(&values, 0.0), linear(&values, 1.0)), (Some(10.0), Some(40.0)));
        assert_eq!((linear(&[7.0], 0.99), linear(&[], 0.5)), (Some(7.0), None));
        assert_eq!((at(&values, -3.0), at(&values, 9.0)), (10.0, 40.0));
    }

    #[test]
    fn beyond_the_last_finite_value_all_is_infinite() {
        let values = [1.0, 2.0, f64::INFINITY, f64::INFINITY];
        assert_eq!(linear(&values, 1.0 / 3.0), Some(2.0));
        assert_eq!(linear(&values, 0.4), Some(f64::INFINITY));
        assert_eq!(linear(&values, 0.9), Some(f64::INFINITY));
    }
}
