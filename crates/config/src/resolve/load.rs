//! How requests are paced and when sending stops: the warmup, if any, and the measured phase.

use std::time::Duration;

use crate::catalogue::OptionId;
use crate::{Arrival, ConfigError, GracePeriod, Pace, PhaseConfig, PhaseKind, RateCurve, RawOptions, StopConditions};

/// Sent when nothing says when to stop, whatever the concurrency.
const DEFAULT_REQUESTS: u64 = 10;
/// Time for answers still on their way when the duration is over.
const DEFAULT_GRACE: Duration = Duration::from_secs(30);

const WARMUP_TRIGGERS: [OptionId; 3] =
    [OptionId::WarmupRequestCount, OptionId::WarmupDuration, OptionId::NumWarmupSessions];

/// What the measured phase says about pace; the warmup takes over what it does not say itself.
struct Shape {
    concurrency: Option<usize>,
    rate: Option<f64>,
    arrival: Option<Arrival>,
}

pub(super) fn resolve(raw: &RawOptions) -> Result<(Option<PhaseConfig>, PhaseConfig), ConfigError> {
    let shape = shape(raw)?;
    let profiling = profiling(raw, &shape)?;
    Ok((warmup(raw, &shape)?, profiling))
}

fn shape(raw: &RawOptions) -> Result<Shape, ConfigError> {
    let concurrency = raw.int(OptionId::Concurrency)?;
    let rate = raw.float_or_inf(OptionId::RequestRate)?;
    let smoothness = raw.float(OptionId::ArrivalSmoothness)?;
    let pattern = raw.choice(OptionId::ArrivalPattern)?;
    let has_rate = rate.is_some();
    check_pattern(raw, OptionId::ArrivalPattern, pattern, has_rate, OptionId::RequestRate)?;
    if smoothness.is_some() {
        if !has_rate {
            let why = "it shapes the arrivals of an open loop, and without a rate there is none";
            return Err(raw.needs(OptionId::ArrivalSmoothness, OptionId::RequestRate, why));
        }
        if pattern.is_some_and(|pattern| pattern != "gamma") {
            let why = "only gamma arrivals have a smoothness";
            return Err(raw.conflict(OptionId::ArrivalSmoothness, OptionId::ArrivalPattern, why));
        }
    }
    let gamma = Arrival::Gamma { smoothness: smoothness.unwrap_or(1.0) };
    let arrival = match pattern {
        None if smoothness.is_some() => Some(gamma),
        Some("gamma") => Some(gamma),
        Some("constant") => Some(Arrival::Constant),
        _ => has_rate.then_some(Arrival::Poisson),
    };
    Ok(Shape { concurrency, rate, arrival })
}

/// A pattern needs a rate, except for the burst, which is what a run without a rate does.
fn check_pattern(
    raw: &RawOptions,
    id: OptionId,
    pattern: Option<&str>,
    has_rate: bool,
    rate: OptionId,
) -> Result<(), ConfigError> {
    match (pattern, has_rate) {
        (Some("concurrency_burst"), true) => {
            let why = "a burst keeps the concurrency full and has no rate; leave one of the two out";
            Err(raw.conflict(id, rate, why))
        }
        (Some(pattern), false) if pattern != "concurrency_burst" => {
            Err(raw.needs(id, rate, "without a rate requests follow each other and there are no arrivals to draw"))
        }
        _ => Ok(()),
    }
}

fn profiling(raw: &RawOptions, shape: &Shape) -> Result<PhaseConfig, ConfigError> {
    let mut stop = StopConditions {
        requests: raw.int(OptionId::RequestCount)?,
        sessions: raw.int(OptionId::ConversationNum)?,
        duration: raw.seconds(OptionId::BenchmarkDuration)?,
    };
    let grace = raw.wait(OptionId::BenchmarkGracePeriod)?;
    if grace.is_some() && stop.duration.is_none() {
        let why = "it begins when the duration is over";
        return Err(raw.needs(OptionId::BenchmarkGracePeriod, OptionId::BenchmarkDuration, why));
    }
    if stop == StopConditions::default() {
        stop.requests = Some(DEFAULT_REQUESTS);
    }
    let grace = match (stop.duration, grace) {
        (None, _) => GracePeriod::Unlimited,
        (Some(_), Some(grace)) => grace,
        (Some(_), None) => GracePeriod::Limited(DEFAULT_GRACE),
    };
    let pace = pace(shape.concurrency, shape.rate, shape.arrival);
    Ok(phase(PhaseKind::Profiling, pace, stop, grace))
}

fn warmup(raw: &RawOptions, shape: &Shape) -> Result<Option<PhaseConfig>, ConfigError> {
    let stop = StopConditions {
        requests: raw.int(OptionId::WarmupRequestCount)?,
        sessions: raw.int(OptionId::NumWarmupSessions)?,
        duration: raw.seconds(OptionId::WarmupDuration)?,
    };
    let concurrency = raw.int(OptionId::WarmupConcurrency)?;
    let own_rate = raw.float_or_inf(OptionId::WarmupRequestRate)?;
    let pattern = raw.choice(OptionId::WarmupArrivalPattern)?;
    let grace = raw.wait(OptionId::WarmupGracePeriod)?;
    if stop == StopConditions::default() {
        return refuse_settings_without_warmup(raw).map(|()| None);
    }
    if grace.is_some() && stop.duration.is_none() {
        let why = "it begins when that duration is over";
        return Err(raw.needs(OptionId::WarmupGracePeriod, OptionId::WarmupDuration, why));
    }
    let rate = own_rate.or(shape.rate);
    let rate_option = if own_rate.is_some() { OptionId::WarmupRequestRate } else { OptionId::RequestRate };
    check_pattern(raw, OptionId::WarmupArrivalPattern, pattern, rate.is_some(), rate_option)?;
    let arrival = match (pattern, shape.arrival) {
        (Some("constant"), _) => Some(Arrival::Constant),
        (Some("poisson"), _) => Some(Arrival::Poisson),
        (Some("gamma"), Some(gamma @ Arrival::Gamma { .. })) => Some(gamma),
        (Some("gamma"), _) => Some(Arrival::Gamma { smoothness: 1.0 }),
        (_, inherited) => inherited.or(rate.map(|_| Arrival::Poisson)),
    };
    let grace = grace.unwrap_or(GracePeriod::Unlimited);
    let pace = pace(concurrency.or(shape.concurrency), rate, arrival);
    Ok(Some(phase(PhaseKind::Warmup, pace, stop, grace)))
}

fn refuse_settings_without_warmup(raw: &RawOptions) -> Result<(), ConfigError> {
    let settings = [
        OptionId::WarmupGracePeriod,
        OptionId::WarmupConcurrency,
        OptionId::WarmupRequestRate,
        OptionId::WarmupArrivalPattern,
    ];
    let Some(setting) = settings.into_iter().find(|id| raw.is_given(*id)) else { return Ok(()) };
    let triggers = WARMUP_TRIGGERS.map(OptionId::flag).join(", ");
    Err(raw.needs_text(setting, &format!("one of {triggers}"), "without one of them there is no warmup"))
}

fn phase(kind: PhaseKind, pace: Pace, stop: StopConditions, grace: GracePeriod) -> PhaseConfig {
    PhaseConfig {
        kind,
        pace,
        stop,
        grace,
        concurrency_ramp: None,
        prefill_limit: None,
        prefill_ramp: None,
        cancellation: None,
    }
}

fn pace(concurrency: Option<usize>, rate: Option<f64>, arrival: Option<Arrival>) -> Pace {
    match rate {
        Some(per_second) => {
            let rate = RateCurve::constant(per_second);
            Pace::Rate { rate, arrival: arrival.unwrap_or(Arrival::Poisson), ceiling: concurrency }
        }
        None => Pace::Concurrency(concurrency.unwrap_or(1)),
    }
}
