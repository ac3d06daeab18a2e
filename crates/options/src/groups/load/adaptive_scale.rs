//! Adaptive scale: load that is raised inside one phase until a limit is broken, and then held.

use std::time::Duration;

use aiperf_config::{AdaptiveScale, ControlVariable, Pace, PhaseConfig, SlaFilter, StepPolicy};

use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::grammar::sla_filter;
use crate::{ConfigError, RawOptions};

pub(crate) const ADAPTIVE_SCALE: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::AdaptiveScale,
        &["adaptive-scale"],
        ValueKind::Flag,
        "Raise the load step by step until a limit of --adaptive-scale-sla is broken, then hold the last value that kept all limits. \
         Needs --benchmark-duration, --adaptive-sustain-duration and --adaptive-scale-sla.",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::AdaptiveScaleSla,
        &["adaptive-scale-sla"],
        ValueKind::Text,
        "Limit that each window of --adaptive-scale must keep, as METRIC:STAT:OP:THRESHOLD with OP lt, le, gt or ge, such as \
         request_latency:p95:le:500. Give it several times to set several limits.",
    )
    .list()
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::AdaptiveControlVariable,
        &["adaptive-control-variable"],
        ValueKind::Literal(&["concurrency", "prefill_concurrency", "request_rate", "users"]),
        "What --adaptive-scale raises: sessions in flight, requests that wait for their first token, the request rate, or simulated users \
         at a constant total rate.",
    )
    .default("concurrency")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::AdaptiveControlMin,
        &["adaptive-control-min"],
        ValueKind::Float,
        "First value of what --adaptive-scale raises.",
    )
    .above(0.0)
    .default("1")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::AdaptiveControlMax,
        &["adaptive-control-max"],
        ValueKind::Float,
        "Highest value of what --adaptive-scale raises.",
    )
    .above(0.0)
    .default("the value of --concurrency, --prefill-concurrency, --request-rate or --num-users")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::AdaptiveAssessmentPeriod,
        &["adaptive-assessment-period"],
        ValueKind::Float,
        "How long --adaptive-scale observes each value before it decides. Make it longer than a request takes.",
    )
    .at_least(1.0)
    .unit("s")
    .default("30")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::AdaptiveMinCompletedRequests,
        &["adaptive-min-completed-requests"],
        ValueKind::Int,
        "Responses that a decision of --adaptive-scale needs; a window with fewer goes on for another --adaptive-assessment-period.",
    )
    .at_least(1.0)
    .default("1")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::AdaptiveSustainDuration,
        &["adaptive-sustain-duration"],
        ValueKind::Float,
        "How long --adaptive-scale holds the value that it has found. The run ends then.",
    )
    .above(0.0)
    .unit("s")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::AdaptiveScaleStrategyType,
        &["adaptive-scale-strategy-type"],
        ValueKind::Literal(&[AdaptiveScale::STRATEGY]),
        "Strategy of --adaptive-scale. There is one: raise the load until a limit is broken.",
    )
    .default(AdaptiveScale::STRATEGY)
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::AdaptiveScaleStepPolicy,
        &["adaptive-scale-step-policy"],
        ValueKind::Literal(&StepPolicy::NAMES),
        "How large a step of --adaptive-scale is. sla_margin: --adaptive-scale-base-step, and a multiple of it while the limits are far \
         away. fixed_percent_step: --adaptive-scale-step-percent of the present value.",
    )
    .default("sla_margin")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::AdaptiveScaleBaseStep,
        &["adaptive-scale-base-step"],
        ValueKind::Int,
        "Smallest step of --adaptive-scale with sla_margin.",
    )
    .at_least(1.0)
    .default("10")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::AdaptiveScaleMaxStepMultiplier,
        &["adaptive-scale-max-step-multiplier"],
        ValueKind::Int,
        "Largest step of --adaptive-scale with sla_margin, as a multiple of --adaptive-scale-base-step.",
    )
    .at_least(1.0)
    .default("4")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::AdaptiveScaleStepPercent,
        &["adaptive-scale-step-percent"],
        ValueKind::Float,
        "Step of --adaptive-scale with fixed_percent_step, as a percentage of the present value, rounded up to a whole number if it is \
         not a rate.",
    )
    .above(0.0)
    .unit("%")
    .default("25")
    .ours()
    .supported(),
];

/// All options that belong to `--adaptive-scale`.
const PARTS: [OptionId; 12] = [
    OptionId::AdaptiveScaleSla,
    OptionId::AdaptiveControlVariable,
    OptionId::AdaptiveControlMin,
    OptionId::AdaptiveControlMax,
    OptionId::AdaptiveAssessmentPeriod,
    OptionId::AdaptiveMinCompletedRequests,
    OptionId::AdaptiveSustainDuration,
    OptionId::AdaptiveScaleStrategyType,
    OptionId::AdaptiveScaleStepPolicy,
    OptionId::AdaptiveScaleBaseStep,
    OptionId::AdaptiveScaleMaxStepMultiplier,
    OptionId::AdaptiveScaleStepPercent,
];

/// Options that also say when the phase ends or how its load rises.
const FOREIGN: [(OptionId, &str); 5] = [
    (OptionId::UntilCi, "both decide when the run ends; leave one of them out"),
    (OptionId::MeasurementInterval, "both decide when the run ends; leave one of them out"),
    (
        OptionId::ConcurrencyRampDuration,
        "the load begins at its lowest value and is raised step by step; leave out the ramp",
    ),
    (
        OptionId::RequestRateRampDuration,
        "the load begins at its lowest value and is raised step by step; leave out the ramp",
    ),
    (OptionId::RequestRateSeries, "a load that is raised step by step has one rate; give --request-rate"),
];

/// What a phase is scaled by; `None` without `--adaptive-scale`.
pub(super) fn resolve(
    raw: &RawOptions,
    phase: &PhaseConfig,
    streaming: bool,
) -> Result<Option<Box<AdaptiveScale>>, ConfigError> {
    let id = OptionId::AdaptiveScale;
    if !raw.flag(id)? {
        // A file that switches it off may leave its settings in place.
        let part = PARTS.into_iter().find(|part| raw.is_given(*part)).filter(|_| !raw.is_given(id));
        return part.map_or(Ok(None), |part| Err(raw.needs(part, id, "without it the load is not raised")));
    }
    if let Some((other, why)) = FOREIGN.into_iter().find(|(other, _)| raw.is_given(*other)) {
        return Err(raw.conflict(id, other, why));
    }
    if matches!(phase.pace, Pace::FixedSchedule { .. }) {
        return Err(raw.conflict(id, OptionId::FixedSchedule, "the times of the data say how many requests are sent"));
    }
    if phase.stop.duration.is_none() {
        return Err(raw.needs(
            id,
            OptionId::BenchmarkDuration,
            "limits that are never broken would keep the run going",
        ));
    }
    let Some(sustain) = raw.seconds(OptionId::AdaptiveSustainDuration)? else {
        return Err(raw.needs(
            id,
            OptionId::AdaptiveSustainDuration,
            "it says how long the load is held once it is found",
        ));
    };
    let limits = limits(raw)?;
    let variable = raw.choice(OptionId::AdaptiveControlVariable)?.and_then(ControlVariable::from_name);
    let variable = variable.unwrap_or(ControlVariable::Concurrency);
    check_pace(raw, variable, phase, streaming)?;
    let (min, max) = range(raw, variable, phase)?;
    // The only strategy is the default: reading it refuses any other.
    raw.choice(OptionId::AdaptiveScaleStrategyType)?;
    Ok(Some(Box::new(AdaptiveScale {
        variable,
        min,
        max,
        window: raw.seconds(OptionId::AdaptiveAssessmentPeriod)?.unwrap_or(AdaptiveScale::USUAL_WINDOW),
        min_completed: raw.int(OptionId::AdaptiveMinCompletedRequests)?.unwrap_or(1),
        sustain,
        step: step(raw)?,
        limits,
    })))
}

fn limits(raw: &RawOptions) -> Result<Vec<SlaFilter>, ConfigError> {
    let id = OptionId::AdaptiveScaleSla;
    let read = |text: &str| sla_filter::read(text).map_err(|reason| raw.bad(id, text, &reason));
    let limits = raw.list(id).into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    if limits.is_empty() {
        return Err(raw.needs(OptionId::AdaptiveScale, id, "without a limit there is nothing that ends the rise"));
    }
    for (place, limit) in limits.iter().enumerate() {
        if limits[..place].contains(limit) {
            return Err(raw.bad(id, &limit.to_string(), "this limit is given twice"));
        }
    }
    Ok(limits)
}

/// What is raised must be a part of the load.
fn check_pace(
    raw: &RawOptions,
    variable: ControlVariable,
    phase: &PhaseConfig,
    streaming: bool,
) -> Result<(), ConfigError> {
    let id = OptionId::AdaptiveControlVariable;
    match (variable, &phase.pace) {
        (_, Pace::Rate { rate, .. }) if rate.points.len() > 1 => {
            Err(raw.conflict(OptionId::AdaptiveScale, OptionId::RequestRateSeries, FOREIGN[4].1))
        }
        (ControlVariable::RequestRate, Pace::Rate { .. }) | (ControlVariable::Users, Pace::UserCentric { .. }) => {
            Ok(())
        }
        (ControlVariable::RequestRate, _) => {
            Err(raw.needs(id, OptionId::RequestRate, "request_rate raises the rate of an open loop"))
        }
        (ControlVariable::Users, _) => {
            Err(raw.needs(id, OptionId::UserCentricRate, "only --user-centric-rate simulates users"))
        }
        (ControlVariable::PrefillConcurrency, _) if !streaming => {
            let why = "a response that is not streamed has no first token to wait for";
            Err(raw.needs(id, OptionId::Streaming, why))
        }
        (ControlVariable::PrefillConcurrency, _) if phase.prefill_ramp.is_some() => Err(raw.conflict(
            id,
            OptionId::PrefillConcurrencyRampDuration,
            "prefill_concurrency begins at its lowest value and is raised step by step; leave out the ramp",
        )),
        (ControlVariable::Concurrency | ControlVariable::PrefillConcurrency, _) => Ok(()),
    }
}

/// The first and the highest value.
fn range(raw: &RawOptions, variable: ControlVariable, phase: &PhaseConfig) -> Result<(f64, f64), ConfigError> {
    let (min_id, max_id) = (OptionId::AdaptiveControlMin, OptionId::AdaptiveControlMax);
    let read = |id: OptionId| -> Result<Option<f64>, ConfigError> {
        let value = raw.float(id)?;
        match value.filter(|value| variable.is_whole() && value.fract() != 0.0) {
            Some(value) => Err(raw.bad(id, &value.to_string(), &format!("{} must be a whole number", variable.name()))),
            None => Ok(value),
        }
    };
    let of_phase = match (variable, &phase.pace) {
        (ControlVariable::Concurrency, pace) => pace.session_limit().map(|limit| limit as f64),
        (ControlVariable::PrefillConcurrency, _) => phase.prefill_limit.map(|limit| limit as f64),
        (ControlVariable::RequestRate, Pace::Rate { rate, .. }) => rate.points.first().map(|point| point.per_second),
        (ControlVariable::Users, Pace::UserCentric { users, .. }) => Some(*users as f64),
        (ControlVariable::RequestRate | ControlVariable::Users, _) => None,
    };
    let max = read(max_id)?.or(of_phase.filter(|max| max.is_finite()));
    let Some(max) = max else {
        let why = format!("{} has no value of its own to rise to", variable.name());
        return Err(raw.needs(OptionId::AdaptiveScale, max_id, &why));
    };
    let min = read(min_id)?.unwrap_or(1.0);
    if max <= min {
        let given = if raw.is_given(min_id) && !raw.is_given(max_id) { min_id } else { max_id };
        let expected = format!("the highest value ({max}) must be above the first one ({min})");
        return Err(raw.bad(given, &(if given == min_id { min } else { max }).to_string(), &expected));
    }
    if let (ControlVariable::PrefillConcurrency, Some(most)) = (variable, phase.pace.session_limit())
        && max > most as f64
    {
        let why = format!("with {most} sessions in flight, {max} requests can never wait for a first token");
        return Err(raw.conflict(max_id, OptionId::Concurrency, &why));
    }
    Ok((min, max))
}

fn step(raw: &RawOptions) -> Result<StepPolicy, ConfigError> {
    let id = OptionId::AdaptiveScaleStepPolicy;
    let of_margin = [OptionId::AdaptiveScaleBaseStep, OptionId::AdaptiveScaleMaxStepMultiplier];
    let of_percent = OptionId::AdaptiveScaleStepPercent;
    if raw.choice(id)? == Some(StepPolicy::NAMES[1]) {
        if let Some(other) = of_margin.into_iter().find(|other| raw.is_given(*other)) {
            return Err(raw.conflict(other, id, "it belongs to sla_margin"));
        }
        return Ok(StepPolicy::FixedPercent(raw.float(of_percent)?.unwrap_or(StepPolicy::USUAL_PERCENT)));
    }
    if raw.is_given(of_percent) {
        let needs = format!("{} fixed_percent_step", id.flag());
        return Err(raw.needs_text(of_percent, &needs, "the other policy has steps of its own"));
    }
    Ok(StepPolicy::SlaMargin {
        base: raw.int::<u32>(of_margin[0])?.unwrap_or(StepPolicy::USUAL_BASE).into(),
        max_multiplier: raw.int(of_margin[1])?.unwrap_or(StepPolicy::USUAL_MULTIPLIER),
    })
}

/// A window that is longer than the phase decides nothing.
pub(super) fn warning(raw: &RawOptions, phase: &PhaseConfig) -> Option<String> {
    let scale = phase.adaptive_scale.as_deref()?;
    let duration = phase.stop.duration?;
    let needed = scale.window + scale.window.max(scale.sustain);
    (duration < needed + Duration::from_millis(1)).then(|| {
        format!(
            "{} of {} s is too short for {}: one window takes {} s and the time at the value that was found takes {} s",
            raw.spelling(OptionId::BenchmarkDuration),
            duration.as_secs_f64(),
            raw.spelling(OptionId::AdaptiveScale),
            scale.window.as_secs_f64(),
            scale.sustain.as_secs_f64()
        )
    })
}
