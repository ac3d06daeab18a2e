//! Adaptive scale: raises the load inside one phase until a limit is broken, then holds the last value that kept all limits.
//!
//! [`ramp`] decides from the verdict on each window; it knows neither time nor requests. [`window`] assesses the requests that ended
//! in a window, [`limit`] says what a limit is about, [`lever`] turns a value into a load, and [`journal`] writes what happened.
//! [`controller`] connects them with the run.

mod controller;
mod journal;
mod lever;
mod limit;
mod ramp;
#[cfg(test)]
mod tests;
mod window;

use aiperf_config::{ControlVariable, PhaseConfig, PhaseKind};
use aiperf_metrics::MetricContext;
use aiperf_report::{AdaptivePhase, ArtifactPaths};

pub(crate) use controller::AdaptiveController;
use lever::Lever;
use limit::Limits;

use crate::error::RunError;

/// Lets the phase begin with the lowest value of what is raised.
pub(crate) fn begin(phase: &mut PhaseConfig) {
    let Some(scale) = phase.adaptive_scale.clone() else { return };
    if let Some((_, first)) = Lever::of(&phase.pace, scale.variable, scale.min) {
        phase.pace = aiperf_config::Pace::Controlled(first);
    }
    if scale.variable == ControlVariable::PrefillConcurrency {
        phase.prefill_limit = Some(scale.min as usize);
    }
}

/// Refuses limits that cannot be computed during a run.
pub(crate) fn validate(phase: &PhaseConfig, context: &MetricContext) -> Result<(), RunError> {
    phase.adaptive_scale.as_ref().map_or(Ok(()), |scale| Limits::new(&scale.limits, context).map(drop))
}

/// The controllers of all phases that have one, by index. `asked` are the phases as they were asked for.
pub(crate) fn controllers(
    asked: &[PhaseConfig],
    contexts: &[MetricContext],
    paths: &ArtifactPaths,
) -> Result<Vec<(usize, AdaptiveController)>, RunError> {
    let is_profiling = |phase: &PhaseConfig| phase.kind == PhaseKind::Profiling;
    let mut controllers = Vec::new();
    let mut written = Vec::new();
    for (index, phase) in asked.iter().enumerate() {
        let Some(scale) = &phase.adaptive_scale else { continue };
        let Some((lever, _)) = Lever::of(&phase.pace, scale.variable, scale.min) else { continue };
        let described = AdaptivePhase {
            phase_index: index,
            phase_kind: phase.kind.name(),
            phase_name: phase.name.to_string(),
            profiling_index: is_profiling(phase)
                .then(|| asked[..index].iter().filter(|phase| is_profiling(phase)).count()),
        };
        written.push(described.clone());
        let limits = Limits::new(&scale.limits, &contexts[index])?;
        let controller = AdaptiveController::new(scale, lever, limits, described, paths)?;
        controllers.push((index, controller));
    }
    if !written.is_empty() {
        aiperf_report::write_adaptive_manifest(paths, &written)?;
    }
    Ok(controllers)
}
