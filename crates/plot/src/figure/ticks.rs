//! Round numbers along an axis, and numbers as text.

use super::{Axis, AxisScale, TickLabels};

/// A value of an axis and the text that stands there.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    pub value: f64,
    pub text: String,
}

/// Round numbers from `low` to `high`, about `wanted` of them: steps of 1, 2 or 5 times a power of ten.
pub fn nice_ticks(low: f64, high: f64, wanted: usize) -> Vec<Tick> {
    let spread = high - low;
    if spread.is_nan() || spread <= 0.0 || !spread.is_finite() {
        return vec![Tick { value: low, text: number_text(low, 0) }];
    }
    let rough = spread / wanted.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].iter().map(|factor| factor * power).find(|step| *step >= rough * 0.999_999);
    let step = step.unwrap_or(power * 10.0);
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last)
        .map(|count| count as f64 * step)
        .map(|value| Tick { value, text: number_text(value, decimals) })
        .collect()
}

/// Powers of ten, with 2 and 5 between them if the axis is short.
fn log_ticks(low: f64, high: f64) -> Vec<Tick> {
    let (from, to) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let factors: &[f64] = if to - from <= 3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let mut ticks = Vec::new();
    for power in from..=to {
        for factor in factors {
            let value = factor * 10f64.powi(power);
            if (low..=high).contains(&value) {
                ticks.push(Tick { value, text: number_text(value, (-power).max(0) as usize) });
            }
        }
    }
    if ticks.len() < 2 { nice_ticks(low, high, 5) } else { ticks }
}

impl Axis {
    /// What stands along the axis between two values.
    pub(crate) fn tick_marks(&self, low: f64, high: f64, wanted: usize) -> Vec<Tick> {
        match &self.ticks {
            TickLabels::Named(named) => {
                let inside = named.iter().filter(|(value, _)| (low..=high).contains(value));
                let inside: Vec<Tick> =
                    inside.map(|(value, text)| Tick { value: *value, text: text.clone() }).collect();
                let every = inside.len().div_ceil(wanted.max(1) * 2).max(1);
                inside.into_iter().step_by(every).collect()
            }
            TickLabels::Numbers if self.scale == AxisScale::Log => log_ticks(low, high),
            TickLabels::Numbers => nice_ticks(low, high, wanted),
        }
    }
}

/// A number with this many digits after the point and commas between thousands.
pub fn number_text(value: f64, decimals: usize) -> String {
    let value = if value == 0.0 { 0.0 } else { value };
    if value.abs() >= 1e15 {
        return format!("{value:.2e}");
    }
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if value < 0.0 { "−" } else { "" };
    format!("{sign}{grouped}{rest}")
}

/// A measured value with about four significant digits.
pub(crate) fn value_text(value: f64) -> String {
    let magnitude = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    number_text(value, (3 - magnitude).clamp(0, 6) as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.text.as_str()).collect()
    }

    #[test]
    fn steps_are_round_and_have_the_digits_that_they_need() {
        assert_eq!(texts(&nice_ticks(0.0, 104.0, 6)), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(texts(&nice_ticks(0.0, 0.31, 4)), ["0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(texts(&nice_ticks(-1500.0, 2600.0, 5)), ["−1,000", "0", "1,000", "2,000"]);
    }

    #[test]
    fn a_logarithmic_axis_has_powers_of_ten() {
        let axis = Axis { scale: AxisScale::Log, ..Axis::new("", super::super::Bounds::Data) };
        assert_eq!(texts(&axis.tick_marks(0.5, 12.0, 6)), ["0.5", "1", "2", "5", "10"]);
        assert_eq!(texts(&axis.tick_marks(1.0, 1e6, 6)), ["1", "10", "100", "1,000", "10,000", "100,000", "1,000,000"]);
    }

    #[test]
    fn values_have_about_four_digits() {
        assert_eq!(value_text(1234.5), "1,234");
        assert_eq!(value_text(73.921), "73.92");
        assert_eq!(value_text(0.001_234), "0.001234");
        assert_eq!(value_text(0.0), "0.000");
    }

    proptest! {
        #[test]
        fn ticks_stay_inside_and_are_not_too_many(low in -1e9f64..1e9, spread in 1e-6f64..1e9, wanted in 2usize..12) {
            let ticks = nice_ticks(low, low + spread, wanted);
            prop_assert!(ticks.len() <= wanted + 1);
            for tick in &ticks {
                prop_assert!(tick.value >= low - spread * 1e-6 - 1e-6 && tick.value <= low + spread * 1.000_001 + 1e-6);
            }
        }
    }
}
