//! The time that throughput is measured over. The run knew it best; without its word it is from the first permission to
//! send until the last request ended.

use aiperf_clock::Mono;
use aiperf_metrics::PhaseWindow;
use serde_json::Value;

use crate::origin::RunOrigin;
use crate::records::PhaseRecords;

const QUARTER_HOUR: i128 = 15 * 60 * 1_000_000_000;

pub(crate) fn of_phase(origin: &RunOrigin, phase: &PhaseRecords) -> PhaseWindow {
    let (start, end) = of_records(origin, &phase.name, phase.first_credit, phase.last_end);
    PhaseWindow::new(Mono::from_nanos(start), Mono::from_nanos(end))
}

/// Whether nobody but the records tells the window of a phase: then it begins and ends with them, and the run's own may have been
/// longer.
pub(crate) fn is_estimated(origin: &RunOrigin, phase: &PhaseRecords) -> bool {
    let said_so = || {
        let phases = origin.summary.as_ref()?["rebuilt"]["phases"].as_array()?;
        phases.iter().find(|entry| entry["phase_name"] == phase.name)?["window_is_estimated"].as_bool()
    };
    said_so().unwrap_or_else(|| noted(origin, &phase.name, phase.first_credit).is_none())
}

/// Start and end in epoch time of a phase whose records are known by the first permission to send and the last end.
pub(crate) fn of_records(origin: &RunOrigin, name: &str, first_credit: u64, last_end: u64) -> (u64, u64) {
    let noted = noted(origin, name, first_credit).filter(|(start, end)| start <= end && *start <= first_credit);
    noted.unwrap_or((first_credit, last_end))
}

fn noted(origin: &RunOrigin, name: &str, first_credit: u64) -> Option<(u64, u64)> {
    let summary = origin.summary.as_ref()?;
    let listed = |phases: &Value| {
        let entry = phases.as_array()?.iter().find(|entry| entry["phase_name"] == name)?;
        Some((entry["start_ns"].as_u64()?, entry["end_ns"].as_u64()?))
    };
    let counted = listed(&summary["phase_accounting"]).or_else(|| listed(&summary["rebuilt"]["phases"]));
    let manifest = || listed(&origin.manifest.as_ref()?["phases"]);
    let times = || {
        let start = local_nanos(summary["start_time"].as_str()?)?;
        let end = local_nanos(summary["end_time"].as_str()?)?;
        // Local times without a zone: the zone is what is left between them and the records.
        let apart = start - i128::from(first_credit);
        let zone = (apart + apart.signum() * QUARTER_HOUR / 2) / QUARTER_HOUR * QUARTER_HOUR;
        Some((u64::try_from(start - zone).ok()?, u64::try_from(end - zone).ok()?))
    };
    counted.or_else(manifest).or_else(|| if name == "profiling" { times() } else { None })
}

/// `2026-11-15T00:55:08.908411`, as if it were UTC.
fn local_nanos(text: &str) -> Option<i128> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i128>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let seconds = (number(11, 13)? * 60 + number(14, 16)?) * 60 + number(17, 19)?;
    let micros = number(20, 26).unwrap_or(0);
    // Howard Hinnant's count of days since 1970, with years that begin in March.
    let (year, shifted) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * shifted + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some(((days * 86_400 + seconds) * 1_000_000 + micros) * 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_times_are_read_to_the_microsecond() {
        assert_eq!(local_nanos("1970-01-01T00:00:00.000001"), Some(1_000));
        assert_eq!(local_nanos("2026-11-15T00:55:08.908411"), Some(1_794_704_108_908_411_000));
        assert_eq!(local_nanos("2024-02-29T12:00:00.000000"), Some(1_709_208_000_000_000_000));
        assert_eq!(local_nanos("yesterday"), None);
    }
}
