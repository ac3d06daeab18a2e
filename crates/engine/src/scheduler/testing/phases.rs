//! Phases as tests write them: a pace and a stop condition, and nothing else unless the test says so.

use std::time::Duration;

use aiperf_config::{AgenticReplay, Arrival, Pace, PhaseConfig, PhaseKind, Ramp, RampShape, RateCurve, StopConditions};

pub(crate) fn profiling(pace: Pace, stop: StopConditions) -> PhaseConfig {
    PhaseConfig::new(PhaseKind::Profiling, pace, stop)
}

pub(crate) fn warmup(pace: Pace, stop: StopConditions) -> PhaseConfig {
    PhaseConfig::new(PhaseKind::Warmup, pace, stop)
}

/// Profiling with this many sessions at a time.
pub(crate) fn closed_loop(concurrency: usize, stop: StopConditions) -> PhaseConfig {
    profiling(Pace::Concurrency(concurrency), stop)
}

/// Arrivals at a constant distance, without a ceiling.
pub(crate) fn rate(per_second: f64) -> Pace {
    Pace::Rate { rate: RateCurve::constant(per_second), arrival: Arrival::Constant, ceiling: None }
}

/// Sessions are entered at the given share of their recorded time; each lane's first requests keep their spacing.
pub(crate) fn agentic(lanes: usize, start: f64) -> AgenticReplay {
    AgenticReplay { lanes, start_min: start, start_max: start, burst: false, idle_cap: None, cache_warmup: None }
}

pub(crate) const fn linear(millis: u64) -> Ramp {
    Ramp { duration: Duration::from_millis(millis), shape: RampShape::Linear }
}

pub(crate) fn requests(count: u64) -> StopConditions {
    StopConditions { requests: Some(count), ..StopConditions::default() }
}

pub(crate) fn sessions(count: u64) -> StopConditions {
    StopConditions { sessions: Some(count), ..StopConditions::default() }
}

pub(crate) fn duration(millis: u64) -> StopConditions {
    StopConditions { duration: Some(Duration::from_millis(millis)), ..StopConditions::default() }
}
