//! A trace is replayed at its own times, whether its type was named or detected, unless the user wants another load.

use aiperf_config::{DatasetConfig, DatasetSource, Environment, FileFormat};

use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

/// Options of another load than the recorded one.
const OTHER_LOAD: [OptionId; 7] = [
    OptionId::RequestRate,
    OptionId::RequestRateSeries,
    OptionId::UserCentricRate,
    OptionId::NumUsers,
    OptionId::ArrivalSmoothness,
    OptionId::ArrivalPattern,
    OptionId::RequestRateRampDuration,
];

/// Whether the run has a fixed schedule because of its data.
pub(super) fn applies(
    raw: &RawOptions,
    environment: &Environment,
    dataset: &DatasetConfig,
) -> Result<bool, ConfigError> {
    let DatasetSource::File(file) = &dataset.source else { return Ok(false) };
    if file.trace.ignore_times || raw.flag(OptionId::NoFixedSchedule)? {
        return Ok(false);
    }
    let peek = environment.peek.filter(|_| file.inline.is_none()).and_then(|peek| peek(&file.path, file.format));
    let Some(format) = file.format.or(peek.map(|peek| peek.format)) else { return Ok(false) };
    if !format.facts().promotes_schedule || !has_times(raw, format, peek.map(|peek| peek.has_time))? {
        return Ok(false);
    }
    let other = OTHER_LOAD.into_iter().find(|id| raw.is_given(*id));
    if file.format.is_none() {
        // A load that was chosen and a type that was not: the choice stands, and the run says what it ignores.
        return Ok(other.is_none() && !raw.is_given(OptionId::MeasurementInterval));
    }
    if let Some(other) = other {
        let why = format!(
            "the rows of {} give the time of each request; {} keeps the load that you choose",
            format.name(),
            OptionId::NoFixedSchedule.flag()
        );
        return Err(raw.conflict(other, OptionId::CustomDatasetType, &why));
    }
    Ok(true)
}

/// Rows of a Mooncake trace may have pauses instead; the others have a time in every row.
fn has_times(raw: &RawOptions, format: FileFormat, seen: Option<bool>) -> Result<bool, ConfigError> {
    if format != FileFormat::MooncakeTrace {
        return Ok(true);
    }
    seen.ok_or_else(|| {
        let needs = format!("{} or {}", OptionId::FixedSchedule.flag(), OptionId::NoFixedSchedule.flag());
        let why = "aiperf cannot read the beginning of the file to see if its rows have times";
        raw.needs_text(OptionId::CustomDatasetType, &needs, why)
    })
}
