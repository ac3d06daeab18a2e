//! What happened: a line for each event while the phase runs, on the console too, and a summary at the end.

use std::collections::BTreeMap;
use std::path::Path;

use aiperf_clock::{Mono, WallAnchor};
use aiperf_config::{AdaptiveScale, SlaFilter, StepPolicy};
use aiperf_metrics::Metric;
use aiperf_report::{
    ADAPTIVE_SCALE_SCHEMA, AdaptiveCandidate, AdaptiveEvent, AdaptiveEvents, AdaptivePhase, AdaptiveSummary,
    ArtifactPaths, ControlValues, ReportError, WrittenFile, adaptive_time, write_adaptive_summary,
};
use serde_json::{Number, json};

use super::ramp::{RampEnding, ScaleRamp, WindowVerdict};
use super::window::Assessment;

/// The files of one phase.
#[derive(Debug)]
pub(super) struct Journal {
    plan: AdaptiveScale,
    of: AdaptivePhase,
    paths: ArtifactPaths,
    events: AdaptiveEvents,
    candidates: Vec<AdaptiveCandidate>,
    /// Windows so far.
    iteration: u64,
    last: Option<Assessment>,
    sustain_started_at: Option<u64>,
}

/// One event, apart from what the state of the rise says.
#[derive(Debug)]
pub(super) struct Happened<'a> {
    pub(super) event: &'static str,
    pub(super) reason: String,
    pub(super) before: f64,
    pub(super) step: Option<f64>,
    /// The window that the event is about.
    pub(super) window: Option<&'a Assessment>,
    pub(super) passed: Option<bool>,
}

/// When something happened, and how many requests were in flight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment<'a> {
    pub(super) at: Mono,
    pub(super) began: Mono,
    pub(super) in_flight: u64,
    pub(super) anchor: &'a WallAnchor,
}

impl Journal {
    pub(super) fn create(plan: &AdaptiveScale, of: AdaptivePhase, paths: &ArtifactPaths) -> Result<Self, ReportError> {
        let events = AdaptiveEvents::create(paths, &of.phase_name)?;
        Ok(Self {
            plan: plan.clone(),
            of,
            paths: paths.clone(),
            events,
            candidates: Vec::new(),
            iteration: 0,
            last: None,
            sustain_started_at: None,
        })
    }

    /// Adds a line. A file that cannot be written does not end the run.
    pub(super) fn note(&mut self, ramp: &ScaleRamp, happened: &Happened<'_>, moment: Moment<'_>) {
        let number = |value: f64| number(&self.plan, value);
        let window = happened.window;
        let binding = window.and_then(Assessment::binding);
        let shown = binding.map_or_else(|| &self.plan.limits[0], |check| &check.asked);
        let at = moment.anchor.epoch(moment.at);
        if happened.event == "sustain_started" {
            self.sustain_started_at = Some(at.0);
        }
        let event = AdaptiveEvent {
            event: happened.event,
            phase: ramp.stage.name(),
            reason: happened.reason.clone(),
            accepted_value: number(ramp.value),
            adaptive_iteration: self.iteration,
            binding_sla: binding.map(|check| check.asked.to_string()),
            boundary_value: ramp.boundary().map(number),
            cancelled: window.map_or(0, |window| window.cancelled),
            candidate_value: number(happened.before),
            completed: window.map_or(0, Assessment::completed),
            control: ControlValues { actual_value: number(ramp.value), target_value: number(ramp.value) },
            control_value: number(ramp.value),
            control_value_after: number(ramp.value),
            control_value_before: number(happened.before),
            control_variable: self.plan.variable.name(),
            error_count: window.map_or(0, |window| window.failed),
            errored: window.map_or(0, |window| window.failed),
            fault_window_id: None,
            first_failing_value: ramp.first_failing.map(number),
            in_flight: moment.in_flight,
            last_passing_value: ramp.last_passing.map(number),
            phase_end_ts: None,
            phase_id: self.of.phase_name.clone(),
            of: self.of.clone(),
            phase_start_ts: Some(moment.anchor.epoch(moment.began).0),
            run_id: None,
            sample_count: window.map_or(0, |window| window.succeeded),
            schema_version: ADAPTIVE_SCALE_SCHEMA,
            sent: window.map_or(0, Assessment::completed),
            sla_bound: shown.threshold,
            sla_metric: shown.metric.clone(),
            sla_op: shown.op.name(),
            sla_passed: happened.passed,
            sla_stat: shown.stat.clone(),
            sla_value: binding.and_then(|check| check.value),
            sla_values: window.map_or_else(BTreeMap::new, values),
            step_policy: self.plan.step.name(),
            step_size: happened.step.map(number),
            strategy_type: AdaptiveScale::STRATEGY,
            throughput: window.map_or(0.0, |window| window.throughput),
            timestamp: at.0,
            timestamp_ns: at.0,
            timestamp_utc: adaptive_time(at),
        };
        if let Err(error) = self.events.write(&event) {
            log::error!("{error}. The log of adaptive scale ends here; the run goes on.");
        }
        log::info!("Adaptive scale: {}", happened.reason);
    }

    /// Keeps a window that was decided on for the summary.
    pub(super) fn keep(&mut self, value: f64, window: &Assessment, anchor: &WallAnchor) {
        let passed = matches!(window.verdict, WindowVerdict::Kept { .. });
        let all = window.completed();
        let stat = |metric: Metric, stat: &str| window.reported(metric, stat);
        let (latency, first, between) = (Metric::RequestLatency, Metric::TimeToFirstToken, Metric::InterTokenLatency);
        self.candidates.push(AdaptiveCandidate {
            accepted: passed,
            adaptive_iteration: self.iteration,
            cancelled: window.cancelled,
            candidate_value: number(&self.plan, value),
            control_value: number(&self.plan, value),
            duration_s: window.end.since(window.start).as_secs_f64(),
            end_ts: adaptive_time(anchor.epoch(window.end)),
            error_count: window.failed,
            itl_p50_ms: stat(between, "p50"),
            itl_p95_ms: stat(between, "p95"),
            itl_p99_ms: stat(between, "p99"),
            latency_avg_ms: stat(latency, "avg"),
            latency_p50_ms: stat(latency, "p50"),
            latency_p95_ms: stat(latency, "p95"),
            latency_p99_ms: stat(latency, "p99"),
            rejection_reason: (!passed).then_some("sla_miss"),
            request_count: all,
            sla_values: values(window),
            start_ts: adaptive_time(anchor.epoch(window.start)),
            success_count: window.succeeded,
            success_rate: (all > 0).then(|| window.succeeded as f64 / all as f64),
            throughput_rps: window.throughput,
            ttft_p50_ms: stat(first, "p50"),
            ttft_p95_ms: stat(first, "p95"),
            ttft_p99_ms: stat(first, "p99"),
        });
        self.iteration += 1;
        self.last = Some(window.clone());
    }

    /// Writes the summary.
    pub(super) fn conclude(&mut self, ramp: &ScaleRamp) -> Result<Vec<WrittenFile>, ReportError> {
        let number = |value: f64| number(&self.plan, value);
        let last = self.last.as_ref();
        // The limit that was broken first, or the nearest one of the last window.
        let shown: &SlaFilter =
            last.and_then(Assessment::binding).map_or_else(|| &self.plan.limits[0], |check| &check.asked);
        let ending = ramp.ending.unwrap_or(RampEnding::PhaseStopped);
        let (base_step, max_step_multiplier, step_percent) = match self.plan.step {
            StepPolicy::SlaMargin { base, max_multiplier } => (Some(base), Some(max_multiplier), None),
            StepPolicy::FixedPercent(percent) => (None, None, Some(percent)),
        };
        let summary = AdaptiveSummary {
            base_step,
            boundary_value: ramp.boundary().map(number),
            candidates: std::mem::take(&mut self.candidates),
            completed_reason: ending.reason(),
            control: ControlValues { actual_value: number(ramp.value), target_value: number(ramp.value) },
            control_value: number(ramp.value),
            control_variable: self.plan.variable.name(),
            first_failing_value: ramp.first_failing.map(number),
            last_passing_value: ramp.last_passing.map(number),
            max_step_multiplier,
            of: self.of.clone(),
            result: json!({
                "boundary_value": ramp.boundary().map(number),
                "first_failing_value": ramp.first_failing.map(number),
                "last_passing_value": ramp.last_passing.map(number),
            }),
            schema_version: ADAPTIVE_SCALE_SCHEMA,
            sla: json!({"bound": shown.threshold, "metric": shown.metric, "op": shown.op.name(), "stat": shown.stat}),
            sla_bound: shown.threshold,
            sla_metric: shown.metric.clone(),
            sla_op: shown.op.name(),
            sla_passed_during_sustain: ramp.sustain_windows > 0 && ramp.sustain_passed == ramp.sustain_windows,
            sla_stat: shown.stat.clone(),
            sla_filters: self.plan.limits.iter().map(ToString::to_string).collect(),
            status: status(ending, ramp),
            step_percent,
            step_policy: self.plan.step.name(),
            strategy_type: AdaptiveScale::STRATEGY,
            sustain_duration_seconds: self.plan.sustain.as_secs_f64(),
            sustain_passed_windows: ramp.sustain_passed,
            sustain_started_at: self.sustain_started_at,
            sustain_windows: ramp.sustain_windows,
            throughput: last.map_or(0.0, |last| last.throughput),
            totals: json!({
                "cancelled": last.map_or(0, |last| last.cancelled),
                "completed": last.map_or(0, |last| last.succeeded),
                "errored": last.map_or(0, |last| last.failed),
                "sent": last.map_or(0, Assessment::completed),
            }),
        };
        let file = |label: &str, path: &Path| WrittenFile { label: label.into(), path: path.to_owned() };
        let path = write_adaptive_summary(&self.paths, &summary)?;
        Ok(vec![
            file("Adaptive Scale Summary", &path),
            file("Adaptive Scale Log", self.events.path()),
            file("Adaptive Scale List", &self.paths.adaptive_scale_manifest()),
        ])
    }
}

/// `completed` only if a value was found and held.
const fn status(ending: RampEnding, ramp: &ScaleRamp) -> &'static str {
    match ending {
        RampEnding::Sustained => "completed",
        RampEnding::NothingSustainable => "failed",
        // As in the reference, a phase that was over while a value was held is not marked as failed.
        RampEnding::PhaseStopped if ramp.first_failing.is_some() && ramp.last_passing.is_none() => "failed",
        RampEnding::MaxKept | RampEnding::PhaseStopped => "incomplete",
    }
}

fn values(window: &Assessment) -> BTreeMap<String, Option<f64>> {
    window.checks.iter().map(|check| (check.asked.to_string(), check.value)).collect()
}

/// A value as files show it: whole unless a rate is raised.
fn number(plan: &AdaptiveScale, value: f64) -> Number {
    let real = || Number::from_f64(value).unwrap_or_else(|| Number::from(0));
    if plan.variable.is_whole() { Number::from(value as u64) } else { real() }
}
