//! The warmup: load before the measured phase. It keeps a concurrency or a rate, whatever the measured phase does, and
//! takes over from there what it does not say itself.

use aiperf_config::{GracePeriod, Pace, PhaseConfig, PhaseKind, StopConditions};

use super::limits::{self, Limits};
use super::{Measured, Surroundings, arrival, ramp, rate, setting};
use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::{ConfigError, RawOptions};

/// Warmup: load before the measured phase.
pub(crate) const WARMUP: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::WarmupRequestCount,
        &["warmup-request-count", "num-warmup-requests"],
        ValueKind::Int,
        "Warm up with this many requests first; the results leave them out.",
    )
    .at_least(1.0)
    .supported(),
    OptionSpec::new(
        OptionId::WarmupDuration,
        &["warmup-duration"],
        ValueKind::Float,
        "Warm up for this long first; the results leave these requests out.",
    )
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::AgenticCacheWarmupDuration,
        &["agentic-cache-warmup-duration"],
        ValueKind::Float,
        "Before an agentic replay, fill the server's cache for this long with one-token responses and no pauses.",
    )
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::AgenticWarmupGracePeriod,
        &["agentic-warmup-grace-period"],
        ValueKind::Float,
        "Maximum time to wait for the last responses of an agentic warmup.",
    )
    .at_least(0.0)
    .unit("s")
    .default("no limit")
    .supported(),
    OptionSpec::new(
        OptionId::NumWarmupSessions,
        &["num-warmup-sessions"],
        ValueKind::Int,
        "Warm up with this many sessions first; the results leave them out.",
    )
    .at_least(1.0)
    .supported(),
    OptionSpec::new(
        OptionId::WarmupConcurrency,
        &["warmup-concurrency"],
        ValueKind::Int,
        "Concurrency during the warmup.",
    )
    .at_least(1.0)
    .default("as --concurrency")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupPrefillConcurrency,
        &["warmup-prefill-concurrency"],
        ValueKind::Int,
        "Prefill concurrency during the warmup.",
    )
    .at_least(1.0)
    .default("as --prefill-concurrency")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupRequestRate,
        &["warmup-request-rate"],
        ValueKind::Float,
        "Request rate during the warmup.",
    )
    .above(0.0)
    .unit("req/s")
    .default("as --request-rate")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupArrivalPattern,
        &["warmup-arrival-pattern"],
        ValueKind::Choice(&["concurrency_burst", "constant", "gamma", "poisson"]),
        "Arrival pattern during the warmup.",
    )
    .default("as --arrival-pattern")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupGracePeriod,
        &["warmup-grace-period"],
        ValueKind::Float,
        "After --warmup-duration, wait this long for responses in flight. `inf` waits for all of them.",
    )
    .at_least(0.0)
    .unit("s")
    .default("no limit")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupConcurrencyRampDuration,
        &["warmup-concurrency-ramp-duration"],
        ValueKind::Float,
        "Raise the concurrency of the warmup to its target over this time.",
    )
    .above(0.0)
    .unit("s")
    .default("as --concurrency-ramp-duration")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupPrefillConcurrencyRampDuration,
        &["warmup-prefill-concurrency-ramp-duration"],
        ValueKind::Float,
        "Raise the prefill concurrency of the warmup to its target over this time.",
    )
    .above(0.0)
    .unit("s")
    .default("as --prefill-concurrency-ramp-duration")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupRequestRateRampDuration,
        &["warmup-request-rate-ramp-duration"],
        ValueKind::Float,
        "Raise the request rate of the warmup to its target over this time.",
    )
    .above(0.0)
    .unit("s")
    .default("as --request-rate-ramp-duration")
    .supported(),
];

const TRIGGERS: [OptionId; 3] = [OptionId::WarmupRequestCount, OptionId::WarmupDuration, OptionId::NumWarmupSessions];

const SETTINGS: [OptionId; 8] = [
    OptionId::WarmupConcurrency,
    OptionId::WarmupPrefillConcurrency,
    OptionId::WarmupRequestRate,
    OptionId::WarmupArrivalPattern,
    OptionId::WarmupGracePeriod,
    OptionId::WarmupConcurrencyRampDuration,
    OptionId::WarmupPrefillConcurrencyRampDuration,
    OptionId::WarmupRequestRateRampDuration,
];

pub(super) fn resolve(
    raw: &RawOptions,
    around: &Surroundings<'_>,
    measured: &Measured,
    warnings: &mut Vec<String>,
) -> Result<Option<PhaseConfig>, ConfigError> {
    let stop = StopConditions {
        requests: raw.int(OptionId::WarmupRequestCount)?,
        sessions: raw.int(OptionId::NumWarmupSessions)?,
        duration: raw.seconds(OptionId::WarmupDuration)?,
        whole_dataset: false,
        windows: None,
    };
    let limits = Limits::read(raw, &limits::WARMUP)?;
    let grace = raw.wait(OptionId::WarmupGracePeriod)?;
    if stop == StopConditions::default() {
        return refuse_settings(raw).map(|()| None);
    }
    if grace.is_some() && stop.duration.is_none() {
        let why = "the grace period begins when that duration is over";
        return Err(raw.needs(OptionId::WarmupGracePeriod, OptionId::WarmupDuration, why));
    }
    // A ramp of the measured phase has been warned of there.
    warnings.extend(limits.or(measured.limits.without_ramps()).warning(raw, &limits::WARMUP));
    let limits = limits.or(measured.limits);
    let pace = pace(raw, measured, limits.concurrency())?;
    let is_burst = matches!(pace, Pace::Concurrency(_));
    limits.check(raw, &limits::WARMUP, is_burst, around.streaming)?;
    Ok(Some(PhaseConfig {
        grace: grace.unwrap_or(GracePeriod::Unlimited),
        concurrency_ramp: limits.concurrency_ramp(),
        prefill_limit: limits.prefill(),
        prefill_ramp: limits.prefill_ramp(),
        failed_request_threshold: measured.failed_request_threshold,
        ..PhaseConfig::new(PhaseKind::Warmup, pace, stop)
    }))
}

fn pace(raw: &RawOptions, measured: &Measured, ceiling: Option<usize>) -> Result<Pace, ConfigError> {
    let (rate_id, ramp_id) = (OptionId::WarmupRequestRate, OptionId::WarmupRequestRateRampDuration);
    let rate = setting(rate_id, raw.float_or_inf(rate_id)?).or(measured.rate);
    let ramp = ramp::read(raw, ramp_id)?;
    let arrival = arrival::warmup(raw, rate, measured)?;
    let Some(rate) = rate else {
        // A ramp of the measured phase raises a series there; here it has nothing to raise.
        return match ramp {
            Some(_) => {
                Err(raw.needs_text(ramp_id, &measured.mode.warmup_rate(), "without it there is no rate to raise"))
            }
            None => Ok(Pace::Concurrency(ceiling.unwrap_or(1))),
        };
    };
    let rate = rate::constant(raw, rate, ramp.or(measured.rate_ramp))?;
    Ok(Pace::Rate { rate, arrival, ceiling })
}

fn refuse_settings(raw: &RawOptions) -> Result<(), ConfigError> {
    let Some(setting) = SETTINGS.into_iter().find(|id| raw.is_given(*id)) else { return Ok(()) };
    let triggers = TRIGGERS.map(OptionId::flag).join(", ");
    Err(raw.needs_text(setting, &format!("one of {triggers}"), "without one of them there is no warmup"))
}
