//! How the time between two requests is drawn.

use aiperf_config::Arrival;

use super::mode::Mode;
use super::{Measured, Setting};
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

const BURST: &str = "concurrency_burst";

/// `None` where there is no rate. Options that another mode has no use for were refused before.
pub(super) fn resolve(raw: &RawOptions, mode: Mode) -> Result<Option<Arrival>, ConfigError> {
    let (pattern_id, smoothness_id) = (OptionId::ArrivalPattern, OptionId::ArrivalSmoothness);
    let smoothness = raw.float(smoothness_id)?;
    let pattern = raw.choice(pattern_id)?;
    let rate = if mode == Mode::Series { OptionId::RequestRateSeries } else { OptionId::RequestRate };
    if !mode.has_arrivals() {
        if pattern.is_some_and(|pattern| pattern != BURST) {
            let why = "without a rate each request follows a response, so there are no arrivals to draw";
            return Err(raw.needs(pattern_id, rate, why));
        }
        if smoothness.is_some() {
            let why = "it shapes the arrivals at a request rate, and this run has no rate";
            return Err(raw.needs(smoothness_id, rate, why));
        }
        if raw.is_given(OptionId::RequestRateRampDuration) {
            let why = "without a rate there is nothing to raise";
            return Err(raw.needs(OptionId::RequestRateRampDuration, rate, why));
        }
        return Ok(None);
    }
    if pattern == Some(BURST) {
        return Err(burst_at_a_rate(raw, pattern_id, rate));
    }
    if smoothness.is_some() && pattern.is_some_and(|pattern| pattern != "gamma") {
        return Err(raw.conflict(smoothness_id, pattern_id, "only the gamma pattern has a smoothness"));
    }
    let gamma = Arrival::Gamma { smoothness: smoothness.unwrap_or(1.0) };
    Ok(Some(match pattern {
        Some("constant") => Arrival::Constant,
        Some("gamma") => gamma,
        None if smoothness.is_some() => gamma,
        _ => Arrival::Poisson,
    }))
}

/// How the arrivals of a rate are drawn that no option gives.
pub(in crate::groups) fn of_rate(raw: &RawOptions) -> Result<Arrival, ConfigError> {
    Ok(resolve(raw, Mode::Rate)?.unwrap_or(Arrival::Poisson))
}

/// The warmup's own pattern, else that of the measured phase.
pub(super) fn warmup(
    raw: &RawOptions,
    rate: Option<Setting<f64>>,
    measured: &Measured,
) -> Result<Arrival, ConfigError> {
    let id = OptionId::WarmupArrivalPattern;
    let pattern = raw.choice(id)?;
    match (pattern, rate) {
        (Some(BURST), Some(rate)) => return Err(burst_at_a_rate(raw, id, rate.option)),
        (Some(pattern), None) if pattern != BURST => {
            let why = "without a rate the warmup has no arrivals to draw";
            return Err(raw.needs_text(id, &measured.mode.warmup_rate(), why));
        }
        _ => {}
    }
    Ok(match (pattern, measured.arrival) {
        (Some("constant"), _) => Arrival::Constant,
        (Some("poisson"), _) => Arrival::Poisson,
        (Some("gamma"), Some(gamma @ Arrival::Gamma { .. })) => gamma,
        (Some("gamma"), _) => Arrival::Gamma { smoothness: 1.0 },
        (_, inherited) => inherited.unwrap_or(Arrival::Poisson),
    })
}

fn burst_at_a_rate(raw: &RawOptions, pattern: OptionId, rate: OptionId) -> ConfigError {
    raw.conflict(pattern, rate, "a burst keeps the concurrency full and has no rate; leave one of them out")
}
