//! The rate over time: one value, or the points of a file.

use std::fs;

use aiperf_config::{Environment, Ramp, RateCurve};

use super::{Setting, ramp};
use crate::catalogue::OptionId;
use crate::grammar::rate_series;
use crate::{ConfigError, RawOptions};

pub(super) fn constant(
    raw: &RawOptions,
    rate: Setting<f64>,
    ramp: Option<Setting<Ramp>>,
) -> Result<RateCurve, ConfigError> {
    if let (Some(ramp), true) = (ramp, rate.value.is_infinite()) {
        return Err(raw.conflict(ramp.option, rate.option, "a ramp cannot rise to an unlimited rate; give a number"));
    }
    Ok(RateCurve { ramp: ramp::of(ramp), ..RateCurve::constant(rate.value) })
}

pub(super) fn series(
    raw: &RawOptions,
    environment: &Environment,
    ramp: Option<Setting<Ramp>>,
) -> Result<RateCurve, ConfigError> {
    let id = OptionId::RequestRateSeries;
    let path = raw.text(id).unwrap_or_default();
    // The points themselves may stand in place of the name of a file.
    let is_inline = path.trim_start().starts_with(['[', '{']);
    let text = if is_inline { Ok(path.to_owned()) } else { fs::read_to_string(environment.current_dir.join(path)) };
    let points = text
        .map_err(|error| error.to_string())
        .and_then(|text| rate_series::read(&text))
        .map_err(|reason| ConfigError::Unreadable { flag: raw.spelling(id), path: path.to_owned(), reason })?;
    Ok(RateCurve { points, ramp: ramp::of(ramp) })
}
