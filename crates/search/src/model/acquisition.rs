//! What a point promises: expected improvement, its variant for noisy values (Letham and others 2019), and the expected gain of
//! hypervolume of several objectives, each times the chance that all limits are kept (Gardner and others 2014).

use aiperf_seed::Stream;
use aiperf_stats::distribution::normal_cdf;

use super::gaussian_process::{GaussianProcess, Normal, SampledPaths};
use crate::pareto;

/// Functions that are drawn to average over noise.
const PATHS: usize = 32;
/// Draws of each of several objectives.
const DRAWS: usize = 64;

/// What was measured, as models see it. Larger objectives are better.
#[derive(Debug)]
pub(crate) struct MeasuredPlaces<'a> {
    pub(crate) places: &'a [Vec<f64>],
    /// For each place, all objectives.
    pub(crate) gains: &'a [Vec<f64>],
    pub(crate) is_feasible: &'a [bool],
    /// For each place, how far it is beyond each limit.
    pub(crate) violations: &'a [Vec<f64>],
    /// What each objective must exceed to count, if that was said.
    pub(crate) thresholds: &'a [Option<f64>],
}

/// A score for every place of the unit cube; it rises with what a measurement there promises.
#[derive(Debug)]
pub(crate) struct Acquisition {
    objectives: Vec<GaussianProcess>,
    /// Models of the limits.
    limits: Vec<GaussianProcess>,
    rule: Rule,
}

#[derive(Debug)]
enum Rule {
    /// No point keeps all limits yet: only the chance to keep them counts.
    Feasibility,
    /// Improvement over the best value that was measured.
    Improvement { best: f64 },
    /// Improvement over the best value of each of several functions that could have been measured.
    NoisyImprovement { paths: SampledPaths, best: Vec<f64> },
    /// Gain of hypervolume over the front, or over one front for each draw of the functions.
    Hypervolume { fronts: Vec<Vec<Vec<f64>>>, reference: Vec<f64>, draws: Vec<Vec<f64>> },
}

impl Acquisition {
    /// `is_noisy`: average over the noise of what was measured. `None` if there is nothing to fit.
    pub(crate) fn new(evidence: &MeasuredPlaces<'_>, is_noisy: bool, stream: &mut Stream) -> Option<Self> {
        let fit = |values: Vec<f64>| GaussianProcess::fit(evidence.places, &values);
        let count = evidence.gains.first()?.len();
        let column = |index: usize| evidence.gains.iter().map(|gains| gains[index]).collect::<Vec<f64>>();
        let objectives = (0..count).map(|index| fit(column(index))).collect::<Option<Vec<_>>>()?;
        let limit_count = evidence.violations.first().map_or(0, Vec::len);
        let limit = |index: usize| fit(evidence.violations.iter().map(|row| row[index]).collect());
        let limits = (0..limit_count).map(limit).collect::<Option<Vec<_>>>()?;
        let feasible: Vec<usize> = (0..evidence.gains.len()).filter(|index| evidence.is_feasible[*index]).collect();
        let normal_draws = |stream: &mut Stream, rows: usize, columns: usize| -> Vec<Vec<f64>> {
            (0..rows).map(|_| (0..columns).map(|_| stream.standard_normal()).collect()).collect()
        };
        let points = evidence.places.len();
        let rule = if feasible.is_empty() {
            Rule::Feasibility
        } else if count == 1 && is_noisy {
            let paths = objectives[0].paths(&normal_draws(stream, PATHS, points))?;
            let best =
                |values: &Vec<f64>| feasible.iter().map(|index| values[*index]).fold(f64::NEG_INFINITY, f64::max);
            let best = paths.values.iter().map(best).collect();
            Rule::NoisyImprovement { paths, best }
        } else if count == 1 {
            let best = feasible.iter().map(|index| evidence.gains[*index][0]).fold(f64::NEG_INFINITY, f64::max);
            Rule::Improvement { best }
        } else {
            let measured: Vec<Vec<f64>> = feasible.iter().map(|index| evidence.gains[*index].clone()).collect();
            let fronts = if is_noisy {
                let mut sampled = Vec::with_capacity(count);
                for objective in &objectives {
                    sampled.push(objective.paths(&normal_draws(stream, DRAWS, points))?.values);
                }
                let front = |draw: usize| {
                    let at = |index: &usize| sampled.iter().map(|paths| paths[draw][*index]).collect::<Vec<f64>>();
                    front_of(feasible.iter().map(at).collect())
                };
                (0..DRAWS).map(front).collect()
            } else {
                vec![front_of(measured)]
            };
            let reference = reference(evidence);
            Rule::Hypervolume { fronts, reference, draws: normal_draws(stream, DRAWS, count) }
        };
        Some(Self { objectives, limits, rule })
    }

    /// The logarithm of what is expected at a place.
    pub(crate) fn score(&self, place: &[f64]) -> f64 {
        let chance: f64 = self
            .limits
            .iter()
            .map(|limit| {
                let Normal { mean, variance } = limit.at(place);
                normal_cdf(-mean / variance.sqrt().max(1e-9)).max(1e-300).ln()
            })
            .sum();
        let gain = match &self.rule {
            Rule::Feasibility => return chance,
            Rule::Improvement { best } => expected_improvement(self.objectives[0].at(place), *best),
            Rule::NoisyImprovement { paths, best } => {
                let along = self.objectives[0].along(paths, place);
                along.zip(best).map(|(normal, best)| expected_improvement(normal, *best)).sum::<f64>()
                    / best.len() as f64
            }
            Rule::Hypervolume { fronts, reference, draws } => self.volume_gain(place, fronts, reference, draws),
        };
        gain.max(1e-300).ln() + chance
    }

    fn volume_gain(&self, place: &[f64], fronts: &[Vec<Vec<f64>>], reference: &[f64], draws: &[Vec<f64>]) -> f64 {
        let normals: Vec<Normal> = self.objectives.iter().map(|objective| objective.at(place)).collect();
        let gain = |(index, draw): (usize, &Vec<f64>)| {
            let drawn: Vec<f64> =
                normals.iter().zip(draw).map(|(normal, z)| normal.mean + normal.deviation() * z).collect();
            let front = &fronts[index % fronts.len()];
            if front.iter().any(|point| pareto::is_as_good(point, &drawn)) {
                return 0.0;
            }
            let with: Vec<Vec<f64>> = front.iter().cloned().chain([drawn]).collect();
            pareto::hypervolume(&with, reference) - pareto::hypervolume(front, reference)
        };
        draws.iter().enumerate().map(gain).sum::<f64>() / draws.len() as f64
    }
}

/// The points that no other point beats.
fn front_of(points: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let ranks = pareto::ranks(&points);
    points.into_iter().zip(ranks).filter(|(_, rank)| *rank == 0).map(|(point, _)| point).collect()
}

/// The given thresholds, or a little below the worst value that was measured.
fn reference(evidence: &MeasuredPlaces<'_>) -> Vec<f64> {
    let usual = |index: usize| {
        let column = evidence.gains.iter().map(|gains| gains[index]);
        let (least, most) =
            column.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)));
        least - 0.1 * (most - least).max(least.abs() * 1e-3)
    };
    evidence.thresholds.iter().enumerate().map(|(index, threshold)| threshold.unwrap_or_else(|| usual(index))).collect()
}

/// The mean of how much a normal value exceeds the best one (Jones, Schonlau and Welch 1998).
pub(crate) fn expected_improvement(normal: Normal, best: f64) -> f64 {
    let deviation = normal.deviation();
    if deviation <= 0.0 {
        return (normal.mean - best).max(0.0);
    }
    let z = (normal.mean - best) / deviation;
    deviation * (density(z) + z * normal_cdf(z))
}

/// The density of the standard normal distribution.
pub(crate) fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_improvement_is_that_of_the_formula() {
        let at = |mean, variance, best| expected_improvement(Normal { mean, variance }, best);
        assert!((at(0.0, 1.0, 0.0) - 0.398_942_280_4).abs() < 1e-9);
        assert!((at(1.0, 4.0, 0.5) - 1.072_689_4).abs() < 1e-6, "{}", at(1.0, 4.0, 0.5));
        assert!((at(2.0, 0.0, 1.5) - 0.5).abs() < 1e-12);
    }
}
