//! Draws from the distributions of lengths, numbers of turns and delays.

use aiperf_config::{Length, Weighted};
use aiperf_seed::Stream;

/// Draws a number of at least zero.
pub(crate) fn real(length: &Length, stream: &mut Stream) -> f64 {
    match length {
        Length::Normal { mean, stddev } => stream.positive_normal(*mean, *stddev),
        Length::LogNormal { mean, median } => {
            // mean = exp(mu + sigma^2 / 2) and median = exp(mu).
            let sigma = (2.0 * (mean / median).ln()).max(0.0).sqrt();
            median * (sigma * stream.standard_normal()).exp()
        }
        Length::Empirical(points) => choose(points, stream).copied().unwrap_or_default(),
        Length::Multimodal(peaks) => choose(peaks, stream).map_or(0.0, |peak| real(peak, stream)),
        Length::Uniform { low, high } => low + (high - low) * stream.unit(),
        Length::Clamped { length, min, max } => real(length, stream).clamp(*min, *max),
    }
}

/// Draws a whole number of at least one.
pub(crate) fn whole(length: &Length, stream: &mut Stream) -> u64 {
    match length {
        Length::Uniform { low, high } => between(low.round() as u64, high.round() as u64, stream).max(1),
        Length::Multimodal(peaks) => choose(peaks, stream).map_or(1, |peak| whole(peak, stream)),
        Length::Clamped { length, min, max } => {
            (whole(length, stream) as f64).clamp(*min, *max).round().max(1.0) as u64
        }
        Length::Normal { .. } | Length::LogNormal { .. } | Length::Empirical(_) => {
            real(length, stream).round().max(1.0) as u64
        }
    }
}

/// Draws a number from `low` to `high`, both included.
pub(crate) fn between(low: u64, high: u64, stream: &mut Stream) -> u64 {
    low + stream.below(high.saturating_sub(low).saturating_add(1))
}

/// Draws one of the items in proportion to their weights.
pub(crate) fn choose<'a, T>(items: &'a [Weighted<T>], stream: &mut Stream) -> Option<&'a T> {
    let sum: f64 = items.iter().map(|item| item.weight).sum();
    let mut left = stream.unit() * sum;
    for item in items.iter().filter(|item| item.weight > 0.0) {
        if left < item.weight {
            return Some(&item.value);
        }
        left -= item.weight;
    }
    // Reached only through rounding.
    items.iter().rev().find(|item| item.weight > 0.0).map(|item| &item.value)
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the numbers compared are whole")]
mod tests {
    use aiperf_seed::Seed;

    use super::*;

    const DRAWS: usize = 200_000;

    fn drawn(length: &Length) -> Vec<f64> {
        let mut stream = Seed::fixed(4).stream("lengths");
        let mut all: Vec<f64> = (0..DRAWS).map(|_| whole(length, &mut stream) as f64).collect();
        all.sort_by(f64::total_cmp);
        all
    }

    fn mean(all: &[f64]) -> f64 {
        all.iter().sum::<f64>() / all.len() as f64
    }

    fn stddev(all: &[f64]) -> f64 {
        let mean = mean(all);
        (all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / all.len() as f64).sqrt()
    }

    fn weighted<T>(pairs: impl IntoIterator<Item = (T, f64)>) -> Vec<Weighted<T>> {
        pairs.into_iter().map(|(value, weight)| Weighted { value, weight }).collect()
    }

    #[test]
    fn a_normal_has_its_mean_and_its_deviation_and_no_half_token_more() {
        let all = drawn(&Length::normal(550.0, 50.0));
        assert!((mean(&all) - 550.0).abs() < 0.4, "{}", mean(&all));
        // Rounding to whole numbers adds 1/12 to the variance.
        assert!((stddev(&all) - (2500.0_f64 + 1.0 / 12.0).sqrt()).abs() < 0.3, "{}", stddev(&all));
        assert!(drawn(&Length::constant(7.0)).iter().all(|x| *x == 7.0));
        assert!(drawn(&Length::normal(2.0, 5.0)).iter().all(|x| *x >= 1.0));
    }

    #[test]
    fn a_lognormal_has_its_mean_its_median_and_its_tail() {
        let all = drawn(&Length::LogNormal { mean: 100.0, median: 60.0 });
        assert!((mean(&all) - 100.0).abs() < 1.0, "{}", mean(&all));
        assert!((all[DRAWS / 2] - 60.0).abs() <= 1.0, "{}", all[DRAWS / 2]);
        let sigma = (2.0 * (100.0_f64 / 60.0).ln()).sqrt();
        let p90 = 60.0 * (1.281_551_6 * sigma).exp();
        assert!((all[DRAWS * 9 / 10] / p90 - 1.0).abs() < 0.02, "{} {p90}", all[DRAWS * 9 / 10]);
        assert!(drawn(&Length::LogNormal { mean: 9.0, median: 9.0 }).iter().all(|x| *x == 9.0));
    }

    #[test]
    fn points_come_in_proportion_to_their_weights() {
        let all = drawn(&Length::Empirical(weighted([(100.0, 3.0), (400.0, 1.0), (7.0, 0.0)])));
        let share = |value: f64| all.iter().filter(|x| **x == value).count() as f64 / DRAWS as f64;
        assert!((share(100.0) - 0.75).abs() < 0.005 && (share(400.0) - 0.25).abs() < 0.005);
        assert_eq!(share(7.0), 0.0);
    }

    #[test]
    fn peaks_keep_their_own_shapes() {
        let peaks = [(Length::normal(100.0, 5.0), 1.0), (Length::normal(1000.0, 20.0), 3.0)];
        let all = drawn(&Length::Multimodal(weighted(peaks)));
        let (low, high): (Vec<f64>, Vec<f64>) = all.iter().partition(|x| **x < 500.0);
        assert!((low.len() as f64 / DRAWS as f64 - 0.25).abs() < 0.005);
        assert!((mean(&low) - 100.0).abs() < 0.2 && (mean(&high) - 1000.0).abs() < 0.5);
        assert!((stddev(&low) - 5.0).abs() < 0.1 && (stddev(&high) - 20.0).abs() < 0.3);
    }

    #[test]
    fn a_window_has_both_its_ends_and_all_between_alike() {
        let all = drawn(&Length::Uniform { low: 5.0, high: 9.0 });
        for value in 5..=9 {
            let share = all.iter().filter(|x| **x == f64::from(value)).count() as f64 / DRAWS as f64;
            assert!((share - 0.2).abs() < 0.005, "{value}: {share}");
        }
        assert_eq!((all[0], all[DRAWS - 1]), (5.0, 9.0));
    }

    #[test]
    fn a_clamp_moves_what_lies_outside_to_its_ends() {
        let length = Length::Clamped { length: Box::new(Length::normal(50.0, 10.0)), min: 45.0, max: 60.0 };
        let all = drawn(&length);
        assert_eq!((all[0], all[DRAWS - 1]), (45.0, 60.0));
        let at_the_end = all.iter().filter(|x| **x == 60.0).count() as f64 / DRAWS as f64;
        assert!((at_the_end - 0.171).abs() < 0.01, "{at_the_end}");
    }

    #[test]
    fn pauses_need_not_be_whole() {
        let mut stream = Seed::fixed(4).stream("pauses");
        assert_eq!(real(&Length::constant(0.5), &mut stream), 0.5);
        let all: Vec<f64> = (0..DRAWS).map(|_| real(&Length::Uniform { low: 0.0, high: 1.0 }, &mut stream)).collect();
        assert!((mean(&all) - 0.5).abs() < 0.005);
    }
}
