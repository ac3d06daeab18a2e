//! Gradual rises: how long they take and which shape they have.

use std::time::Duration;

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
pub(super) fn shape(raw: &RawOptions) -> Result<RampShape, ConfigError> {
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

pub(super) fn of(duration: Option<Setting<Duration>>, shape: RampShape) -> Option<Ramp> {
    duration.map(|duration| Ramp { duration: duration.value, shape })
}
