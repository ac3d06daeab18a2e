//! Means of neighbours. A million values become some hundreds of means, which hold all that the variance of the overall
//! mean needs and cost nothing to look at.

/// At least this many, if there are as many values.
const TARGET: usize = 512;

/// How many neighbours one mean is of.
pub(crate) fn batch_size(count: usize) -> usize {
    (count / TARGET).max(1)
}

/// Third standardised moment; 0 if there is no spread.
pub(crate) fn skewness(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    if values.len() < 3 {
        return 0.0;
    }
    let mean = values.iter().sum::<f64>() / n;
    let (second, third) = values.iter().fold((0.0, 0.0), |(second, third), value| {
        let off = value - mean;
        (second + off * off, third + off * off * off)
    });
    let spread = second / n;
    if spread <= 0.0 {
        return 0.0;
    }
    // Fisher's correction for small samples.
    third / n / spread.powf(1.5) * (n * (n - 1.0)).sqrt() / (n - 2.0)
}

/// Means of `size` neighbours; what is left at the end is left out.
pub(crate) fn means(series: &[f64], size: usize) -> Vec<f64> {
    series.chunks_exact(size).map(|batch| batch.iter().sum::<f64>() / size as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_neighbours() {
        assert_eq!(means(&[1.0, 3.0, 5.0, 7.0, 100.0], 2), [2.0, 6.0]);
        assert_eq!((batch_size(10), batch_size(1024), batch_size(1_000_000)), (1, 2, 1953));
    }

    #[test]
    fn skewness_tells_the_long_tail() {
        assert!(skewness(&[1.0, 2.0, 3.0]).abs() < 1e-12);
        assert!(skewness(&[1.0, 1.0, 1.0, 10.0]) > 1.5);
        assert!((skewness(&[5.0; 9])).abs() < 1e-12);
    }
}
