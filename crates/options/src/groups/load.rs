//! How requests are paced and when sending stops: the warmup, if any, and the measured phase.

mod agentic;
mod arrival;
mod limits;
mod mode;
pub(super) mod phases;
mod promotion;
mod ramp;
mod rate;
pub(crate) mod rows;
pub(crate) mod schedule;
mod stop;
pub(crate) mod users;
pub(crate) mod warmup;
mod windows;

pub(super) use arrival::of_rate as arrival_of_rate;
pub(super) use schedule::window;
pub(super) use stop::usual_requests;

use aiperf_config::{Arrival, Cancellation, DatasetConfig, Environment, Pace, PhaseConfig, PhaseKind, Ramp};

use self::limits::Limits;
use self::mode::Mode;
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

/// What the phases are resolved among.
pub(super) struct Surroundings<'a> {
    pub(super) environment: &'a Environment,
    pub(super) dataset: &'a DatasetConfig,
    /// Whether answers come as streams, so that a first token can be seen.
    pub(super) streaming: bool,
}

/// A value with the option that gave it, so that a message about it can name that option.
#[derive(Debug, Clone, Copy)]
struct Setting<T> {
    value: T,
    option: OptionId,
}

/// What the measured phase says about its pace; the warmup takes over what it does not say itself.
struct Measured {
    mode: Mode,
    limits: Limits,
    /// Of `--request-rate`: a series belongs to the measured phase alone.
    rate: Option<Setting<f64>>,
    rate_ramp: Option<Setting<Ramp>>,
    arrival: Option<Arrival>,
    failed_request_threshold: Option<f64>,
}

pub(super) fn resolve(
    raw: &RawOptions,
    around: &Surroundings<'_>,
    warnings: &mut Vec<String>,
) -> Result<(Option<PhaseConfig>, PhaseConfig), ConfigError> {
    if raw.is_given(OptionId::Scenario) {
        return agentic::resolve(raw, around);
    }
    let mode = mode::choose(raw, around)?;
    mode::refuse_foreign(raw, mode)?;
    warnings.extend(mode::pauses_without_effect(raw, mode));
    let limits = Limits::read(raw, &limits::PROFILING)?;
    warnings.extend(limits.warning(raw, &limits::PROFILING));
    let measured = Measured {
        mode,
        limits,
        rate: setting(OptionId::RequestRate, raw.float_or_inf(OptionId::RequestRate)?),
        rate_ramp: ramp::read(raw, OptionId::RequestRateRampDuration)?,
        arrival: arrival::resolve(raw, mode)?,
        failed_request_threshold: raw.float(OptionId::FailedRequestThreshold)?,
    };
    let profiling = profiling(raw, around, &measured)?;
    let warmup = warmup::resolve(raw, around, &measured, warnings)?;
    Ok((warmup, profiling))
}

fn profiling(raw: &RawOptions, around: &Surroundings<'_>, measured: &Measured) -> Result<PhaseConfig, ConfigError> {
    let mut stop = stop::conditions(raw, measured.mode, around.dataset)?;
    measured.limits.check(raw, &limits::PROFILING, measured.mode == Mode::Burst, around.streaming)?;
    let ceiling = measured.limits.concurrency();
    let pace = match measured.mode {
        Mode::Burst => Pace::Concurrency(ceiling.unwrap_or(1)),
        Mode::Rate | Mode::Series => {
            let rate = match measured.rate {
                Some(rate) => rate::constant(raw, rate, measured.rate_ramp)?,
                None => rate::series(raw, around.environment, measured.rate_ramp)?,
            };
            stop::or_whole_series(&mut stop, &rate);
            Pace::Rate { rate, arrival: measured.arrival.unwrap_or(Arrival::Poisson), ceiling }
        }
        Mode::FixedSchedule => {
            schedule::check_data(raw, around.dataset)?;
            Pace::FixedSchedule { zero: schedule::zero(raw, around.dataset)?, ceiling }
        }
        Mode::UserCentric => users::pace(raw, around.dataset, &stop, ceiling)?,
    };
    Ok(PhaseConfig {
        grace: stop::grace(raw, &stop, measured.mode)?,
        concurrency_ramp: measured.limits.concurrency_ramp(),
        prefill_limit: measured.limits.prefill(),
        prefill_ramp: measured.limits.prefill_ramp(),
        cancellation: cancellation(raw)?,
        failed_request_threshold: measured.failed_request_threshold,
        ..PhaseConfig::new(PhaseKind::Profiling, pace, stop)
    })
}

fn cancellation(raw: &RawOptions) -> Result<Option<Cancellation>, ConfigError> {
    let (rate_id, delay_id) = (OptionId::RequestCancellationRate, OptionId::RequestCancellationDelay);
    let percent = raw.float(rate_id)?;
    let delay = raw.seconds(delay_id)?;
    if percent.is_none() && delay.is_some() {
        return Err(raw.needs(delay_id, rate_id, "without it no request is cancelled"));
    }
    Ok(percent.map(|percent| Cancellation { percent, delay: delay.unwrap_or_default() }))
}

fn setting<T>(option: OptionId, value: Option<T>) -> Option<Setting<T>> {
    value.map(|value| Setting { value, option })
}
