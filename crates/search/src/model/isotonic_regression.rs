//! The rising curve that is nearest to measured values: pool adjacent violators (Ayer and others, 1955).

/// Fitted values that never fall, for values in the order of their places, each with its weight.
pub(crate) fn fit(values: &[f64], weights: &[f64]) -> Vec<f64> {
    // Mean, weight and length of each pool.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (value, weight) in values.iter().zip(weights) {
        pools.push((*value, *weight, 1));
        while let [.., first, second] = pools[..]
            && first.0 >= second.0
        {
            let weight = first.1 + second.1;
            let pooled = (first.0.mul_add(first.1, second.0 * second.1) / weight, weight, first.2 + second.2);
            pools.truncate(pools.len() - 2);
            pools.push(pooled);
        }
    }
    pools.into_iter().flat_map(|(mean, _, length)| std::iter::repeat_n(mean, length)).collect()
}

/// Levels that differ from each other.
pub(crate) fn levels(fitted: &[f64]) -> usize {
    let mut sorted = fitted.to_vec();
    sorted.dedup();
    sorted.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_fall_are_pooled_by_their_weights() {
        assert_eq!(fit(&[1.0, 3.0, 2.0, 4.0], &[1.0; 4]), [1.0, 2.5, 2.5, 4.0]);
        assert_eq!(fit(&[3.0, 0.0], &[1.0, 2.0]), [1.0, 1.0]);
        assert_eq!(fit(&[5.0, 4.0, 3.0], &[1.0; 3]), [4.0; 3]);
        assert_eq!(levels(&[1.0, 2.5, 2.5, 4.0]), 3);
    }
}
