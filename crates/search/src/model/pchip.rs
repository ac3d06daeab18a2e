//! A smooth curve through points that does not overshoot: piecewise cubic Hermite interpolation (Fritsch and Butland, 1984).

/// A curve through points whose places rise.
#[derive(Debug, Clone)]
pub(crate) struct Pchip {
    places: Vec<f64>,
    values: Vec<f64>,
    slopes: Vec<f64>,
}

impl Pchip {
    /// `None` with fewer than two points, or if the places do not rise.
    pub(crate) fn new(places: &[f64], values: &[f64]) -> Option<Self> {
        let rises = places.windows(2).all(|pair| pair[0] < pair[1]);
        if places.len() < 2 || places.len() != values.len() || !rises {
            return None;
        }
        let widths: Vec<f64> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let secants: Vec<f64> =
            values.windows(2).zip(&widths).map(|(pair, width)| (pair[1] - pair[0]) / width).collect();
        let last = places.len() - 1;
        let slope = |index: usize| {
            if index == 0 || index == last {
                return end_slope(&widths, &secants, index == last);
            }
            let (before, after) = (secants[index - 1], secants[index]);
            if before * after <= 0.0 {
                return 0.0;
            }
            let (first, second) = (2.0 * widths[index] + widths[index - 1], widths[index] + 2.0 * widths[index - 1]);
            (first + second) / (first / before + second / after)
        };
        Some(Self { places: places.to_vec(), values: values.to_vec(), slopes: (0..places.len()).map(slope).collect() })
    }

    pub(crate) fn at(&self, place: f64) -> f64 {
        let piece = self.places.partition_point(|known| *known <= place).clamp(1, self.places.len() - 1) - 1;
        let width = self.places[piece + 1] - self.places[piece];
        let t = ((place - self.places[piece]) / width).clamp(0.0, 1.0);
        let (t2, t3) = (t * t, t * t * t);
        (2.0 * t3 - 3.0 * t2 + 1.0) * self.values[piece]
            + (t3 - 2.0 * t2 + t) * width * self.slopes[piece]
            + (3.0 * t2 - 2.0 * t3) * self.values[piece + 1]
            + (t3 - t2) * width * self.slopes[piece + 1]
    }

    /// Where a rising curve crosses zero between two places; `None` if it does not.
    pub(crate) fn root(&self, mut low: f64, mut high: f64) -> Option<f64> {
        if self.at(low) > 0.0 || self.at(high) <= 0.0 {
            return None;
        }
        for _ in 0..100 {
            let middle = f64::midpoint(low, high);
            if self.at(middle) <= 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(low)
    }
}

/// A one-sided difference of three points that keeps the shape of the curve.
fn end_slope(widths: &[f64], secants: &[f64], is_last: bool) -> f64 {
    let count = secants.len();
    if count == 1 {
        return secants[0];
    }
    let (near, far) = if is_last { (count - 1, count - 2) } else { (0, 1) };
    let slope = ((2.0 * widths[near] + widths[far]) * secants[near] - widths[near] * secants[far])
        / (widths[near] + widths[far]);
    if slope * secants[near] <= 0.0 {
        0.0
    } else if secants[near] * secants[far] <= 0.0 && slope.abs() > 3.0 * secants[near].abs() {
        3.0 * secants[near]
    } else {
        slope
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCIPY: [f64; 3] = [0.559_294_871_794_9, 1.440_318_302_387_3, 3.137_212_643_678_2];

    #[test]
    fn the_curve_passes_through_its_points_and_rises_between_them() {
        let curve = Pchip::new(&[0.0, 1.0, 2.0, 4.0], &[-2.0, -1.9, 0.5, 0.6]).unwrap();
        for (place, value) in [(0.0, -2.0), (1.0, -1.9), (2.0, 0.5), (4.0, 0.6)] {
            assert!((curve.at(place) - value).abs() < 1e-12);
        }
        let along: Vec<f64> = (0..=400).map(|step| curve.at(f64::from(step) / 100.0)).collect();
        assert!(along.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12));
        let root = curve.root(0.0, 4.0).unwrap();
        assert!(curve.at(root).abs() < 1e-9 && (1.0..2.0).contains(&root));
        assert_eq!(curve.root(2.0, 4.0), None);
    }

    #[test]
    fn the_values_are_those_of_scipy() {
        // scipy.interpolate.PchipInterpolator([0, 1, 3, 4], [0, 1, 2, 5])([0.5, 2, 3.5])
        let curve = Pchip::new(&[0.0, 1.0, 3.0, 4.0], &[0.0, 1.0, 2.0, 5.0]).unwrap();
        for (place, value) in [(0.5, SCIPY[0]), (2.0, SCIPY[1]), (3.5, SCIPY[2])] {
            assert!((curve.at(place) - value).abs() < 1e-9, "{place}: {}", curve.at(place));
        }
    }
}
