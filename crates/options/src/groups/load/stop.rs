//! When the measured phase stops sending, and how long it then waits for answers.

use std::time::Duration;

use aiperf_config::{DatasetConfig, DatasetSource, GracePeriod, RateCurve, StopConditions};

use super::mode::Mode;
use super::windows;
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

/// What is sent when nothing says when to stop: at least this many requests,
const LEAST_REQUESTS: u64 = 10;
/// this many for each session in flight or each user, so that the load is reached and held,
const REQUESTS_EACH: u64 = 2;
/// and as many as a rate sends in this time.
const SECONDS_OF_RATE: f64 = 10.0;
/// Time for answers still on their way when the duration is over.
const DEFAULT_GRACE: Duration = Duration::from_secs(30);

pub(super) fn conditions(raw: &RawOptions, mode: Mode, dataset: &DatasetConfig) -> Result<StopConditions, ConfigError> {
    // No question is asked twice, whatever else ends the phase.
    let asks_questions = matches!(dataset.source, DatasetSource::Accuracy(_));
    if let Some(windows) = windows::resolve(raw, mode)? {
        let duration = Some(windows.longest());
        return Ok(StopConditions {
            duration,
            windows: Some(windows),
            whole_dataset: asks_questions,
            ..StopConditions::default()
        });
    }
    let mut stop = StopConditions {
        requests: raw.int(OptionId::RequestCount)?,
        sessions: raw.int(OptionId::ConversationNum)?,
        duration: raw.seconds(OptionId::BenchmarkDuration)?,
        whole_dataset: mode == Mode::FixedSchedule || asks_questions,
        windows: None,
    };
    if stop == StopConditions::default() {
        // Users come back with new conversations for as long as the run lasts.
        if matches!(dataset.source, DatasetSource::File(_)) && mode != Mode::UserCentric {
            stop.whole_dataset = true;
        } else {
            stop.requests = usual_requests(raw)?;
        }
    }
    Ok(stop)
}

/// Requests that are sent when nothing says when to stop; `None` for a series of rates, which ends by its own time.
pub(in crate::groups) fn usual_requests(raw: &RawOptions) -> Result<Option<u64>, ConfigError> {
    if raw.is_given(OptionId::RequestRateSeries) {
        return Ok(None);
    }
    let in_flight: u64 = raw.int(OptionId::Concurrency)?.unwrap_or(1);
    let users: u64 = raw.int(OptionId::NumUsers)?.unwrap_or(0);
    let rate = raw.float(OptionId::UserCentricRate)?.or(raw.float_or_inf(OptionId::RequestRate)?);
    Ok(Some(requests_at(rate.unwrap_or(0.0)).max(in_flight.max(users).saturating_mul(REQUESTS_EACH))))
}

fn requests_at(per_second: f64) -> u64 {
    let finite = if per_second.is_finite() { per_second } else { 0.0 };
    LEAST_REQUESTS.max((finite * SECONDS_OF_RATE).ceil() as u64)
}

/// A series of rates is sent from its first point to its last when nothing else says when to stop.
pub(super) fn or_whole_series(stop: &mut StopConditions, rate: &RateCurve) {
    if *stop != StopConditions::default() {
        return;
    }
    match rate.points.last() {
        Some(last) if !last.at.is_zero() => {
            stop.duration = Some(last.at + rate.ramp.map(|ramp| ramp.duration).unwrap_or_default());
        }
        last => stop.requests = Some(requests_at(last.map_or(0.0, |point| point.per_second))),
    }
}

/// Users pause between their turns for as long as the rate says, so that a turn which was begun may take any time to answer.
pub(super) fn grace(raw: &RawOptions, stop: &StopConditions, mode: Mode) -> Result<GracePeriod, ConfigError> {
    let id = OptionId::BenchmarkGracePeriod;
    match (stop.duration, raw.wait(id)?) {
        (None, Some(_)) => {
            let needs =
                format!("{} or {}", raw.spelling(OptionId::BenchmarkDuration), OptionId::MeasurementInterval.flag());
            Err(raw.needs_text(id, &needs, "the grace period begins when that duration is over"))
        }
        (None, None) => Ok(GracePeriod::Unlimited),
        (Some(_), Some(grace)) => Ok(grace),
        (Some(_), None) if mode == Mode::UserCentric => Ok(GracePeriod::Unlimited),
        (Some(_), None) => Ok(GracePeriod::Limited(DEFAULT_GRACE)),
    }
}
