//! Which points no other point beats, and how much space a set of points covers.

use aiperf_config::SearchSpec;

/// Objectives with their signs turned so that larger is better.
pub(crate) fn gains(spec: &SearchSpec, values: &[f64]) -> Vec<f64> {
    let gain =
        |(objective, value): (&aiperf_config::SearchObjective, &f64)| if objective.maximize { *value } else { -value };
    spec.objectives.iter().zip(values).map(gain).collect()
}

/// Whether `first` is at least as good in all objectives.
pub(crate) fn is_as_good(first: &[f64], second: &[f64]) -> bool {
    first.iter().zip(second).all(|(first, second)| first >= second)
}

/// Whether `first` is at least as good in all objectives and better in one.
pub(crate) fn dominates(first: &[f64], second: &[f64]) -> bool {
    is_as_good(first, second) && first.iter().zip(second).any(|(first, second)| first > second)
}

/// For each point, how many fronts have to be taken away before it is on the front; the front itself has 0.
pub(crate) fn ranks(points: &[Vec<f64>]) -> Vec<usize> {
    let mut ranks = vec![usize::MAX; points.len()];
    let mut rank = 0;
    while ranks.contains(&usize::MAX) {
        let open: Vec<usize> = (0..points.len()).filter(|index| ranks[*index] == usize::MAX).collect();
        let is_front = |index: &usize| !open.iter().any(|other| dominates(&points[*other], &points[*index]));
        let front: Vec<usize> = open.iter().copied().filter(|index| is_front(index)).collect();
        if front.is_empty() {
            // Values that cannot be compared (NaN) dominate nothing and are dominated by nothing.
            break;
        }
        for index in front {
            ranks[index] = rank;
        }
        rank += 1;
    }
    ranks
}

/// The volume that points cover above a reference point. Slices along the last objective (Zitzler's HSO).
pub(crate) fn hypervolume(points: &[Vec<f64>], reference: &[f64]) -> f64 {
    let inside: Vec<&Vec<f64>> =
        points.iter().filter(|point| point.iter().zip(reference).all(|(value, least)| value > least)).collect();
    let Some(last) = reference.len().checked_sub(1) else { return 0.0 };
    if last == 0 {
        return inside.iter().map(|point| point[0] - reference[0]).fold(0.0, f64::max);
    }
    let mut sorted = inside;
    sorted.sort_by(|a, b| b[last].total_cmp(&a[last]));
    let mut volume = 0.0;
    for (index, point) in sorted.iter().enumerate() {
        let below = sorted.get(index + 1).map_or(reference[last], |next| next[last]);
        if point[last] > below {
            let slice: Vec<Vec<f64>> = sorted[..=index].iter().map(|point| point[..last].to_vec()).collect();
            volume += hypervolume(&slice, &reference[..last]) * (point[last] - below);
        }
    }
    volume
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_volume_of_a_staircase_is_that_of_its_union() {
        let points = vec![vec![1.0, 3.0], vec![2.0, 2.0], vec![3.0, 1.0]];
        assert!((hypervolume(&points, &[0.0, 0.0]) - 6.0).abs() < 1e-12);
        assert!((hypervolume(&points, &[1.0, 1.0]) - 1.0).abs() < 1e-12);
        let cube = vec![vec![2.0, 2.0, 2.0], vec![1.0, 1.0, 3.0]];
        assert!((hypervolume(&cube, &[0.0, 0.0, 0.0]) - 9.0).abs() < 1e-12);
    }

    #[test]
    fn fronts_are_counted_from_the_outermost() {
        assert_eq!(ranks(&[vec![1.0, 1.0], vec![2.0, 2.0], vec![3.0, 0.0], vec![0.0, 0.0]]), [1, 0, 0, 2]);
    }
}
