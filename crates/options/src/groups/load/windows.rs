//! Measuring in windows until they agree: how long, how near, how many, and what that goes with.

use std::time::Duration;

use aiperf_config::Windows;

use super::mode::Mode;
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

const DEFAULT_STABILITY: f64 = 10.0;
const DEFAULT_MOST: u32 = 10;

/// Other options that end the measured phase.
const OTHER_ENDS: [(OptionId, &str); 3] = [
    (
        OptionId::RequestCount,
        "one ends the run after a number of requests, the other when the last windows agree; leave one of them out",
    ),
    (
        OptionId::BenchmarkDuration,
        "the run ends when the last windows agree, at the latest after --max-trials windows; leave one of them out",
    ),
    (
        OptionId::ConversationNum,
        "the run ends when the last windows agree, however many sessions that takes; how many there are to draw from is said \
         by --num-dataset-entries",
    ),
];

pub(super) fn resolve(raw: &RawOptions, mode: Mode) -> Result<Option<Windows>, ConfigError> {
    let id = OptionId::MeasurementInterval;
    let stability = raw.float(OptionId::StabilityPercentage)?;
    let most = raw.int(OptionId::MaxTrials)?;
    let Some(interval) = raw.int(id)? else {
        let lonely = [OptionId::StabilityPercentage, OptionId::MaxTrials].into_iter().find(|id| raw.is_given(*id));
        return match lonely {
            Some(other) => Err(raw.needs(other, id, "it applies to measurement windows")),
            None => Ok(None),
        };
    };
    if mode == Mode::FixedSchedule {
        let why = "a schedule is sent once, and its load changes over time";
        return Err(raw.conflict(id, OptionId::FixedSchedule, why));
    }
    if let Some((other, why)) = OTHER_ENDS.into_iter().find(|(other, _)| raw.is_given(*other)) {
        return Err(raw.conflict(id, other, why));
    }
    Ok(Some(Windows {
        interval: Duration::from_millis(interval),
        stability: stability.unwrap_or(DEFAULT_STABILITY),
        most: most.unwrap_or(DEFAULT_MOST),
    }))
}

/// Any option about windows.
pub(super) fn any_given(raw: &RawOptions) -> Option<OptionId> {
    [OptionId::MeasurementInterval, OptionId::StabilityPercentage, OptionId::MaxTrials]
        .into_iter()
        .find(|id| raw.is_given(*id))
}
