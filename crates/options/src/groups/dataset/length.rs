//! Numbers that are drawn: a mean and a spread by two options, or a whole distribution by the first of them.

use aiperf_config::Length;

use crate::catalogue::{OptionId, ValueKind};
use crate::grammar::length;
use crate::{ConfigError, RawOptions};

/// What the two options say; `None` where the first is not given, whatever the second says.
pub(super) fn read(raw: &RawOptions, mean_id: OptionId, stddev_id: OptionId) -> Result<Option<Length>, ConfigError> {
    if let Some(text) = raw.text(mean_id).filter(|text| length::is_description(text)) {
        let length = length::read(text).map_err(|reason| raw.bad(mean_id, text, &reason))?;
        if raw.is_given(stddev_id) {
            let why = "a distribution sets its own spread";
            return Err(raw.conflict(mean_id, stddev_id, why));
        }
        raw.check_range(mean_id, text, length.mean())?;
        return Ok(Some(length));
    }
    let stddev = spread(raw, stddev_id)?;
    Ok(number(raw, mean_id)?.map(|mean| Length::normal(mean, stddev)))
}

/// The same, around a mean of its own where none is given.
pub(super) fn read_or(
    raw: &RawOptions,
    mean_id: OptionId,
    stddev_id: OptionId,
    mean: f64,
) -> Result<Length, ConfigError> {
    match read(raw, mean_id, stddev_id)? {
        Some(length) => Ok(length),
        None => Ok(Length::normal(mean, spread(raw, stddev_id)?)),
    }
}

fn spread(raw: &RawOptions, id: OptionId) -> Result<f64, ConfigError> {
    Ok(number(raw, id)?.unwrap_or(0.0))
}

/// Whole or not, as the catalogue says.
fn number(raw: &RawOptions, id: OptionId) -> Result<Option<f64>, ConfigError> {
    match id.spec().value {
        ValueKind::Int => Ok(raw.int::<u32>(id)?.map(f64::from)),
        _ => raw.float(id),
    }
}
