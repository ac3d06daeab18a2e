//! Points of a search space, and their places in the unit cube in which models work.

use aiperf_config::SearchDimension;
use serde_json::{Map, Value};

/// One value for each dimension, in the order of the dimensions.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchPoint(pub Vec<f64>);

impl SearchPoint {
    /// The value of a search with one dimension.
    pub(crate) fn only(&self) -> f64 {
        self.0.first().copied().unwrap_or(f64::NAN)
    }

    /// Values by their path in a configuration file.
    pub fn values(&self, space: &[SearchDimension]) -> Map<String, Value> {
        let value = |(dimension, value): (&SearchDimension, &f64)| (dimension.path.clone(), dimension.json(*value));
        space.iter().zip(&self.0).map(value).collect()
    }

    /// The point that has these values; `None` if one is missing.
    pub fn from_values(space: &[SearchDimension], values: &Map<String, Value>) -> Option<Self> {
        let value = |dimension: &SearchDimension| values.get(&dimension.path).and_then(Value::as_f64);
        space.iter().map(value).collect::<Option<Vec<_>>>().map(Self)
    }
}

/// The value of a dimension at a place between 0 and 1. Whole numbers have equal shares of the interval.
fn value_at(dimension: &SearchDimension, place: f64) -> f64 {
    let (lo, hi) = edges(dimension);
    let place = place.clamp(0.0, 1.0);
    let value = if dimension.is_log { (lo.ln() + place * (hi.ln() - lo.ln())).exp() } else { lo + place * (hi - lo) };
    let value = if dimension.is_whole { value.round() } else { value };
    value.clamp(dimension.lo, dimension.hi)
}

/// The place of a value between 0 and 1.
fn place_of(dimension: &SearchDimension, value: f64) -> f64 {
    let (lo, hi) = edges(dimension);
    let place = if dimension.is_log { (value / lo).ln() / (hi / lo).ln() } else { (value - lo) / (hi - lo) };
    place.clamp(0.0, 1.0)
}

/// Whole numbers begin half a step below the first and end half a step above the last.
fn edges(dimension: &SearchDimension) -> (f64, f64) {
    let half = if dimension.is_whole { 0.5 } else { 0.0 };
    // A logarithmic scale has no zero.
    let lo = if dimension.is_log { (dimension.lo - half).max(dimension.lo / 2.0) } else { dimension.lo - half };
    (lo, dimension.hi + half)
}

/// The point at a place of the unit cube.
pub(crate) fn point_at(space: &[SearchDimension], place: &[f64]) -> SearchPoint {
    SearchPoint(space.iter().zip(place).map(|(dimension, place)| value_at(dimension, *place)).collect())
}

/// The place of a point in the unit cube.
pub(crate) fn place(space: &[SearchDimension], point: &SearchPoint) -> Vec<f64> {
    space.iter().zip(&point.0).map(|(dimension, value)| place_of(dimension, *value)).collect()
}

/// Points that the space has, if it is finite.
pub(crate) fn size(space: &[SearchDimension]) -> Option<f64> {
    space.iter().map(|dimension| dimension.is_whole.then_some(dimension.hi - dimension.lo + 1.0)).product()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_place_of_a_point_leads_back_to_it(lo in 1_i32..50, width in 1_i32..1000, at in 0.0..1.0_f64, whole: bool, log: bool) {
            let dimension = SearchDimension {
                path: "phases.profiling.concurrency".to_owned(),
                lo: f64::from(lo),
                hi: f64::from(lo + width),
                is_whole: whole,
                is_log: log,
            };
            let space = [dimension];
            let point = point_at(&space, &[at]);
            prop_assert!(point.only() >= space[0].lo && point.only() <= space[0].hi);
            let again = point_at(&space, &place(&space, &point));
            prop_assert!((again.only() - point.only()).abs() <= 1e-9 * point.only());
        }
    }
}
