//! Places of marks on an axis.

/// Round values from 0 to `most`, at most `count` steps apart.
pub(super) fn ticks(most: f64, count: usize) -> Vec<f64> {
    if most <= 0.0 || !most.is_finite() {
        return vec![0.0];
    }
    let rough = most / count as f64;
    let magnitude = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * magnitude).find(|step| *step >= rough * 0.999);
    let step = step.unwrap_or(magnitude * 10.0);
    let steps = (most * 1.000_001 / step).floor() as u32;
    (0..=steps).map(|index| f64::from(index) * step).collect()
}

/// A value with as many digits as its step needs.
pub(super) fn label(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_axis() {
        assert_eq!(ticks(1.0, 5), [0.0, 0.2, 0.4, 0.600_000_000_000_000_1, 0.8, 1.0]);
        assert_eq!(ticks(37.0, 8), [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0]);
        assert_eq!(ticks(0.0, 5), [0.0]);
        assert_eq!(
            (label(0.600_000_000_000_000_1), label(20.0), label(2.5)),
            ("0.6".into(), "20".into(), "2.5".into())
        );
    }
}
