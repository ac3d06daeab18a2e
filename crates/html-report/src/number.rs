//! Numbers as the page gets them: short enough to embed, exact enough to draw.

use serde_json::Value;

/// Significant digits of a number that is only drawn.
const DIGITS: i32 = 6;

/// A number with six significant digits; null if it is not finite.
pub(crate) fn short(value: f64) -> Value {
    if !value.is_finite() {
        return Value::Null;
    }
    if value == 0.0 {
        return Value::from(0);
    }
    let magnitude = value.abs().log10().floor() as i32;
    let scale = 10_f64.powi(DIGITS - 1 - magnitude);
    let rounded = (value * scale).round() / scale;
    if rounded.fract() == 0.0 && rounded.abs() < 1e15 { Value::from(rounded as i64) } else { Value::from(rounded) }
}

pub(crate) fn shorts(values: impl IntoIterator<Item = f64>) -> Value {
    values.into_iter().map(short).collect()
}

/// The smallest of 1, 2, 5, 10, 20, 50, ... times a power of ten that is at least `value`.
pub(crate) fn round_up(value: f64) -> f64 {
    if !(value.is_finite() && value > 0.0) {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| step * power >= value * (1.0 - 1e-9));
    step.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn six_digits_are_kept() {
        assert_eq!(short(1_234_567.8), json!(1_234_570));
        assert_eq!(short(0.000_123_456_78), json!(0.000_123_457));
        assert_eq!(short(3.0), json!(3));
        assert_eq!(short(f64::NAN), Value::Null);
        assert_eq!(short(0.0), json!(0));
    }

    #[test]
    fn steps_are_round() {
        assert_eq!(
            [0.11, 0.2, 3.0, 7.0, 10.0, 0.0].map(round_up).map(short),
            [json!(0.2), json!(0.2), json!(5), json!(10), json!(10), json!(1)]
        );
    }
}
