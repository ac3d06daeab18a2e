//! Wall-clock times as people and the summary files write them.

use aiperf_clock::EpochNanos;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The time zone of a report.
#[derive(Debug, Clone)]
pub struct LocalZone(TimeZone);

impl LocalZone {
    /// The zone of this machine; UTC if it cannot be found.
    pub fn system() -> Self {
        Self(TimeZone::try_system().unwrap_or(TimeZone::UTC))
    }

    pub fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// ISO 8601 in UTC to the second, with its zone: later times sort later.
    pub fn utc_seconds(at: EpochNanos) -> String {
        let seconds = i64::try_from(at.0 / 1_000_000_000).unwrap_or(i64::MAX);
        Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    /// ISO 8601 to the microsecond, without a zone.
    pub(crate) fn iso(&self, at: EpochNanos) -> String {
        let micros = i64::try_from(at.0.saturating_add(500) / 1_000).unwrap_or(i64::MAX);
        let local = Timestamp::from_microsecond(micros).unwrap_or(Timestamp::MAX).to_zoned(self.0.clone());
        local.strftime("%Y-%m-%dT%H:%M:%S.%6f").to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_to_the_microsecond() {
        let at = EpochNanos(1_794_704_108_908_410_525);
        assert_eq!(LocalZone::utc_seconds(at), "2026-11-15T00:55:08Z");
        assert_eq!(LocalZone::utc().iso(at), "2026-11-15T00:55:08.908411");
    }
}
