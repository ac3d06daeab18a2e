//! Rules that end a search when its model expects little from more points.

use aiperf_seed::Stream;
use aiperf_stats::distribution::normal_cdf;

use super::acquisition::density;
use super::gaussian_process::GaussianProcess;
use super::maximize;

/// Chance that a bound of the whole function is wrong.
const DELTA: f64 = 0.1;
/// Difference of two measurements, in deviations of one, that noise alone exceeds in 5 of 100 cases: 1.96 times the root of 2.
const VISIBLE: f64 = 2.77;
/// Points of the beginning whose median is the scale of the expected minimum model regret.
const FIRST: usize = 5;
/// Share of that median which is small.
const SMALL: f64 = 0.01;

/// How many deviations wide the bounds of the function are (Srinivas and others 2010; a fifth of it, as they do in practice).
fn width(dimensions: usize, points: usize) -> f64 {
    let inside = dimensions as f64 * (points as f64).powi(2) * std::f64::consts::PI.powi(2) / (6.0 * DELTA);
    (2.0 * inside.ln() / 5.0).max(0.0).sqrt()
}

/// The highest upper bound of the function minus the highest lower bound of what was measured (Makarova and others 2022).
/// Larger values of the function are better.
fn regret_bound(process: &GaussianProcess, places: &[Vec<f64>], stream: &mut Stream) -> f64 {
    let dimensions = places.first().map_or(1, Vec::len);
    let width = width(dimensions, places.len());
    let upper = |place: &[f64]| {
        let normal = process.at(place);
        normal.mean + width * normal.deviation()
    };
    let highest =
        maximize::best_places(dimensions, places, stream, &upper).first().map_or(f64::INFINITY, |(_, value)| *value);
    let lower = |place: &Vec<f64>| {
        let normal = process.at(place);
        normal.mean - width * normal.deviation()
    };
    highest - places.iter().map(lower).fold(f64::NEG_INFINITY, f64::max)
}

/// Whether what can still be gained is less than two measurements of one point differ by noise alone, in 95 of 100 cases.
pub(crate) fn has_no_regret(places: &[Vec<f64>], gains: &[f64], stream: &mut Stream) -> bool {
    GaussianProcess::fit(places, gains)
        .is_some_and(|process| regret_bound(&process, places, stream) < VISIBLE * process.noise().sqrt())
}

/// Whether the expected minimum model regret of the last point is small compared with that of the first ones
/// (Ishibashi and others 2023).
pub(crate) fn has_small_model_regret(places: &[Vec<f64>], gains: &[f64], stream: &mut Stream) -> bool {
    if gains.len() < FIRST + 2 {
        return false;
    }
    let Some(process) = GaussianProcess::fit(places, gains) else { return false };
    let mut first: Vec<f64> =
        (2..FIRST + 2).filter_map(|count| model_regret(&process, places, gains, count, stream)).collect();
    first.sort_by(f64::total_cmp);
    let Some(median) = first.get(first.len() / 2) else { return false };
    model_regret(&process, places, gains, gains.len(), stream).is_some_and(|regret| regret < SMALL * median)
}

/// The bound after this many points, of how much the expected minimum regret changed with the last of them.
fn model_regret(
    process: &GaussianProcess,
    places: &[Vec<f64>],
    gains: &[f64],
    count: usize,
    stream: &mut Stream,
) -> Option<f64> {
    let (before, after) = (process.of_first(gains, count - 1)?, process.of_first(gains, count)?);
    let best = |known: &GaussianProcess, count: usize| {
        (0..count).max_by(|a, b| known.at(&places[*a]).mean.total_cmp(&known.at(&places[*b]).mean)).unwrap_or(0)
    };
    let (old, new) = (&places[best(&before, count - 1)], &places[best(&after, count)]);
    let difference = after.at(new).mean - before.at(old).mean;
    let variance = after.at(new).variance + after.at(old).variance - 2.0 * after.covariance(new, old);
    let deviation = variance.max(0.0).sqrt();
    let shift = after.at(new).mean - after.at(old).mean;
    let improvement = if deviation > 0.0 {
        let z = shift / deviation;
        deviation * (density(z) + z * normal_cdf(z))
    } else {
        shift.max(0.0)
    };
    let last = before.at(&places[count - 1]);
    let noise = process.noise().max(f64::MIN_POSITIVE);
    let ratio = last.variance / (last.variance + noise);
    let surprise = (gains[count - 1] - last.mean).powi(2) / (last.variance + noise);
    let divergence = 0.5 * ((1.0 + last.variance / noise).ln() - ratio + ratio * surprise);
    let bound = regret_bound(&before, &places[..count - 1], stream);
    Some(difference.abs() + improvement + bound * (divergence.max(0.0) / 2.0).sqrt())
}

#[cfg(test)]
mod tests {
    use aiperf_seed::Seed;

    use super::*;

    #[test]
    fn a_function_that_is_known_everywhere_leaves_no_regret() {
        let mut stream = Seed::fixed(1).stream("test");
        let noise = |step: i32| if (step + step / 12) % 2 == 0 { 0.05 } else { -0.05 };
        let places: Vec<Vec<f64>> = (0..24).map(|step| vec![f64::from(step % 12) / 11.0]).collect();
        let gains: Vec<f64> = (0..24).map(|step| -(f64::from(step % 12) / 11.0 - 0.5).powi(2) + noise(step)).collect();
        assert!(has_no_regret(&places, &gains, &mut stream));
        assert!(!has_no_regret(&places[..2], &[0.0, 1.0], &mut stream));
    }

    #[test]
    fn the_model_regret_falls_with_the_number_of_points() {
        let mut stream = Seed::fixed(1).stream("test");
        let places: Vec<Vec<f64>> = (0..25).map(|step| vec![(f64::from(step) * 0.618).fract()]).collect();
        let gains: Vec<f64> = places.iter().map(|place| 10.0 * (4.0 * place[0]).sin()).collect();
        let process = GaussianProcess::fit(&places, &gains).unwrap();
        let early = model_regret(&process, &places, &gains, 3, &mut stream).unwrap();
        let late = model_regret(&process, &places, &gains, 25, &mut stream).unwrap();
        assert!(late < early / 20.0, "{early} {late}");
    }
}
