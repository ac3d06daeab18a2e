//! Values of trace fields, read with errors that say what was expected.

use std::fmt;
use std::sync::Arc;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use crate::{BlockId, not_json};

/// A non-negative whole number. Some writers turn 12 into 12.0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WholeNumber(pub(crate) u64);

/// A finite non-negative number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NonNegative(pub(crate) f64);

/// A string, or a number in place of a string.
#[derive(Debug, Clone)]
pub(crate) struct NameOrNumber(pub(crate) Arc<str>);

/// The largest whole number that a float holds exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A whole number that was written with a fraction.
fn whole(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() <= EXACT).then_some(value as i64)
}

impl<'de> Deserialize<'de> for WholeNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WholeNumberVisitor;
        impl Visitor<'_> for WholeNumberVisitor {
            type Value = WholeNumber;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a non-negative whole number")
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<WholeNumber, E> {
                Ok(WholeNumber(value))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<WholeNumber, E> {
                u64::try_from(value).map(WholeNumber).map_err(|_| E::invalid_value(Unexpected::Signed(value), &self))
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<WholeNumber, E> {
                let count = whole(value).and_then(|value| u64::try_from(value).ok()).map(WholeNumber);
                count.ok_or_else(|| E::invalid_value(Unexpected::Float(value), &self))
            }
        }
        deserializer.deserialize_any(WholeNumberVisitor)
    }
}

impl<'de> Deserialize<'de> for NonNegative {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NonNegativeVisitor;
        impl Visitor<'_> for NonNegativeVisitor {
            type Value = NonNegative;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a non-negative number")
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<NonNegative, E> {
                Ok(NonNegative(value as f64))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<NonNegative, E> {
                let time = u64::try_from(value).map(|value| NonNegative(value as f64));
                time.map_err(|_| E::invalid_value(Unexpected::Signed(value), &self))
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<NonNegative, E> {
                if value >= 0.0 {
                    Ok(NonNegative(value))
                } else {
                    Err(E::invalid_value(Unexpected::Float(value), &self))
                }
            }
        }
        deserializer.deserialize_any(NonNegativeVisitor)
    }
}

impl<'de> Deserialize<'de> for NameOrNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrNumberVisitor;
        impl Visitor<'_> for NameOrNumberVisitor {
            type Value = NameOrNumber;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_str<E: Error>(self, value: &str) -> Result<NameOrNumber, E> {
                Ok(NameOrNumber(Arc::from(value)))
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<NameOrNumber, E> {
                Ok(NameOrNumber(Arc::from(value.to_string())))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<NameOrNumber, E> {
                Ok(NameOrNumber(Arc::from(value.to_string())))
            }
        }
        deserializer.deserialize_any(NameOrNumberVisitor)
    }
}

impl<'de> Deserialize<'de> for BlockId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BlockIdVisitor;
        impl Visitor<'_> for BlockIdVisitor {
            type Value = BlockId;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of whole numbers")
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<BlockId, E> {
                Ok(BlockId(value as i64))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<BlockId, E> {
                Ok(BlockId(value))
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<BlockId, E> {
                whole(value).map(BlockId).ok_or_else(|| E::invalid_value(Unexpected::Float(value), &self))
            }
        }
        deserializer.deserialize_any(BlockIdVisitor)
    }
}

/// Parses a line as `T`. The error names the field, unlike the error of serde.
pub(crate) fn object<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, String> {
    if line.first() != Some(&b'{') {
        return Err("a JSON object is expected".to_owned());
    }
    serde_json::from_slice(line).map_err(|error| {
        if error.is_syntax() || error.is_eof() {
            return not_json(line, &error);
        }
        let problem = error.to_string();
        // serde counts lines within this one line.
        let problem = problem.rsplit_once(" at line ").map_or(problem.as_str(), |(problem, _)| problem);
        match field_before(line, error.column()) {
            Some(field) => format!("{field}: {problem}"),
            None => problem.to_owned(),
        }
    })
}

/// The last key of the object itself that begins before `column`.
fn field_before(line: &[u8], column: usize) -> Option<String> {
    let (mut depth, mut at, mut found) = (0_usize, 0, None);
    while at < line.len().min(column) {
        match line[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let start = at + 1;
                at = start;
                while at < line.len() && line[at] != b'"' {
                    at += if line[at] == b'\\' { 2 } else { 1 };
                }
                let text = line.get(start..at)?;
                let key = line.get(at + 1..)?.trim_ascii_start().first() == Some(&b':');
                if depth == 1 && key {
                    found = Some(String::from_utf8_lossy(text).into_owned());
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}
