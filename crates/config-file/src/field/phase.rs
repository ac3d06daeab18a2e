//! The load of one phase: an entry of `benchmark.phases`.

use aiperf_options::catalogue::OptionId;

use super::Form::{Duration, Flag, List, Own, Scalar, Section};
use super::{Field, OwnForm};

pub(crate) const PHASE: &[Field] = &[
    Field::new("type", Own(OwnForm::PhaseType)),
    Field::new("requests", Scalar(OptionId::RequestCount)),
    Field::new("sessions", Scalar(OptionId::ConversationNum)),
    Field::new("duration", Duration(OptionId::BenchmarkDuration)),
    Field::new("grace_period", Duration(OptionId::BenchmarkGracePeriod)),
    Field::new("concurrency", Scalar(OptionId::Concurrency)),
    Field::new("prefill_concurrency", Scalar(OptionId::PrefillConcurrency)),
    Field::new("concurrency_ramp", Own(OwnForm::Ramp(OptionId::ConcurrencyRampDuration))),
    Field::new("prefill_ramp", Own(OwnForm::Ramp(OptionId::PrefillConcurrencyRampDuration))),
    Field::new("rate_ramp", Own(OwnForm::Ramp(OptionId::RequestRateRampDuration))),
    Field::new("rate", Own(OwnForm::Rate)),
    Field::new("rate_series", Own(OwnForm::RateSeries)),
    Field::new("smoothness", Scalar(OptionId::ArrivalSmoothness)),
    Field::new("users", Scalar(OptionId::NumUsers)),
    Field::new("auto_offset", Flag(OptionId::FixedScheduleAutoOffset)),
    Field::new("start_offset", Scalar(OptionId::FixedScheduleStartOffset)),
    Field::new("end_offset", Scalar(OptionId::FixedScheduleEndOffset)),
    Field::new("cancellation", Section(CANCELLATION)),
    Field::new("failed_request_threshold", Scalar(OptionId::FailedRequestThreshold)),
    Field::new("trajectory_start_min_ratio", Scalar(OptionId::TrajectoryStartMinRatio)),
    Field::new("trajectory_start_max_ratio", Scalar(OptionId::TrajectoryStartMaxRatio)),
    Field::new("burst_phase_starts", Flag(OptionId::BurstPhaseStarts)),
    Field::new("system_idle_gap_cap_seconds", Scalar(OptionId::SystemIdleGapCapSeconds)),
    Field::new("agentic_cache_warmup_duration", Duration(OptionId::AgenticCacheWarmupDuration)),
    Field::new("agentic_warmup_grace_period", Duration(OptionId::AgenticWarmupGracePeriod)),
    Field::new("adaptive_scale", Own(OwnForm::AdaptiveScale)),
    Field::new("sla", Own(OwnForm::Sla)),
    // The parts of `adaptive_scale`, next to it.
    Field::new("adaptive_sustain_duration", Duration(OptionId::AdaptiveSustainDuration)),
    Field::new("adaptive_assessment_period", Duration(OptionId::AdaptiveAssessmentPeriod)),
    Field::new("adaptive_min_completed_requests", Scalar(OptionId::AdaptiveMinCompletedRequests)),
    Field::new("adaptive_control_variable", Scalar(OptionId::AdaptiveControlVariable)),
    Field::new("adaptive_control_min", Scalar(OptionId::AdaptiveControlMin)),
    Field::new("adaptive_control_max", Scalar(OptionId::AdaptiveControlMax)),
    Field::new("adaptive_scale_strategy_type", Scalar(OptionId::AdaptiveScaleStrategyType)),
    Field::new("adaptive_scale_step_policy", Scalar(OptionId::AdaptiveScaleStepPolicy)),
    Field::new("adaptive_scale_base_step", Scalar(OptionId::AdaptiveScaleBaseStep)),
    Field::new("adaptive_scale_max_step_multiplier", Scalar(OptionId::AdaptiveScaleMaxStepMultiplier)),
    Field::new("adaptive_scale_step_percent", Scalar(OptionId::AdaptiveScaleStepPercent)),
    // The reference has no fields for these.
    Field::new("until_ci", List(OptionId::UntilCi)),
    Field::new("measurement_interval", Scalar(OptionId::MeasurementInterval)),
    Field::new("stability_percentage", Scalar(OptionId::StabilityPercentage)),
    Field::new("max_trials", Scalar(OptionId::MaxTrials)),
];

pub(crate) const ADAPTIVE_SCALE: &[Field] = &[
    Field::new("enabled", Flag(OptionId::AdaptiveScale)),
    Field::new("control", Section(CONTROL)),
    Field::new("window", Duration(OptionId::AdaptiveAssessmentPeriod)).alias("assessment_period"),
    Field::new("min_completed_requests", Scalar(OptionId::AdaptiveMinCompletedRequests)),
    Field::new("sustain_duration", Duration(OptionId::AdaptiveSustainDuration)),
    Field::new("strategy", Section(STRATEGY)),
    Field::new("sla", Own(OwnForm::Sla)),
    // Other forms of `control`.
    Field::new("control_variable", Scalar(OptionId::AdaptiveControlVariable)),
    Field::new("control_min", Scalar(OptionId::AdaptiveControlMin)).alias("min_concurrency"),
    Field::new("control_max", Scalar(OptionId::AdaptiveControlMax)).alias("max_concurrency"),
];

const CONTROL: &[Field] = &[
    Field::new("variable", Scalar(OptionId::AdaptiveControlVariable)),
    Field::new("min", Scalar(OptionId::AdaptiveControlMin)),
    Field::new("max", Scalar(OptionId::AdaptiveControlMax)),
];

const STRATEGY: &[Field] = &[
    Field::new("type", Scalar(OptionId::AdaptiveScaleStrategyType)),
    Field::new("step_policy", Scalar(OptionId::AdaptiveScaleStepPolicy)),
    Field::new("base_step", Scalar(OptionId::AdaptiveScaleBaseStep)),
    Field::new("max_step_multiplier", Scalar(OptionId::AdaptiveScaleMaxStepMultiplier)),
    Field::new("step_percent", Scalar(OptionId::AdaptiveScaleStepPercent)),
];

const CANCELLATION: &[Field] = &[
    Field::new("rate", Scalar(OptionId::RequestCancellationRate)),
    Field::new("delay", Duration(OptionId::RequestCancellationDelay)),
];

/// Options of a warmup, each with the option that a measured phase has for it.
pub(crate) const WARMUP_OPTIONS: &[(OptionId, OptionId)] = &[
    (OptionId::WarmupRequestCount, OptionId::RequestCount),
    (OptionId::WarmupDuration, OptionId::BenchmarkDuration),
    (OptionId::NumWarmupSessions, OptionId::ConversationNum),
    (OptionId::WarmupConcurrency, OptionId::Concurrency),
    (OptionId::WarmupPrefillConcurrency, OptionId::PrefillConcurrency),
    (OptionId::WarmupRequestRate, OptionId::RequestRate),
    (OptionId::WarmupArrivalPattern, OptionId::ArrivalPattern),
    (OptionId::WarmupGracePeriod, OptionId::BenchmarkGracePeriod),
    (OptionId::WarmupConcurrencyRampDuration, OptionId::ConcurrencyRampDuration),
    (OptionId::WarmupPrefillConcurrencyRampDuration, OptionId::PrefillConcurrencyRampDuration),
    (OptionId::WarmupRequestRateRampDuration, OptionId::RequestRateRampDuration),
];
