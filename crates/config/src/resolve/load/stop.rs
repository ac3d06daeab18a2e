//! When the measured phase stops sending, and how long it then waits for answers.

use std::time::Duration;

use super::mode::Mode;
use super::windows;
use crate::catalogue::OptionId;
use crate::{ConfigError, DatasetConfig, DatasetSource, FileFormat, GracePeriod, RawOptions, StopConditions};

/// Sent when nothing says when to stop, whatever the concurrency.
const DEFAULT_REQUESTS: u64 = 10;
/// Time for answers still on their way when the duration is over.
const DEFAULT_GRACE: Duration = Duration::from_secs(30);

pub(super) fn conditions(raw: &RawOptions, mode: Mode, dataset: &DatasetConfig) -> Result<StopConditions, ConfigError> {
    if let Some(windows) = windows::resolve(raw, mode)? {
        let duration = Some(windows.longest());
        return Ok(StopConditions { duration, windows: Some(windows), ..StopConditions::default() });
    }
    let mut stop = StopConditions {
        requests: raw.int(OptionId::RequestCount)?,
        sessions: raw.int(OptionId::ConversationNum)?,
        duration: raw.seconds(OptionId::BenchmarkDuration)?,
        whole_dataset: mode == Mode::FixedSchedule,
        windows: None,
    };
    if stop == StopConditions::default() {
        if branches(dataset) {
            stop.whole_dataset = true;
        } else {
            stop.requests = Some(DEFAULT_REQUESTS);
        }
    }
    Ok(stop)
}

fn branches(dataset: &DatasetConfig) -> bool {
    matches!(&dataset.source, DatasetSource::File(file) if file.format == Some(FileFormat::DagJsonl))
}

pub(super) fn grace(raw: &RawOptions, stop: &StopConditions) -> Result<GracePeriod, ConfigError> {
    let id = OptionId::BenchmarkGracePeriod;
    match (stop.duration, raw.wait(id)?) {
        (None, Some(_)) => {
            let needs =
                format!("{} or {}", raw.spelling(OptionId::BenchmarkDuration), OptionId::MeasurementInterval.flag());
            Err(raw.needs_text(id, &needs, "it begins when the time is over"))
        }
        (None, None) => Ok(GracePeriod::Unlimited),
        (Some(_), grace) => Ok(grace.unwrap_or(GracePeriod::Limited(DEFAULT_GRACE))),
    }
}
