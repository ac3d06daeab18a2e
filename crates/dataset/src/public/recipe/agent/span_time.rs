//! Times of spans: dates, or numbers since the epoch whose magnitude determines the unit.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

const MICROS_PER_MS: f64 = 1e3;
/// Pairs of the smallest number in a unit and the number of units in a millisecond: nanoseconds, microseconds, milliseconds.
const SCALES: [(f64, f64); 3] = [(1e17, 1e6), (1e14, 1e3), (1e11, 1.0)];
const SECOND: f64 = 1e-3;

/// Microseconds since the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SpanTime(i64);

impl SpanTime {
    pub(super) fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => Self::of_number(number.as_f64()?),
            Value::String(text) => Self::of_date(text).or_else(|| Self::of_number(text.parse().ok()?)),
            _ => None,
        }
    }

    /// Parses a date. A date without a zone is UTC.
    fn of_date(text: &str) -> Option<Self> {
        let stamp = match text.parse::<Timestamp>() {
            Ok(stamp) => stamp,
            Err(_) => text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp(),
        };
        Some(Self(stamp.as_microsecond()))
    }

    fn of_number(number: f64) -> Option<Self> {
        let per_ms = SCALES.iter().find(|(from, _)| number.abs() >= *from).map_or(SECOND, |(_, per_ms)| *per_ms);
        let micros = (number / per_ms * MICROS_PER_MS).round();
        micros.is_finite().then_some(Self(micros as i64))
    }

    pub(super) fn ms(self) -> f64 {
        self.0 as f64 / MICROS_PER_MS
    }

    /// The milliseconds since an earlier time; zero if it is not earlier.
    pub(super) fn ms_after(self, earlier: Self) -> f64 {
        Self(self.0.saturating_sub(earlier.0).max(0)).ms()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_and_texts_are_the_same_times() {
        for value in [
            json!("1970-01-02T00:00:00Z"),
            json!("1970-01-02T01:00:00+01:00"),
            json!("1970-01-02T00:00:00"),
            json!(86_400),
        ] {
            assert_eq!(SpanTime::read(&value).map(SpanTime::ms), Some(86_400_000.0), "{value}");
        }
        for value in [json!(1_778_144_699_116_i64), json!(1_778_144_699_116_000_i64), json!("1778144699116000000")] {
            assert_eq!(SpanTime::read(&value).map(SpanTime::ms), Some(1_778_144_699_116.0), "{value}");
        }
        assert_eq!(SpanTime::read(&json!("soon")), None);
    }
}
