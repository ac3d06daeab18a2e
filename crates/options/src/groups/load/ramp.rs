//! Gradual rises: how long they take and which shape they have.

use std::time::Duration;

use aiperf_config::{Ramp, RampShape};

use super::Setting;
use crate::catalogue::OptionId;
use crate::grammar::number;
use crate::{ConfigError, RawOptions};

const DURATIONS: [OptionId; 6] = [
    OptionId::ConcurrencyRampDuration,
    OptionId::PrefillConcurrencyRampDuration,
    OptionId::RequestRateRampDuration,
    OptionId::WarmupConcurrencyRampDuration,
    OptionId::WarmupPrefillConcurrencyRampDuration,
    OptionId::WarmupRequestRateRampDuration,
];

/// The shape of the ramps that have none of their own.
pub(super) fn shape(raw: &RawOptions) -> Result<RampShape, ConfigError> {
    let id = OptionId::RampShape;
    let shape = raw.choice(id)?.and_then(of_name).unwrap_or_default();
    if raw.is_given(id) && !DURATIONS.into_iter().any(|duration| raw.is_given(duration)) {
        let needs = format!("a ramp, such as {}", OptionId::ConcurrencyRampDuration.flag());
        return Err(raw.needs_text(id, &needs, "this run has no ramp"));
    }
    Ok(shape)
}

/// The ramp of an option: seconds, or seconds with a shape of its own, such as `20:exponential`. Otherwise it has the usual shape.
pub(super) fn read(raw: &RawOptions, id: OptionId, usual: RampShape) -> Result<Option<Setting<Ramp>>, ConfigError> {
    let Some(text) = raw.text(id) else { return Ok(None) };
    let wrong = || {
        let form = "must be a finite number of seconds, or seconds and a shape (linear, exponential, poisson), such as 20:exponential";
        raw.bad(id, text, form)
    };
    let (seconds, shape) = match text.split_once(':') {
        Some((seconds, shape)) => (seconds.trim(), of_name(shape.trim()).ok_or_else(wrong)?),
        None => (text, usual),
    };
    let value = number::float(seconds).ok_or_else(wrong)?;
    raw.check_range(id, text, value)?;
    let duration = Duration::try_from_secs_f64(value).map_err(|_| wrong())?;
    Ok(Some(Setting { value: Ramp { duration, shape }, option: id }))
}

fn of_name(name: &str) -> Option<RampShape> {
    match name {
        "linear" => Some(RampShape::Linear),
        "exponential" => Some(RampShape::Exponential),
        "poisson" => Some(RampShape::Poisson),
        _ => None,
    }
}
