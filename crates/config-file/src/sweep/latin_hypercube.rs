//! Latin hypercubes: of as many slices of each dimension as there are points, every slice has one point. Swaps of coordinates
//! can make the points fill the space more evenly.

use super::numpy_random::Pcg64;
use super::sample::{Optimization, Sampling};

/// Most swaps that are tried, and how many in a row may fail.
const MAX_SWAPS: usize = 10_000;
const MAX_FAILURES: usize = 100;
/// Passes of Lloyd's method, and the points that stand for the space in it.
const LLOYD_PASSES: usize = 10;
const LLOYD_POINTS: usize = 4096;

pub(super) fn points(sampling: &Sampling) -> Vec<Vec<f64>> {
    let (count, dimensions) = (sampling.samples, sampling.dimensions());
    let mut random = Pcg64::new(sampling.seed.unwrap_or(0));
    let mut points: Vec<Vec<f64>> = (0..count).map(|_| (0..dimensions).map(|_| random.next_f64()).collect()).collect();
    for dimension in 0..dimensions {
        for (point, slice) in points.iter_mut().zip(random.permutation(count)) {
            point[dimension] = ((slice + 1) as f64 - point[dimension]) / count as f64;
        }
    }
    match sampling.optimization {
        Optimization::None => {}
        Optimization::RandomCd => swap_towards_evenness(&mut points, &mut random),
        Optimization::Lloyd => move_to_the_middle(&mut points, &mut random),
    }
    points
}

/// Swaps a coordinate of two points if that lowers the centred discrepancy of all.
fn swap_towards_evenness(points: &mut [Vec<f64>], random: &mut Pcg64) {
    let (count, dimensions) = (points.len() as u32, points.first().map_or(0, Vec::len) as u32);
    if dimensions < 2 || count < 2 {
        return;
    }
    let mut failures = 0;
    for _ in 0..MAX_SWAPS {
        let dimension = random.below(dimensions) as usize;
        let (one, other) = (random.below(count) as usize, random.below(count) as usize);
        let before = discrepancy_of(points, one, other);
        swap(points, one, other, dimension);
        // Rounding must not make an equal discrepancy look lower.
        if discrepancy_of(points, one, other) < before - 1e-14 {
            failures = 0;
        } else {
            swap(points, one, other, dimension);
            failures += 1;
        }
        if failures == MAX_FAILURES {
            break;
        }
    }
}

fn swap(points: &mut [Vec<f64>], one: usize, other: usize, dimension: usize) {
    let value = points[one][dimension];
    points[one][dimension] = points[other][dimension];
    points[other][dimension] = value;
}

/// The part of the centred discrepancy (Hickernell) that two points have a share in.
fn discrepancy_of(points: &[Vec<f64>], one: usize, other: usize) -> f64 {
    let count = points.len() as f64;
    let single =
        |point: &[f64]| -> f64 { point.iter().map(|x| (x - 0.5).abs()).map(|d| 1.0 + 0.5 * d - 0.5 * d * d).product() };
    let pair = |a: &[f64], b: &[f64]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(x, y)| 1.0 + 0.5 * (x - 0.5).abs() + 0.5 * (y - 0.5).abs() - 0.5 * (x - y).abs())
            .product()
    };
    let mut sum = 0.0;
    for (index, chosen) in [one, other].into_iter().enumerate() {
        if index == 1 && one == other {
            break;
        }
        sum -= 2.0 / count * single(&points[chosen]);
        for (at, point) in points.iter().enumerate() {
            let value = pair(&points[chosen], point) / (count * count);
            // A pair of two different points counts in both orders; the pair of the two chosen ones is met twice already.
            let twice = at != chosen && at != one && at != other;
            sum += if twice { 2.0 * value } else { value };
        }
    }
    sum
}

/// Moves each point towards the middle of the space that is nearest to it.
fn move_to_the_middle(points: &mut [Vec<f64>], random: &mut Pcg64) {
    let dimensions = points.first().map_or(0, Vec::len);
    for _ in 0..LLOYD_PASSES {
        let mut sums = vec![(vec![0.0; dimensions], 0_u32); points.len()];
        for _ in 0..LLOYD_POINTS {
            let place: Vec<f64> = (0..dimensions).map(|_| random.next_f64()).collect();
            let distance = |point: &[f64]| -> f64 { point.iter().zip(&place).map(|(x, y)| (x - y) * (x - y)).sum() };
            let nearest = (0..points.len()).min_by(|a, b| distance(&points[*a]).total_cmp(&distance(&points[*b])));
            if let Some((sum, number)) = nearest.and_then(|nearest| sums.get_mut(nearest)) {
                sum.iter_mut().zip(&place).for_each(|(sum, x)| *sum += x);
                *number += 1;
            }
        }
        for (point, (sum, number)) in points.iter_mut().zip(&sums).filter(|(_, (_, number))| *number > 0) {
            point.iter_mut().zip(sum).for_each(|(x, sum)| *x = sum / f64::from(*number));
        }
    }
}
