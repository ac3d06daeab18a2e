//! Logs before a replay starts what it will send: how many requests, over which time, and what is left out.

use aiperf_config::{Config, DatasetSource, PhaseConfig};
use aiperf_dataset::Dataset;
use aiperf_engine::FixedSchedule;

use crate::error::RunError;

/// A longer schedule has wrong timestamps.
const LONGEST_S: f64 = 366.0 * DAY_S;
/// A time without any request that is worth a warning.
const LONG_GAP_S: f64 = 600.0;
const MINUTE_S: f64 = 60.0;
const HOUR_S: f64 = 60.0 * MINUTE_S;
const DAY_S: f64 = 24.0 * HOUR_S;
const YEAR_S: f64 = 365.25 * DAY_S;

/// The part of a schedule that is sent.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SchedulePart {
    requests: u64,
    span_s: f64,
    longest_gap_s: f64,
}

pub(crate) fn check(
    config: &Config,
    phase: &PhaseConfig,
    dataset: &Dataset,
    schedule: &FixedSchedule,
) -> Result<(), RunError> {
    let turns = |conversation: usize| dataset.outlines()[conversation].turns.len() as u64;
    let all: u64 = schedule.iter().map(|(conversation, _)| turns(*conversation)).sum();
    let asked = phase.stop.requests.unwrap_or(u64::MAX);
    let sessions = phase.stop.sessions.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let part = part(schedule.iter().take(sessions).map(|(conversation, at)| (*at, turns(*conversation))), asked);
    if phase.stop.requests.is_some() && asked > all {
        log::warn!("--request-count {asked}: the schedule has only {all} requests; all of them are sent");
    } else if part.requests < all {
        log::info!("Sending the first {} of the {all} requests of the schedule", part.requests);
    }
    let limit = phase.stop.duration.map_or(f64::INFINITY, |duration| duration.as_secs_f64());
    if part.span_s.min(limit) > LONGEST_S {
        return Err(RunError::EndlessSchedule { data: data(config), span: length(part.span_s) });
    }
    log::info!(
        "Replaying {} requests at their recorded times over {}; use --no-fixed-schedule to ignore these times",
        part.requests,
        length(part.span_s.min(limit))
    );
    if part.longest_gap_s.min(limit) > LONG_GAP_S {
        log::warn!(
            "The schedule has a gap of {} without requests; shorten such gaps of a trace with --max-idle-gap-cap-seconds",
            length(part.longest_gap_s)
        );
    }
    Ok(())
}

/// The first sessions, by their times and turns, until there are enough requests.
fn part(sessions: impl Iterator<Item = (f64, u64)>, asked: u64) -> SchedulePart {
    let mut part = SchedulePart { requests: 0, span_s: 0.0, longest_gap_s: 0.0 };
    let (mut first, mut last) = (None, 0.0);
    for (at_ms, turns) in sessions {
        if part.requests >= asked {
            break;
        }
        let start = *first.get_or_insert(at_ms);
        if part.requests > 0 {
            part.longest_gap_s = part.longest_gap_s.max((at_ms - last) / 1e3);
        }
        last = at_ms;
        part.span_s = (at_ms - start) / 1e3;
        part.requests = part.requests.saturating_add(turns).min(asked);
    }
    part
}

fn data(config: &Config) -> String {
    match &config.dataset.source {
        DatasetSource::File(file) => format!("--input-file {}", file.path.display()),
        DatasetSource::Public(public) => format!("--public-dataset {}", public.set.name),
        DatasetSource::Synthetic(_) | DatasetSource::Accuracy(_) => "the data set".to_owned(),
    }
}

/// A length of time in the unit that suits it.
fn length(seconds: f64) -> String {
    match seconds {
        s if s < 2.0 * MINUTE_S => format!("{s:.1} s"),
        s if s < 2.0 * HOUR_S => format!("{:.1} minutes", s / MINUTE_S),
        s if s < 2.0 * DAY_S => format!("{:.1} hours", s / HOUR_S),
        s if s < 2.0 * YEAR_S => format!("{:.1} days", s / DAY_S),
        s => format!("{:.0} years", s / YEAR_S),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_schedule_ends_with_the_session_that_has_the_last_request() {
        let sessions = [(5_000.0, 1), (6_000.0, 3), (16_000.0, 1), (17_000.0, 1)];
        let whole = part(sessions.into_iter(), u64::MAX);
        assert_eq!(whole, SchedulePart { requests: 6, span_s: 12.0, longest_gap_s: 10.0 });
        assert_eq!(part(sessions.into_iter(), 3), SchedulePart { requests: 3, span_s: 1.0, longest_gap_s: 1.0 });
        assert_eq!(part(std::iter::empty(), 3), SchedulePart { requests: 0, span_s: 0.0, longest_gap_s: 0.0 });
    }

    #[test]
    fn a_time_is_told_in_a_unit_that_people_can_judge() {
        let told = [3.0, 600.0, 36_000.0, 5_270_400.0, 1e12].map(length);
        assert_eq!(told, ["3.0 s", "10.0 minutes", "10.0 hours", "61.0 days", "31688 years"]);
    }
}
