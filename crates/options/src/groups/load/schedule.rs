//! The fixed schedule: which data it can take, which part of it, and which time of it is the start.

use aiperf_config::{DatasetConfig, DatasetSource, Sampling, ScheduleZero, TimeWindow};

use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::{ConfigError, RawOptions};

/// Fixed Schedule: replay at recorded times.
pub(crate) const FIXED_SCHEDULE: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::FixedSchedule,
        &["fixed-schedule"],
        ValueKind::Flag,
        "Send each request at the timestamp of its row in the input file. This is the default for traces.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::NoFixedSchedule,
        &["no-fixed-schedule"],
        ValueKind::Flag,
        "Do not replay a trace by its timestamps; use the load options instead.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::FixedScheduleAutoOffset,
        &["fixed-schedule-auto-offset"],
        ValueKind::Flag,
        "Shift the schedule so that its first request is sent at once.",
    )
    .default("true, false with a start offset")
    .supported(),
    OptionSpec::new(
        OptionId::FixedScheduleStartOffset,
        &["fixed-schedule-start-offset"],
        ValueKind::Int,
        "Skip the requests of the schedule before this time.",
    )
    .at_least(0.0)
    .unit("ms")
    .supported(),
    OptionSpec::new(
        OptionId::FixedScheduleEndOffset,
        &["fixed-schedule-end-offset"],
        ValueKind::Int,
        "Skip the requests of the schedule after this time.",
    )
    .at_least(0.0)
    .unit("ms")
    .supported(),
];

/// The part of the data between the two offsets.
pub(in crate::groups) fn window(raw: &RawOptions) -> Result<TimeWindow, ConfigError> {
    let (start_id, end_id) = (OptionId::FixedScheduleStartOffset, OptionId::FixedScheduleEndOffset);
    let start: Option<u64> = raw.int(start_id)?;
    let end: Option<u64> = raw.int(end_id)?;
    if let (Some(start), Some(end)) = (start, end)
        && start > end
    {
        let why = format!("the window from {start} ms to {end} ms ends before it begins");
        return Err(raw.conflict(start_id, end_id, &why));
    }
    Ok(TimeWindow { start_ms: start.map(|ms| ms as f64), end_ms: end.map(|ms| ms as f64) })
}

/// The earliest request starts the schedule, unless the user names a time or keeps the data's own.
pub(super) fn zero(raw: &RawOptions, dataset: &DatasetConfig) -> Result<ScheduleZero, ConfigError> {
    let id = OptionId::FixedScheduleAutoOffset;
    let earliest = raw.flag(id)?;
    match window(raw)?.start_ms {
        Some(_) if earliest => {
            let why = "the schedule starts either with its earliest request or at the time you name";
            Err(raw.conflict(OptionId::FixedScheduleStartOffset, id, why))
        }
        // The offset is a time of the file, and the schedule runs in the time of the replay.
        Some(start) => Ok(ScheduleZero::At(start / speedup(dataset))),
        None if raw.is_given(id) && !earliest => Ok(ScheduleZero::At(0.0)),
        None => Ok(ScheduleZero::Earliest),
    }
}

fn speedup(dataset: &DatasetConfig) -> f64 {
    match &dataset.source {
        DatasetSource::File(file) => file.trace.speedup(),
        DatasetSource::Synthetic(_) | DatasetSource::Public(_) | DatasetSource::Accuracy(_) => 1.0,
    }
}

pub(super) fn check_data(raw: &RawOptions, dataset: &DatasetConfig) -> Result<(), ConfigError> {
    let id = OptionId::FixedSchedule;
    match &dataset.source {
        DatasetSource::Synthetic(_) => {
            let why = "generated conversations have no timestamps";
            return Err(raw.needs(id, OptionId::InputFile, why));
        }
        DatasetSource::File(file) if file.format.is_some_and(|format| !format.facts().has_times) => {
            let why = "conversations of this format have no timestamps";
            return Err(raw.conflict(id, OptionId::CustomDatasetType, why));
        }
        DatasetSource::File(file) if file.trace.ignore_times => {
            let why = "one sends requests at their recorded times and the other ignores these times";
            return Err(raw.conflict(id, OptionId::IgnoreTraceDelays, why));
        }
        DatasetSource::Public(public) if !public.set.recipe.has_times() => {
            let why = format!("the requests of {} have no timestamps", public.set.name);
            return Err(raw.conflict(id, OptionId::PublicDataset, &why));
        }
        DatasetSource::Accuracy(_) => {
            let why = "the questions of a benchmark have no timestamps";
            return Err(raw.conflict(id, OptionId::AccuracyBenchmark, why));
        }
        DatasetSource::File(_) | DatasetSource::Public(_) => {}
    }
    if dataset.sampling != Sampling::Sequential {
        let why = "the schedule gives the order; leave the strategy out or use sequential";
        return Err(raw.conflict(OptionId::DatasetSamplingStrategy, id, why));
    }
    Ok(())
}
