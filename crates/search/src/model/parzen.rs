//! Tree-structured Parzen estimators (Bergstra and others 2011, with the bandwidths of Watanabe 2023): one density of the good
//! points, one of the others; the next point is where the first is largest compared with the second.

use aiperf_seed::Stream;
use aiperf_stats::distribution::normal_cdf;

/// Draws from the good density among which the best one is taken.
const CANDIDATES: usize = 24;
/// Most points that count as good.
const MOST_GOOD: usize = 25;

/// Points that count as good among this many.
pub(crate) fn good_count(points: usize) -> usize {
    ((0.1 * points as f64).ceil() as usize).clamp(1, MOST_GOOD)
}

/// The next place of the unit cube; places are those of the good points and of the others. Dimensions are independent.
pub(crate) fn propose(good: &[Vec<f64>], others: &[Vec<f64>], dimensions: usize, stream: &mut Stream) -> Vec<Vec<f64>> {
    let column = |points: &[Vec<f64>], index: usize| points.iter().map(|place| place[index]).collect::<Vec<f64>>();
    let densities: Vec<(Density, Density)> = (0..dimensions)
        .map(|index| (Density::new(column(good, index), dimensions), Density::new(column(others, index), dimensions)))
        .collect();
    let mut candidates: Vec<(Vec<f64>, f64)> = (0..CANDIDATES)
        .map(|_| {
            let place: Vec<f64> = densities.iter().map(|(good, _)| good.draw(stream)).collect();
            let ratio = |((good, others), at): (&(Density, Density), &f64)| good.at(*at).ln() - others.at(*at).ln();
            let score = densities.iter().zip(&place).map(ratio).sum();
            (place, score)
        })
        .collect();
    candidates.sort_by(|a, b| b.1.total_cmp(&a.1));
    candidates.into_iter().map(|(place, _)| place).collect()
}

/// A mixture of normal distributions cut off at 0 and 1: one around each point, and a wide one that keeps every place possible.
#[derive(Debug)]
struct Density {
    /// Centre and width.
    parts: Vec<(f64, f64)>,
}

impl Density {
    fn new(mut points: Vec<f64>, dimensions: usize) -> Self {
        points.sort_by(f64::total_cmp);
        // The prior is one of the centres.
        let prior = points.partition_point(|point| *point < 0.5);
        points.insert(prior, 0.5);
        let count = points.len();
        // The narrowest width shrinks with the number of points; Scott's rule for several dimensions.
        let least = 1.0 / (count as f64).min(100.0).powf(4.0 / (dimensions as f64 + 4.0)).max(1.0) / 2.0;
        let width = |index: usize| {
            let below = points[index] - if index == 0 { 0.0 } else { points[index - 1] };
            let above = if index + 1 == count { 1.0 } else { points[index + 1] } - points[index];
            below.max(above).clamp(least.min(0.5), 1.0)
        };
        let mut parts: Vec<(f64, f64)> = (0..count).map(|index| (points[index], width(index))).collect();
        parts[prior].1 = 1.0;
        Self { parts }
    }

    fn draw(&self, stream: &mut Stream) -> f64 {
        let (centre, width) = self.parts[stream.below(self.parts.len() as u64) as usize];
        for _ in 0..100 {
            let value = stream.normal(centre, width);
            if (0.0..=1.0).contains(&value) {
                return value;
            }
        }
        stream.unit()
    }

    fn at(&self, place: f64) -> f64 {
        let part = |(centre, width): &(f64, f64)| {
            let inside = normal_cdf((1.0 - centre) / width) - normal_cdf(-centre / width);
            super::acquisition::density((place - centre) / width) / width / inside.max(1e-12)
        };
        (self.parts.iter().map(part).sum::<f64>() / self.parts.len() as f64).max(1e-300)
    }
}

#[cfg(test)]
mod tests {
    use aiperf_seed::Seed;

    use super::*;

    #[test]
    fn the_density_of_a_dimension_has_a_volume_of_one() {
        let density = Density::new(vec![0.1, 0.12, 0.9], 1);
        let sum: f64 = (0..10_000).map(|step| density.at((f64::from(step) + 0.5) / 10_000.0)).sum::<f64>() / 10_000.0;
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    }

    #[test]
    fn proposals_lie_near_the_good_points() {
        let good: Vec<Vec<f64>> = vec![vec![0.2], vec![0.22], vec![0.18]];
        let others: Vec<Vec<f64>> = (4..10).map(|step| vec![f64::from(step) / 10.0]).collect();
        let mut stream = Seed::fixed(3).stream("test");
        let proposed: Vec<f64> = (0..50).map(|_| propose(&good, &others, 1, &mut stream)[0][0]).collect();
        assert!(proposed.iter().filter(|place| **place < 0.4).count() > 45, "{proposed:?}");
    }
}
