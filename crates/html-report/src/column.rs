//! Columns of numbers in few bytes. `page/columns.js` reads them.

use aiperf_metrics::Metric;
use aiperf_metrics::Unit;
use serde_json::{Value, json};

use crate::payload::ColumnStore;

/// Steps of the logarithm in which values are rounded: relative steps of 0.1 % to 4 %. The finest that fits is taken.
const STEPS_PER_E: [f64; 6] = [1000.0, 500.0, 200.0, 100.0, 50.0, 25.0];
/// The smallest value that is distinguished from zero.
const SMALLEST: f64 = 1e-6;
/// Codes of what has no logarithm.
const ABSENT: u32 = 0;
const ZERO: u32 = 1;

/// Appends a number in groups of seven bits, lowest first.
pub(crate) fn varint(mut value: u64, into: &mut Vec<u8>) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

/// How the values of all columns of a table are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Precision {
    /// Nanoseconds, or the number itself.
    Exact,
    /// Rounded to steps of 1 / `steps` of the natural logarithm.
    Logarithm { steps: f64 },
}

impl Precision {
    /// The finest that keeps columns within a budget, as far as the entropy of their codes tells.
    pub(crate) fn within(columns: &[&[f64]], budget_bytes: f64) -> Self {
        let fits =
            |steps: &f64| columns.iter().map(|column| entropy_bytes(column, *steps)).sum::<f64>() <= budget_bytes;
        let steps = STEPS_PER_E.into_iter().find(fits).unwrap_or(STEPS_PER_E[STEPS_PER_E.len() - 1]);
        Self::Logarithm { steps }
    }

    /// By how much of its size a value can be off.
    pub(crate) fn relative_error(self) -> f64 {
        match self {
            Self::Exact => 0.0,
            Self::Logarithm { steps } => (0.5 / steps).exp_m1(),
        }
    }

    /// Writes a column; NaN stands for a value that a request does not have.
    pub(crate) fn write(self, metric: Metric, values: &[f64], store: &mut ColumnStore) -> Value {
        match self {
            Self::Exact if metric.definition().shown == Unit::Milliseconds => {
                let mut bytes = Vec::with_capacity(values.len() * 4);
                for ms in values {
                    varint(nanos_code(*ms), &mut bytes);
                }
                with(store.put(&bytes), json!({"coding": "nanos"}))
            }
            Self::Exact => {
                let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                with(store.put(&bytes), json!({"coding": "f64"}))
            }
            Self::Logarithm { steps } => logarithms(values, steps, store),
        }
    }
}

fn with(mut place: Value, more: Value) -> Value {
    if let (Value::Object(place), Value::Object(more)) = (&mut place, more) {
        place.extend(more);
    }
    place
}

/// One more than the nanoseconds, so that 0 is free for what is absent.
fn nanos_code(ms: f64) -> u64 {
    if ms.is_nan() { 0 } else { (ms * 1e6).round() as u64 + 1 }
}

fn code(value: f64, steps: f64) -> u32 {
    if value.is_nan() {
        ABSENT
    } else if value < SMALLEST {
        ZERO
    } else {
        ((value / SMALLEST).ln() * steps).round() as u32 + ZERO + 1
    }
}

/// Codes less the smallest that has a logarithm, low bytes first and then, if there are any, high bytes: planes of
/// bytes compress better than pairs.
fn logarithms(values: &[f64], steps: f64, store: &mut ColumnStore) -> Value {
    let codes: Vec<u32> = values.iter().map(|value| code(*value, steps)).collect();
    let least = codes.iter().copied().filter(|code| *code > ZERO).min().unwrap_or(ZERO + 1);
    let base = least - (ZERO + 1);
    let moved = |code: &u32| if *code > ZERO { code - base } else { *code };
    let mut bytes: Vec<u8> = codes.iter().map(|code| moved(code) as u8).collect();
    let mut planes = 1;
    while codes.iter().any(|code| moved(code) >> (8 * planes) > 0) {
        bytes.extend(codes.iter().map(|code| (moved(code) >> (8 * planes)) as u8));
        planes += 1;
    }
    with(
        store.put(&bytes),
        json!({"coding": "log", "planes": planes, "base": base, "steps": steps, "smallest": SMALLEST}),
    )
}

/// What the codes of a column take at least, without regard to their order.
fn entropy_bytes(values: &[f64], steps: f64) -> f64 {
    let mut codes: Vec<u32> = values.iter().map(|value| code(*value, steps)).collect();
    codes.sort_unstable();
    let total = codes.len() as f64;
    let bits: f64 =
        codes.chunk_by(|a, b| a == b).map(|same| -(same.len() as f64 / total).log2() * same.len() as f64).sum();
    bits / 8.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_varint_has_seven_bits_in_a_byte() {
        let mut bytes = Vec::new();
        varint(0, &mut bytes);
        varint(127, &mut bytes);
        varint(300, &mut bytes);
        assert_eq!(bytes, [0, 127, 0xAC, 0x02]);
    }

    #[test]
    fn codes_of_logarithms_are_off_by_half_a_step_at_most() {
        for steps in STEPS_PER_E {
            for value in [0.000_3, 0.04, 1.0, 17.3, 43.892_721, 90_000.0] {
                let back = (f64::from(code(value, steps) - 2) / steps).exp() * SMALLEST;
                let error = Precision::Logarithm { steps }.relative_error();
                assert!((back / value - 1.0).abs() <= error * (1.0 + 1e-9), "{value}: {back}");
            }
        }
        assert_eq!((code(f64::NAN, 100.0), code(0.0, 100.0)), (ABSENT, ZERO));
    }

    #[test]
    fn a_small_budget_makes_steps_coarser() {
        let spread: Vec<f64> = (1..10_000).map(|i| f64::from(i) * 0.37).collect();
        let Precision::Logarithm { steps: fine } = Precision::within(&[&spread], 1e9) else { panic!() };
        let Precision::Logarithm { steps: coarse } = Precision::within(&[&spread], 9_000.0) else { panic!() };
        assert!(fine > 999.0 && coarse < fine, "{fine} {coarse}");
    }
}
