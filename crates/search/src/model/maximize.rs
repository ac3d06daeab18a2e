//! Searches for the best place of a function: Nelder-Mead for the parameters of a model, and sampling with local steps for the unit cube.

use aiperf_seed::Stream;

/// Steps of the simplex.
const MOST_STEPS: usize = 150;
/// Random places that are looked at.
const SAMPLES: usize = 512;
/// Best of them that are improved by local steps.
const IMPROVED: usize = 6;
/// The local steps end at this width.
const SMALLEST_STEP: f64 = 1e-3;

/// The place near `start` at which a function is lowest, and its value there (Nelder and Mead, 1965).
pub(crate) fn nelder_mead(start: &[f64], cost: &dyn Fn(&[f64]) -> f64) -> (Vec<f64>, f64) {
    let mut simplex: Vec<(Vec<f64>, f64)> = vec![(start.to_vec(), cost(start))];
    for index in 0..start.len() {
        let mut corner = start.to_vec();
        corner[index] += 1.0;
        let value = cost(&corner);
        simplex.push((corner, value));
    }
    for _ in 0..MOST_STEPS {
        simplex.sort_by(|a, b| a.1.total_cmp(&b.1));
        let last = simplex.len() - 1;
        if (simplex[last].1 - simplex[0].1).abs() < 1e-6 {
            break;
        }
        let centre: Vec<f64> = (0..start.len())
            .map(|index| simplex[..last].iter().map(|(corner, _)| corner[index]).sum::<f64>() / last as f64)
            .collect();
        let worst = simplex[last].0.clone();
        let towards = |factor: f64| {
            let place: Vec<f64> =
                centre.iter().zip(&worst).map(|(centre, worst)| centre + factor * (worst - centre)).collect();
            let value = cost(&place);
            (place, value)
        };
        let reflected = towards(-1.0);
        if reflected.1 < simplex[0].1 {
            let expanded = towards(-2.0);
            simplex[last] = if expanded.1 < reflected.1 { expanded } else { reflected };
        } else if reflected.1 < simplex[last - 1].1 {
            simplex[last] = reflected;
        } else {
            let contracted = if reflected.1 < simplex[last].1 { towards(-0.5) } else { towards(0.5) };
            if contracted.1 < simplex[last].1.min(reflected.1) {
                simplex[last] = contracted;
            } else {
                let best = simplex[0].0.clone();
                for (corner, value) in &mut simplex[1..] {
                    *corner = corner.iter().zip(&best).map(|(corner, best)| f64::midpoint(*corner, *best)).collect();
                    *value = cost(corner);
                }
            }
        }
    }
    simplex.sort_by(|a, b| a.1.total_cmp(&b.1));
    simplex.swap_remove(0)
}

/// Places of the unit cube in falling order of `score`: random ones and `known` ones, the best of them improved.
pub(crate) fn best_places(
    dimensions: usize,
    known: &[Vec<f64>],
    stream: &mut Stream,
    score: &dyn Fn(&[f64]) -> f64,
) -> Vec<(Vec<f64>, f64)> {
    let random = (0..SAMPLES).map(|_| (0..dimensions).map(|_| stream.unit()).collect::<Vec<f64>>());
    let mut places: Vec<(Vec<f64>, f64)> = random
        .chain(known.iter().cloned())
        .map(|place| {
            let value = score(&place);
            (place, value)
        })
        .filter(|(_, value)| !value.is_nan())
        .collect();
    places.sort_by(|a, b| b.1.total_cmp(&a.1));
    for candidate in places.iter_mut().take(IMPROVED) {
        improve(candidate, score);
    }
    places.sort_by(|a, b| b.1.total_cmp(&a.1));
    places
}

/// Steps along each dimension, shorter ones after no step helps.
fn improve((place, value): &mut (Vec<f64>, f64), score: &dyn Fn(&[f64]) -> f64) {
    let mut step = 0.05;
    while step > SMALLEST_STEP {
        let mut has_moved = false;
        for index in 0..place.len() {
            for sign in [-1.0, 1.0] {
                let mut next = place.clone();
                next[index] = (next[index] + sign * step).clamp(0.0, 1.0);
                let there = score(&next);
                if there > *value {
                    (*place, *value, has_moved) = (next, there, true);
                }
            }
        }
        if !has_moved {
            step /= 2.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use aiperf_seed::Seed;

    use super::*;

    #[test]
    fn the_simplex_finds_the_bottom_of_a_valley() {
        let (place, value) = nelder_mead(&[0.0, 0.0], &|at| (at[0] - 1.0).powi(2) + 10.0 * (at[1] + 2.0).powi(2));
        assert!(value < 1e-4 && (place[0] - 1.0).abs() < 0.05 && (place[1] + 2.0).abs() < 0.05, "{place:?}");
    }

    #[test]
    fn the_best_place_of_the_cube_is_found() {
        let mut stream = Seed::fixed(1).stream("test");
        let score = |at: &[f64]| -(at[0] - 0.3).powi(2) - (at[1] - 0.7).powi(2);
        let places = best_places(2, &[], &mut stream, &score);
        assert!((places[0].0[0] - 0.3).abs() < 2e-3 && (places[0].0[1] - 0.7).abs() < 2e-3, "{:?}", places[0]);
    }
}
