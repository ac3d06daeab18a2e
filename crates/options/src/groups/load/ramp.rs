//! Gradual rises: how long they take and which shape they have.

use aiperf_config::{Ramp, RampShape};

use super::Setting;
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

const DURATIONS: [OptionId; 6] = [
    OptionId::ConcurrencyRampDuration,
    OptionId::PrefillConcurrencyRampDuration,
    OptionId::RequestRateRampDuration,
    OptionId::WarmupConcurrencyRampDuration,
    OptionId::WarmupPrefillConcurrencyRampDuration,
    OptionId::WarmupRequestRateRampDuration,
];

/// The shape of every ramp of the run.
fn shape(raw: &RawOptions) -> Result<RampShape, ConfigError> {
    let id = OptionId::RampShape;
    let shape = match raw.choice(id)? {
        Some("exponential") => RampShape::Exponential,
        Some("poisson") => RampShape::Poisson,
        _ => RampShape::Linear,
    };
    if raw.is_given(id) && !DURATIONS.into_iter().any(|duration| raw.is_given(duration)) {
        let needs = format!("a ramp, such as {}", OptionId::ConcurrencyRampDuration.flag());
        return Err(raw.needs_text(id, &needs, "this run has no ramp"));
    }
    Ok(shape)
}

/// The ramp of this option: its seconds, with the shape of all ramps, or `SECONDS:SHAPE`, as files have it.
pub(super) fn read(raw: &RawOptions, id: OptionId) -> Result<Option<Setting<Ramp>>, ConfigError> {
    let Some((seconds, own_shape)) = raw.text(id).and_then(|text| text.split_once(':')) else {
        let shape = shape(raw)?;
        return Ok(raw.seconds(id)?.map(|duration| Setting { value: Ramp { duration, shape }, option: id }));
    };
    let mut own = RawOptions::new();
    own.push(id, raw.spelling(id), vec![seconds.to_owned()]);
    own.push(OptionId::RampShape, raw.spelling(id), vec![own_shape.to_owned()]);
    read(&own, id)
}

/// The ramp without the option that gave it.
pub(super) fn of(ramp: Option<Setting<Ramp>>) -> Option<Ramp> {
    ramp.map(|ramp| ramp.value)
}
