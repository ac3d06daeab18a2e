//! One phase of the load.

use std::time::Duration;

use serde_json::{Value, json};

use crate::defaults;
use crate::section::Section;
use crate::{
    AgenticReplay, Arrival, Config, DatasetSource, GracePeriod, LoadLevel, Pace, PhaseConfig, PhaseKind, Ramp,
    RampShape, RateCurve, RatePoint, ScheduleZero,
};

pub(crate) fn section(config: &Config, phase: &PhaseConfig) -> Value {
    let mut section = Section::named(&phase.name);
    section.put("kind", phase.kind.name());
    section.put("type", kind(&phase.pace));
    section.put_if("exclude_from_results", !phase.in_results);
    section.put_some("requests", phase.stop.requests);
    section.put_some("sessions", phase.stop.sessions);
    section.put_some("duration", phase.stop.duration.as_ref().map(Duration::as_secs_f64));
    if let Some(windows) = &phase.stop.windows {
        let mut part = Section::default();
        part.put("interval", windows.interval.as_secs_f64());
        part.put("stability_percentage", windows.stability);
        part.put("max_trials", windows.most);
        section.put("windows", part.finish());
    }
    if phase.kind == PhaseKind::Profiling && !config.until_ci.is_empty() {
        section.put("until_ci", config.until_ci.iter().map(ToString::to_string).collect::<Vec<_>>());
    }
    section.put_some("concurrency", first_limit(&phase.pace));
    section.put_some("concurrency_ramp", phase.concurrency_ramp.map(ramp));
    section.put_some("prefill_concurrency", phase.prefill_limit);
    section.put_some("prefill_ramp", phase.prefill_ramp.map(ramp));
    match phase.grace {
        GracePeriod::Limited(limit) => section.put("grace_period", limit.as_secs_f64()),
        // Waiting for all answers is what a phase without a duration does anyway, and every warmup.
        GracePeriod::Unlimited if phase.stop.duration.is_some() && phase.kind == PhaseKind::Profiling => {
            section.put("grace_period", Value::Null);
        }
        GracePeriod::Unlimited => {}
    }
    section.put_if("seamless", phase.seamless);
    put_pace(&mut section, config, &phase.pace);
    if let Some(cancellation) = phase.cancellation {
        let mut part = Section::default();
        part.put("rate", cancellation.percent);
        part.put_some("delay", Some(cancellation.delay.as_secs_f64()).filter(|delay| *delay > 0.0));
        section.put("cancellation", part.finish());
    }
    if let Some(scale) = &phase.adaptive_scale {
        scale.put_into(&mut section);
    }
    section.put_some("failed_request_threshold", phase.failed_request_threshold);
    if config.unreachable_timeout != Some(defaults::UNREACHABLE_TIMEOUT) {
        section.put("unreachable_timeout", config.unreachable_timeout.unwrap_or_default().as_secs_f64());
    }
    section.finish()
}

/// The most sessions in flight at the beginning.
const fn first_limit(pace: &Pace) -> Option<usize> {
    match pace {
        Pace::Controlled(first) => first.session_limit(),
        pace => pace.session_limit(),
    }
}

const fn kind(pace: &Pace) -> &'static str {
    match pace {
        // An agentic replay keeps its lanes busy as a closed loop does; its timing mode tells them apart.
        Pace::Concurrency(_) | Pace::AgenticReplay(_) | Pace::Controlled(LoadLevel::Users(_)) => "concurrency",
        Pace::Rate { arrival, .. } | Pace::Controlled(LoadLevel::Rate { arrival, .. }) => match arrival {
            Arrival::Constant => "constant",
            Arrival::Poisson => "poisson",
            Arrival::Gamma { .. } => "gamma",
        },
        Pace::FixedSchedule { .. } => "fixed_schedule",
        Pace::UserCentric { .. } | Pace::Controlled(LoadLevel::PacedUsers { .. }) => "user_centric",
    }
}

fn put_pace(section: &mut Section, config: &Config, pace: &Pace) {
    match pace {
        Pace::Concurrency(_) | Pace::Controlled(LoadLevel::Users(_)) => {}
        Pace::Rate { rate, arrival, .. } => {
            put_rate(section, rate);
            put_smoothness(section, *arrival);
        }
        Pace::Controlled(LoadLevel::Rate { per_second, arrival, .. }) => {
            put_rate(section, &RateCurve::constant(*per_second));
            put_smoothness(section, *arrival);
        }
        Pace::FixedSchedule { zero, .. } => {
            section.put_some("auto_offset", (*zero != ScheduleZero::Earliest).then_some(false));
            if let DatasetSource::File(file) = &config.dataset.source {
                section.put_some("start_offset", file.window.start_ms.map(|ms| ms as u64));
                section.put_some("end_offset", file.window.end_ms.map(|ms| ms as u64));
            }
        }
        Pace::UserCentric { per_second, users, .. }
        | Pace::Controlled(LoadLevel::PacedUsers { per_second, users, .. }) => {
            section.put("rate", *per_second);
            section.put("users", *users);
        }
        Pace::AgenticReplay(replay) => put_replay(section, replay, config),
    }
}

fn put_smoothness(section: &mut Section, arrival: Arrival) {
    if let Arrival::Gamma { smoothness } = arrival {
        section.put("smoothness", smoothness);
    }
}

fn put_replay(section: &mut Section, replay: &AgenticReplay, config: &Config) {
    section.put("timing_mode", "agentic_replay");
    section.put("trajectory_start_min_ratio", replay.start_min);
    section.put("trajectory_start_max_ratio", replay.start_max);
    section.put_if("burst_phase_starts", replay.burst);
    section.put_some("system_idle_gap_cap_seconds", replay.idle_cap.as_ref().map(Duration::as_secs_f64));
    section.put_some("agentic_cache_warmup_duration", replay.cache_warmup.as_ref().map(Duration::as_secs_f64));
    if let Some(GracePeriod::Limited(grace)) = config.phases.warmups().next().map(|warmup| warmup.grace) {
        section.put("agentic_warmup_grace_period", grace.as_secs_f64());
    }
}

fn put_rate(section: &mut Section, rate: &RateCurve) {
    section.put_some("rate_ramp", rate.ramp.map(ramp));
    match rate.points.as_slice() {
        // JSON has no infinity.
        [only] if only.per_second.is_infinite() => section.put("rate", "inf"),
        [only] => section.put("rate", only.per_second),
        points => {
            let point = |point: &RatePoint| json!({"time_s": point.at.as_secs_f64(), "qps": point.per_second});
            let points: Vec<Value> = points.iter().map(point).collect();
            section.put("rate_series", json!({"points": points}));
        }
    }
}

fn ramp(ramp: Ramp) -> Value {
    let mut section = Section::default();
    section.put("duration", ramp.duration.as_secs_f64());
    section.put_some(
        "strategy",
        match ramp.shape {
            RampShape::Linear => None,
            RampShape::Exponential => Some("exponential"),
            RampShape::Poisson => Some("poisson"),
        },
    );
    section.finish()
}
