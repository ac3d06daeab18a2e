//! How far two numbers lie apart, and between which bounds: from two intervals (Zou and Donner 2008, "MOVER"; for shares
//! Newcombe 1998), or from the numbers of several runs on either side (Welch 1947).

use aiperf_stats::distribution::student_t_quantile;

use crate::side::known::Known;
use crate::verdict::bounds::Bounds;

/// What a change is a share of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The baseline's value.
    Relative,
    /// Hundred percentage points: of numbers that are percentages themselves.
    Points,
}

/// From the baseline to the candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    pub scale: Scale,
    /// In the unit of the metric.
    pub absolute: f64,
    /// As a share, in `scale`; so are its bounds, which are infinite if the data sets none.
    pub share: f64,
    pub low: f64,
    pub high: f64,
}

/// Where differences are normal enough to be added: ratios become differences of logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Working {
    Log,
    /// A difference of this much is the whole share.
    Linear(f64),
}

/// A change and how it would shrink with more samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MeasuredChange {
    pub(crate) change: Change,
    pub(crate) working: Working,
    pub(crate) spread: ChangeSpread,
}

/// What the bounds of a change are made from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ChangeSpread {
    /// What is known of the baseline and of the candidate.
    Sides(Known, Known),
    /// Variance of one run on each side, on the working scale.
    Runs(f64),
    Unknown,
}

/// How far the bounds of a difference lie from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reach {
    pub(crate) below: f64,
    pub(crate) above: f64,
}

impl Working {
    fn of(a: f64, b: f64, scale: Scale) -> Option<Self> {
        match scale {
            Scale::Points => Some(Self::Linear(100.0)),
            Scale::Relative if a > 0.0 && b > 0.0 => Some(Self::Log),
            // There is no change relative to zero.
            Scale::Relative => (a != 0.0).then_some(Self::Linear(a.abs())),
        }
    }

    fn place(self, value: f64) -> f64 {
        match self {
            // A bound below zero does not bound anything on this scale.
            Self::Log if value <= 0.0 => f64::NEG_INFINITY,
            Self::Log => value.ln(),
            Self::Linear(unit) => value / unit,
        }
    }

    fn share(self, difference: f64) -> f64 {
        match self {
            Self::Log => difference.exp_m1(),
            Self::Linear(_) => difference,
        }
    }

    /// Each side contributes the distance to the bound that makes the difference smaller, or larger. `.1`: what its squared
    /// distances are multiplied by.
    pub(crate) fn reach(self, a: (&Known, f64), b: (&Known, f64)) -> Reach {
        let at = |value: f64| self.place(value);
        let distances = |(known, factor): (&Known, f64)| {
            let root = factor.sqrt();
            (root * (at(known.value) - at(known.low)), root * (at(known.high) - at(known.value)))
        };
        let ((below_a, above_a), (below_b, above_b)) = (distances(a), distances(b));
        Reach { below: below_b.hypot(above_a), above: above_b.hypot(below_a) }
    }

    /// A share as a difference on this scale; of a rise, which is the shorter way.
    pub(crate) fn difference(self, share: f64) -> f64 {
        match self {
            Self::Log => share.ln_1p(),
            Self::Linear(_) => share,
        }
    }
}

/// `None` if no share can be given.
pub(crate) fn between(a: &Known, b: &Known, scale: Scale) -> Option<MeasuredChange> {
    let working = Working::of(a.value, b.value, scale)?;
    let difference = working.place(b.value) - working.place(a.value);
    let reach = working.reach((a, 1.0), (b, 1.0));
    let change = Change {
        scale,
        absolute: b.value - a.value,
        share: working.share(difference),
        low: working.share(difference - reach.below),
        high: working.share(difference + reach.above),
    };
    Some(MeasuredChange { change, working, spread: ChangeSpread::Sides(*a, *b) })
}

/// Each value is the number of one run. With one run on one side its spread is taken to be that of the other side.
/// `None` if no share can be given.
pub(crate) fn between_runs(a: &[f64], b: &[f64], scale: Scale, bounds: &Bounds) -> Option<MeasuredChange> {
    let average = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let positive = a.iter().chain(b).all(|value| *value > 0.0);
    let (mean_a, mean_b) = (average(a), average(b));
    let working = match Working::of(mean_a, mean_b, scale)? {
        Working::Log if !positive => Working::Linear(mean_a.abs()),
        working => working,
    };
    let place = |values: &[f64]| values.iter().map(|value| working.place(*value)).collect::<Vec<_>>();
    let (placed_a, placed_b) = (place(a), place(b));
    let spread = |placed: &[f64]| {
        let mean = average(placed);
        let squares: f64 = placed.iter().map(|value| (value - mean).powi(2)).sum();
        (placed.len() > 1).then(|| squares / (placed.len() - 1) as f64)
    };
    let (spread_a, spread_b) = (spread(&placed_a), spread(&placed_b));
    let (n_a, n_b) = (a.len() as f64, b.len() as f64);
    let difference = average(&placed_b) - average(&placed_a);
    let (error, freedom) = match (spread_a, spread_b) {
        (Some(of_a), Some(of_b)) => {
            let (part_a, part_b) = (of_a / n_a, of_b / n_b);
            let parts = part_a * part_a / (n_a - 1.0) + part_b * part_b / (n_b - 1.0);
            let freedom = if parts > 0.0 { (part_a + part_b).powi(2) / parts } else { n_a + n_b - 2.0 };
            ((part_a + part_b).sqrt(), freedom)
        }
        (Some(of), None) => ((of / n_a + of / n_b).sqrt(), n_a - 1.0),
        (None, Some(of)) => ((of / n_a + of / n_b).sqrt(), n_b - 1.0),
        (None, None) => (f64::INFINITY, 1.0),
    };
    let reach = |level: aiperf_stats::Level| student_t_quantile(1.0 - level.tail(), freedom) * error;
    let spread = match (spread_a, spread_b) {
        (Some(of_a), Some(of_b)) => ChangeSpread::Runs(of_a + of_b),
        (Some(of), None) | (None, Some(of)) => ChangeSpread::Runs(2.0 * of),
        (None, None) => ChangeSpread::Unknown,
    };
    let change = Change {
        scale,
        absolute: mean_b - mean_a,
        share: working.share(difference),
        low: working.share(difference - reach(bounds.low)),
        high: working.share(difference + reach(bounds.high)),
    };
    Some(MeasuredChange { change, working, spread })
}

#[cfg(test)]
mod tests {
    use aiperf_stats::Level;

    use super::*;
    use crate::side::known::Growth;

    fn known(value: f64, low: f64, high: f64) -> Known {
        Known { value, low, high, requests: Some(100), floor: None, growth: Growth::Root { end_share: 0.0 } }
    }

    #[test]
    fn distances_to_the_bounds_add_like_the_sides_of_a_right_angle() {
        let measured = between(&known(50.0, 45.0, 56.0), &known(60.0, 57.0, 64.0), Scale::Points).unwrap();
        let Change { share, low, high, absolute, .. } = measured.change;
        assert!((absolute - 10.0).abs() < 1e-12 && (share - 0.10).abs() < 1e-12);
        assert!((low - (10.0 - 3.0_f64.hypot(6.0)) / 100.0).abs() < 1e-12, "{low}");
        assert!((high - (10.0 + 4.0_f64.hypot(5.0)) / 100.0).abs() < 1e-12, "{high}");
    }

    #[test]
    fn shares_are_those_of_newcombes_table() {
        // Newcombe 1998, table II, 56/70 against 48/80 (method 10): 0.0524 to 0.3339. The intervals are Wilson's.
        let (a, b) = (known(60.0, 49.04, 70.03), known(80.0, 69.18, 87.69));
        let change = between(&a, &b, Scale::Points).unwrap().change;
        assert!((change.low - 0.0524).abs() < 2e-4 && (change.high - 0.3339).abs() < 2e-3, "{change:?}");
    }

    #[test]
    fn ratios_do_not_depend_on_the_unit() {
        let (a, b) = (known(50.0, 48.0, 53.0), known(52.5, 50.0, 55.0));
        let in_ms = between(&a, &b, Scale::Relative).unwrap().change;
        let factor = |k: &Known| known(k.value * 1e6, k.low * 1e6, k.high * 1e6);
        let in_ns = between(&factor(&a), &factor(&b), Scale::Relative).unwrap().change;
        assert!((in_ms.share - 0.05).abs() < 1e-12);
        for (ms, ns) in [(in_ms.share, in_ns.share), (in_ms.low, in_ns.low), (in_ms.high, in_ns.high)] {
            assert!((ms - ns).abs() < 1e-9);
        }
        // The other way round it is the inverse.
        let back = between(&b, &a, Scale::Relative).unwrap().change;
        assert!(((1.0 + back.low) * (1.0 + in_ms.high) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_side_without_bounds_leaves_the_change_without_them() {
        let change =
            between(&known(50.0, f64::NEG_INFINITY, f64::INFINITY), &known(60.0, 59.0, 61.0), Scale::Relative).unwrap();
        assert!(change.change.high.is_infinite());
        assert!((change.change.low + 1.0).abs() < 1e-12, "a ratio is never below nothing");
        assert!(between(&known(0.0, 0.0, 0.0), &known(1.0, 1.0, 1.0), Scale::Relative).is_none());
    }

    #[test]
    fn runs_are_compared_as_welch_says() {
        let (a, b) = ([27.5, 21.0, 19.0, 23.6, 17.0, 17.9], [27.1, 22.0, 20.8, 23.4, 23.4, 23.5]);
        let measured = between_runs(&a, &b, Scale::Points, &Bounds::both(Level::P95)).unwrap();
        let change = measured.change;
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        assert!((change.absolute - (mean(&b) - mean(&a))).abs() < 1e-12);
        let half = (change.high - change.low) / 2.0;
        let var = |v: &[f64]| v.iter().map(|x| (x - mean(v)).powi(2)).sum::<f64>() / 5.0;
        let (p, q) = (var(&a) / 6.0, var(&b) / 6.0);
        let freedom = (p + q).powi(2) / (p * p / 5.0 + q * q / 5.0);
        let wanted = student_t_quantile(0.975, freedom) * (p + q).sqrt() / 100.0;
        assert!((half - wanted).abs() < 1e-9, "{half} {wanted}");
    }

    #[test]
    fn one_run_borrows_the_spread_of_the_others() {
        let measured =
            between_runs(&[100.0, 102.0, 98.0], &[100.0], Scale::Relative, &Bounds::both(Level::P95)).unwrap();
        assert!(measured.change.low < -0.05 && measured.change.high > 0.05 && measured.change.high.is_finite());
        let alone = between_runs(&[100.0], &[100.0], Scale::Relative, &Bounds::both(Level::P95)).unwrap();
        assert!(alone.change.high.is_infinite() && alone.spread == ChangeSpread::Unknown);
    }
}
