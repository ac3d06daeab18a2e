//! Whether two samples look like draws from one distribution: the two-sided Kolmogorov-Smirnov test (Smirnov 1939). The
//! chance is exact while that is quick to compute, by counting the ways in which the two samples can interleave (Hodges,
//! "The significance probability of the Smirnov two-sample test", 1958), and the limit distribution beyond.

/// Largest product of the sizes for which all ways are counted.
const EXACT: usize = 4_000_000;

/// How likely two samples of these sizes from one distribution are at least as far apart as these. `None` if one is
/// empty. Equal values make it larger than it is, never smaller.
pub fn same_distribution(first: &[f64], second: &[f64]) -> Option<f64> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let (m, n) = (first.len(), second.len());
    let distance = distance(first, second);
    let chance = if m.saturating_mul(n) <= EXACT { exact(distance, m, n) } else { in_the_limit(distance, m, n) };
    Some(chance.clamp(0.0, 1.0))
}

/// The largest distance between the two empirical distribution functions.
fn distance(first: &[f64], second: &[f64]) -> f64 {
    let sorted = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_unstable_by(f64::total_cmp);
        values
    };
    let (first, second) = (sorted(first), sorted(second));
    let (mut i, mut j, mut largest) = (0, 0, 0.0_f64);
    while i < first.len() && j < second.len() {
        let value = first[i].min(second[j]);
        while i < first.len() && first[i] <= value {
            i += 1;
        }
        while j < second.len() && second[j] <= value {
            j += 1;
        }
        largest = largest.max((i as f64 / first.len() as f64 - j as f64 / second.len() as f64).abs());
    }
    largest
}

/// The share of all ways to interleave `m` and `n` values in which the functions come at least `distance` apart.
fn exact(distance: f64, m: usize, n: usize) -> f64 {
    let (rows, columns) = (m as f64, n as f64);
    // Distances are multiples of 1 / (m n); half a step below the one that was seen is safe from rounding.
    let limit = ((distance * rows * columns - 1e-7).floor() + 0.5) / (rows * columns);
    let within = |i: usize, j: usize| (i as f64 / rows - j as f64 / columns).abs() < limit;
    // near[j]: of all ways from (0, 0) to (i, j), the share that stays within.
    let mut near: Vec<f64> = Vec::with_capacity(n + 1);
    for j in 0..=n {
        let before = if j == 0 { 1.0 } else { near[j - 1] };
        near.push(if within(0, j) { before } else { 0.0 });
    }
    for i in 1..=m {
        if !within(i, 0) {
            near[0] = 0.0;
        }
        for j in 1..=n {
            // The last step came from the first sample in this share of the ways.
            let from_first = i as f64 / (i + j) as f64;
            near[j] = if within(i, j) { from_first * near[j] + (1.0 - from_first) * near[j - 1] } else { 0.0 };
        }
    }
    1.0 - near[n]
}

/// Kolmogorov's limit distribution at the effective number of samples.
fn in_the_limit(distance: f64, m: usize, n: usize) -> f64 {
    let (m, n) = (m as f64, n as f64);
    let scaled = distance * (m * n / (m + n)).sqrt();
    if scaled < 1e-3 {
        return 1.0;
    }
    let term = |k: f64| (-2.0 * k * k * scaled * scaled).exp();
    let sum: f64 = (1..=100).map(|k| if k % 2 == 1 { term(f64::from(k)) } else { -term(f64::from(k)) }).sum();
    2.0 * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_samples_have_the_chances_that_counting_by_hand_gives() {
        // Of the 6 ways to interleave 2 and 2 values, 2 keep them wholly apart, and all come at least a half apart.
        assert!((same_distribution(&[1.0, 2.0], &[3.0, 4.0]).unwrap() - 2.0 / 6.0).abs() < 1e-12);
        assert!((same_distribution(&[1.0, 3.0], &[2.0, 4.0]).unwrap() - 1.0).abs() < 1e-12);
        // 3 and 3 wholly apart: 2 of 20 ways.
        assert!((same_distribution(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]).unwrap() - 0.1).abs() < 1e-12);
    }

    #[test]
    fn samples_of_different_sizes_are_compared_by_their_shares() {
        // 1 and 4 wholly apart: 2 of 5 ways.
        assert!((same_distribution(&[0.0], &[1.0, 2.0, 3.0, 4.0]).unwrap() - 0.4).abs() < 1e-12);
        assert_eq!(same_distribution(&[], &[1.0]), None);
    }

    #[test]
    fn equal_samples_are_alike_and_distant_ones_are_not() {
        let near: Vec<f64> = (0..200).map(f64::from).collect();
        let far: Vec<f64> = near.iter().map(|value| value + 100.0).collect();
        assert!(same_distribution(&near, &near).unwrap() > 0.999);
        assert!(same_distribution(&near, &far).unwrap() < 1e-9);
    }

    #[test]
    fn counting_and_the_limit_agree_where_both_apply() {
        let (exact, limit) = (exact(0.05, 1500, 2000), in_the_limit(0.05, 1500, 2000));
        assert!((exact - limit).abs() < 0.01, "{exact} {limit}");
    }
}
