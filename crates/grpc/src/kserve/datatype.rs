//! The types of tensors, and JSON values as elements of them.

use serde_json::Value;
use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Datatype {
    Bool,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Int8,
    Int16,
    Int32,
    Int64,
    Fp16,
    Fp32,
    Fp64,
    Bf16,
    Bytes,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{value} is not a value of type {datatype}")]
pub struct ElementError {
    pub value: String,
    pub datatype: &'static str,
}

impl Datatype {
    const ALL: [Self; 14] = [
        Self::Bool,
        Self::Uint8,
        Self::Uint16,
        Self::Uint32,
        Self::Uint64,
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Int64,
        Self::Fp16,
        Self::Fp32,
        Self::Fp64,
        Self::Bf16,
        Self::Bytes,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "BOOL",
            Self::Uint8 => "UINT8",
            Self::Uint16 => "UINT16",
            Self::Uint32 => "UINT32",
            Self::Uint64 => "UINT64",
            Self::Int8 => "INT8",
            Self::Int16 => "INT16",
            Self::Int32 => "INT32",
            Self::Int64 => "INT64",
            Self::Fp16 => "FP16",
            Self::Fp32 => "FP32",
            Self::Fp64 => "FP64",
            Self::Bf16 => "BF16",
            Self::Bytes => "BYTES",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|datatype| datatype.name() == name)
    }

    /// The type of a value if no model says otherwise.
    pub fn of_value(value: &Value) -> Self {
        match value {
            Value::Bool(_) => Self::Bool,
            Value::Number(number) if number.is_f64() => Self::Fp32,
            Value::Number(_) => Self::Int32,
            Value::Array(all) => all.first().map_or(Self::Bytes, Self::of_value),
            Value::Null | Value::String(_) | Value::Object(_) => Self::Bytes,
        }
    }

    /// The value as JSON tensors hold it: a number for a truth value that a model wants as one, text for anything that
    /// is to be BYTES.
    pub fn element(self, value: &Value) -> Result<Value, ElementError> {
        let wrong = || ElementError { value: value.to_string(), datatype: self.name() };
        match (self, value) {
            (Self::Bytes, Value::String(_)) | (Self::Bool, Value::Bool(_)) => Ok(value.clone()),
            (Self::Bytes, other) => Ok(Value::String(other.to_string())),
            (Self::Bool, Value::Number(number)) if number.as_u64().is_some_and(|n| n < 2) => {
                Ok(Value::Bool(number.as_u64() == Some(1)))
            }
            (Self::Fp16 | Self::Fp32 | Self::Fp64 | Self::Bf16, Value::Number(number)) => {
                number.as_f64().map(Value::from).ok_or_else(wrong)
            }
            (Self::Bool | Self::Fp16 | Self::Fp32 | Self::Fp64 | Self::Bf16, _) => Err(wrong()),
            (_, Value::Bool(flag)) => Ok(Value::from(u8::from(*flag))),
            (_, Value::Number(_)) => {
                let number = whole(value).filter(|number| self.holds(*number)).ok_or_else(wrong)?;
                if number < 0 { i64::try_from(number).map(Value::from) } else { u64::try_from(number).map(Value::from) }
                    .map_err(|_| wrong())
            }
            _ => Err(wrong()),
        }
    }

    fn holds(self, number: i128) -> bool {
        match self {
            Self::Uint8 => u8::try_from(number).is_ok(),
            Self::Uint16 => u16::try_from(number).is_ok(),
            Self::Uint32 => u32::try_from(number).is_ok(),
            Self::Uint64 => u64::try_from(number).is_ok(),
            Self::Int8 => i8::try_from(number).is_ok(),
            Self::Int16 => i16::try_from(number).is_ok(),
            Self::Int32 => i32::try_from(number).is_ok(),
            Self::Int64 => i64::try_from(number).is_ok(),
            Self::Bool | Self::Fp16 | Self::Fp32 | Self::Fp64 | Self::Bf16 | Self::Bytes => false,
        }
    }

    /// Adds the value to the bytes of a raw tensor: little-endian, texts with their length before them.
    pub fn put(self, value: &Value, out: &mut Vec<u8>) -> Result<(), ElementError> {
        let element = self.element(value)?;
        let number = || whole(&element).unwrap_or_default();
        let float = || element.as_f64().unwrap_or_default();
        match self {
            Self::Bool => out.push(u8::from(element == Value::Bool(true))),
            Self::Uint8 | Self::Int8 => out.push(number() as u8),
            Self::Uint16 | Self::Int16 => out.extend_from_slice(&(number() as u16).to_le_bytes()),
            Self::Uint32 | Self::Int32 => out.extend_from_slice(&(number() as u32).to_le_bytes()),
            Self::Uint64 | Self::Int64 => out.extend_from_slice(&(number() as u64).to_le_bytes()),
            Self::Fp16 => out.extend_from_slice(&half(float() as f32).to_le_bytes()),
            Self::Fp32 => out.extend_from_slice(&(float() as f32).to_le_bytes()),
            Self::Fp64 => out.extend_from_slice(&float().to_le_bytes()),
            Self::Bf16 => out.extend_from_slice(&brain(float() as f32).to_le_bytes()),
            Self::Bytes => put_bytes(element.as_str().unwrap_or_default().as_bytes(), out),
        }
        Ok(())
    }
}

fn whole(value: &Value) -> Option<i128> {
    value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from))
}

impl Datatype {
    /// The elements of a raw tensor, as JSON. Bytes that are not text are shown with replacement characters.
    pub(crate) fn elements(self, raw: &[u8]) -> Vec<Value> {
        macro_rules! each {
            ($number:ty) => {
                raw.as_chunks().0.iter().map(|bytes| Value::from(<$number>::from_le_bytes(*bytes))).collect()
            };
        }
        match self {
            Self::Bool => raw.iter().map(|byte| Value::Bool(*byte != 0)).collect(),
            Self::Uint8 => each!(u8),
            Self::Uint16 => each!(u16),
            Self::Fp16 => raw.as_chunks().0.iter().map(|bytes| from_half(u16::from_le_bytes(*bytes)).into()).collect(),
            Self::Bf16 => {
                let wide = |bytes: &[u8; 2]| f32::from_bits(u32::from(u16::from_le_bytes(*bytes)) << 16);
                raw.as_chunks().0.iter().map(|bytes| wide(bytes).into()).collect()
            }
            Self::Uint32 => each!(u32),
            Self::Uint64 => each!(u64),
            Self::Int8 => each!(i8),
            Self::Int16 => each!(i16),
            Self::Int32 => each!(i32),
            Self::Int64 => each!(i64),
            Self::Fp32 => each!(f32),
            Self::Fp64 => each!(f64),
            Self::Bytes => {
                split_bytes(raw).iter().map(|text| Value::from(String::from_utf8_lossy(text).into_owned())).collect()
            }
        }
    }
}

/// One element of a raw tensor of type BYTES.
pub(crate) fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend_from_slice(bytes);
}

/// The elements of a raw tensor of type BYTES; one whose length is wrong ends it.
pub(crate) fn split_bytes(mut raw: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    while let Some((length, rest)) = raw.split_first_chunk::<4>() {
        let Some((element, rest)) = rest.split_at_checked(u32::from_le_bytes(*length) as usize) else { break };
        all.push(element.to_vec());
        raw = rest;
    }
    all
}

/// Rounded to nearest, ties to even.
fn brain(value: f32) -> u16 {
    let bits = value.to_bits();
    if value.is_nan() {
        return 0x7fc0;
    }
    ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) as u16
}

/// IEEE half precision, rounded to nearest, ties to even.
fn half(value: f32) -> u16 {
    let sign = ((value.to_bits() >> 16) & 0x8000) as u16;
    let magnitude = f64::from(value.abs());
    if value.is_nan() {
        return sign | 0x7e00;
    }
    if magnitude >= 65_520.0 {
        return sign | 0x7c00;
    }
    // In units of the smallest step that the exponent has.
    let exponent = if magnitude < 2f64.powi(-14) { -14 } else { magnitude.log2().floor() as i32 };
    let steps = (magnitude / 2f64.powi(exponent - 10)).round_ties_even() as u16;
    let biased = (exponent + 15) as u16;
    // Normal numbers have an implicit 1 before the point, the 1024 of the steps; a carry goes into the exponent.
    sign | if steps < 1024 { steps } else { ((biased - 1) << 10) + steps }
}

fn from_half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn raw(datatype: Datatype, value: &Value) -> Vec<u8> {
        let mut out = Vec::new();
        datatype.put(value, &mut out).unwrap();
        out
    }

    #[test]
    fn values_are_written_as_the_model_wants_them() {
        assert_eq!(raw(Datatype::Int32, &json!(-2)), (-2_i32).to_le_bytes());
        assert_eq!(raw(Datatype::Uint64, &json!(u64::MAX)), u64::MAX.to_le_bytes());
        assert_eq!(raw(Datatype::Fp32, &json!(1)), 1_f32.to_le_bytes());
        assert_eq!(raw(Datatype::Fp64, &json!(0.5)), 0.5_f64.to_le_bytes());
        assert_eq!(raw(Datatype::Bool, &json!(true)), [1]);
        assert_eq!(raw(Datatype::Int8, &json!(true)), [1]);
        assert_eq!(raw(Datatype::Bytes, &json!("ä")), [2, 0, 0, 0, 0xc3, 0xa4]);
        assert_eq!(raw(Datatype::Bytes, &json!({"a": 1})), [&[7, 0, 0, 0][..], br#"{"a":1}"#].concat());
    }

    #[test]
    fn half_precision_rounds_to_the_nearest() {
        for (value, bits) in [
            (0.0, 0),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (0.1, 0x2e66),
            (65_504.0, 0x7bff),
            (1e6, 0x7c00),
            (6e-8, 1),
            (2047.999, 0x6800),
        ] {
            assert_eq!(half(value), bits, "{value}");
        }
        assert_eq!(brain(1.0), 0x3f80);
    }

    #[test]
    fn half_precision_reads_back_what_it_wrote() {
        for bits in (0..=u16::MAX).filter(|bits| bits & 0x7c00 != 0x7c00) {
            assert_eq!(half(from_half(bits) as f32), bits, "{bits:#06x}");
        }
        assert_eq!(Datatype::Bf16.elements(&[0x80, 0x3f]), [json!(1.0)]);
        assert_eq!(Datatype::Fp16.elements(&[0, 0x3c, 0xff, 0x7b]), [json!(1.0), json!(65_504.0)]);
    }

    #[test]
    fn a_value_that_does_not_fit_is_refused() {
        let refused = |datatype: Datatype, value: Value| datatype.put(&value, &mut Vec::new()).unwrap_err().to_string();
        assert_eq!(refused(Datatype::Int32, json!("x")), "\"x\" is not a value of type INT32");
        assert_eq!(refused(Datatype::Uint8, json!(256)), "256 is not a value of type UINT8");
        assert_eq!(refused(Datatype::Int64, json!(0.5)), "0.5 is not a value of type INT64");
        assert_eq!(refused(Datatype::Bool, json!(2)), "2 is not a value of type BOOL");
        assert_eq!(refused(Datatype::Fp32, json!(true)), "true is not a value of type FP32");
    }

    #[test]
    fn texts_come_apart_again_and_a_wrong_length_ends_them() {
        let mut out = Vec::new();
        put_bytes(b"ab", &mut out);
        put_bytes(b"", &mut out);
        assert_eq!(split_bytes(&out), [b"ab".to_vec(), Vec::new()]);
        out.extend_from_slice(&[9, 0, 0, 0, 1]);
        assert_eq!(split_bytes(&out).len(), 2);
    }
}
