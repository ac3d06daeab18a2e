//! Connects the rise with a run: collects finished requests into windows, and tells the engine the next value.

use std::time::Duration;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::AdaptiveScale;
use aiperf_metrics::Metric;
use aiperf_report::{AdaptivePhase, ArtifactPaths};
use serde_json::json;

use super::journal::{Happened, Journal, Moment};
use super::lever::Lever;
use super::limit::Limits;
use super::ramp::{NextStep, RampEnding, RampStage, ScaleRamp, WindowVerdict};
use super::window::{Assessment, Window};
use crate::error::RunError;
use crate::watch::live::LiveSample;
use crate::watch::load_control::{LoadController, LoadDecision, LoadReport, LoadView};

/// Key of the result in the summary.
const SECTION: &str = "adaptive_scale";

/// Raises the load of one phase.
#[derive(Debug)]
pub(crate) struct AdaptiveController {
    plan: AdaptiveScale,
    lever: Lever,
    limits: Limits,
    ramp: ScaleRamp,
    journal: Journal,
    phase: String,
    /// Requests that no window has been decided on yet.
    pending: Vec<LiveSample>,
    window: Option<Window>,
    /// How often the load has been set, so that what holds is known from what is still to come.
    changes: u64,
    /// When the value that is held came into force.
    held_since: Option<Mono>,
}

impl AdaptiveController {
    pub(super) fn new(
        plan: &AdaptiveScale,
        lever: Lever,
        limits: Limits,
        of: AdaptivePhase,
        paths: &ArtifactPaths,
    ) -> Result<Self, RunError> {
        let phase = of.phase_name.clone();
        Ok(Self {
            lever,
            limits,
            ramp: ScaleRamp::new(plan),
            journal: Journal::create(plan, of, paths)?,
            phase,
            pending: Vec::new(),
            window: None,
            changes: 0,
            held_since: None,
            plan: plan.clone(),
        })
    }

    /// Starts a window when the value that was set has come into force.
    fn open_window(&mut self, view: &LoadView<'_>) {
        if self.window.is_some() || view.load.changes < self.changes {
            return;
        }
        let since = if self.lever.is_load() { view.load.since } else { view.now };
        if self.changes == 0 && self.ramp.last_passing.is_none() {
            let reason = format!(
                "{} begins at {} and is raised up to {}, in windows of {} s",
                self.plan.variable.name(),
                self.plan.min,
                self.plan.max,
                self.plan.window.as_secs_f64()
            );
            self.note("adaptive_phase_started", reason, self.ramp.value, None, (None, None), view);
        }
        if self.ramp.stage == RampStage::Sustain && self.held_since.is_none() {
            self.held_since = Some(since);
        }
        self.window = Some(Window::new(since, Nanos::from(self.plan.window), since));
    }

    fn note(
        &mut self,
        event: &'static str,
        reason: String,
        before: f64,
        step: Option<f64>,
        (window, passed): (Option<&Assessment>, Option<bool>),
        view: &LoadView<'_>,
    ) {
        let in_flight = view.sent.saturating_sub(view.returned);
        let moment = Moment { at: view.now, began: view.began, in_flight, anchor: view.anchor };
        let happened = Happened { event, reason, before, step, window, passed };
        self.journal.note(&self.ramp, &happened, moment);
    }

    /// Decides on a window that is over.
    fn decide_on(&mut self, window: &Window, view: &LoadView<'_>) -> LoadDecision {
        let assessed = window.assess(&self.pending, &self.limits, self.plan.min_completed);
        let value = self.ramp.value;
        let name = self.plan.variable.name();
        let found = describe(&assessed);
        let passed = match assessed.verdict {
            WindowVerdict::Inconclusive => None,
            WindowVerdict::Kept { .. } => Some(true),
            WindowVerdict::Broken => Some(false),
        };
        let text = match passed {
            None => format!(
                "{name} {value}: {} responses so far, {} are needed; the window goes on",
                assessed.completed(),
                self.plan.min_completed
            ),
            Some(_) => format!("{name} {value}: {found}"),
        };
        self.note("adaptive_window", text, value, None, (Some(&assessed), passed), view);
        let held = self.held_since.map_or(Duration::ZERO, |since| window.end.since(since).as_duration());
        if passed.is_some() {
            self.journal.keep(value, &assessed, view.anchor);
        }
        let about = (Some(&assessed), None);
        match self.ramp.assess(assessed.verdict, held) {
            NextStep::Extend => {
                if let Some(window) = &mut self.window {
                    window.extend();
                }
                LoadDecision::Keep
            }
            NextStep::Raise { to, by } => {
                let reason = format!("all limits were kept at {name} {value}; next is {to}");
                self.note("adaptive_decision", reason, value, Some(by), about, view);
                self.set(to)
            }
            NextStep::Hold { at } => {
                let reason = format!("{name} {value} broke a limit ({found}); {at} is held");
                self.note("sustain_started", reason, value, None, about, view);
                let reason = format!("the boundary is {at}: {value} broke a limit ({found})");
                self.note("boundary_discovered", reason, at, None, about, view);
                self.set(at)
            }
            NextStep::KeepHolding => {
                let verb = if passed == Some(true) { "kept all limits" } else { "broke a limit" };
                let reason = format!("{name} {value} {verb} while it was held ({found})");
                self.note("adaptive_decision", reason, value, None, about, view);
                self.drop_before(window.end);
                self.window = Some(window.next());
                LoadDecision::Keep
            }
            NextStep::End(ending) => {
                let reason = sentence(ending, &self.plan, &self.ramp);
                self.note(ending.event(), format!("{}: {reason}", ending.reason()), value, None, about, view);
                LoadDecision::End(format!("adaptive scale is complete: {reason}"))
            }
        }
    }

    /// The next value, which a window starts for as soon as it is in force.
    fn set(&mut self, value: f64) -> LoadDecision {
        if self.lever.is_load() {
            self.changes += 1;
        }
        // Requests that ended before now belong to no later window.
        if let Some(window) = self.window.take() {
            self.drop_before(window.end);
        }
        self.lever.decision(value)
    }

    fn drop_before(&mut self, end: Mono) {
        self.pending.retain(|sample| sample.end > end);
    }
}

impl LoadController for AdaptiveController {
    fn metrics(&self) -> Vec<Metric> {
        self.limits.metrics().to_vec()
    }

    fn decide(&mut self, view: &LoadView<'_>) -> LoadDecision {
        if self.ramp.stage == RampStage::Complete {
            return LoadDecision::Keep;
        }
        self.pending.extend(view.samples.iter().cloned());
        if view.sending_ended.is_some() || view.is_last {
            self.ramp.stop();
            let reason = format!("{}: the phase was over before the rise was", RampEnding::PhaseStopped.reason());
            self.note(RampEnding::PhaseStopped.event(), reason, self.ramp.value, None, (None, None), view);
            return LoadDecision::Keep;
        }
        self.open_window(view);
        match self.window.clone() {
            Some(window) if view.settled >= window.end => self.decide_on(&window, view),
            _ => LoadDecision::Keep,
        }
    }

    fn report(mut self: Box<Self>) -> LoadReport {
        self.ramp.stop();
        let ending = self.ramp.ending.unwrap_or(RampEnding::PhaseStopped);
        let name = self.plan.variable.name();
        let mut remarks =
            vec![format!("Adaptive scale ({}): {}.", self.phase, sentence(ending, &self.plan, &self.ramp))];
        let ScaleRamp { sustain_windows, sustain_passed, .. } = self.ramp;
        if sustain_passed < sustain_windows {
            let broken = sustain_windows - sustain_passed;
            remarks.push(format!(
                "Limits were broken in {broken} of {sustain_windows} windows while {name} {} was held: the server may not keep \
                 them at this value for long.",
                self.ramp.value
            ));
        }
        let section = json!({
            "phase": self.phase,
            "control_variable": name,
            "boundary_value": self.ramp.boundary(),
            "last_passing_value": self.ramp.last_passing,
            "first_failing_value": self.ramp.first_failing,
            "completed_reason": ending.reason(),
            "sla_filters": self.limits.asked().map(ToString::to_string).collect::<Vec<_>>(),
            "sustain_windows": sustain_windows,
            "sustain_passed_windows": sustain_passed,
        });
        let files = self.journal.conclude(&self.ramp).unwrap_or_else(|error| {
            log::error!("{error}");
            Vec::new()
        });
        LoadReport { section: Some((SECTION, section)), unmet: None, remarks, files }
    }
}

/// The value that decides, next to its limit.
fn describe(assessed: &Assessment) -> String {
    assessed.binding().map_or_else(String::new, |check| {
        let value = check.value.map_or_else(|| "no value".to_owned(), |value| format!("{value:.3}"));
        let asked = &check.asked;
        format!("{} {} is {value}, limit {} {}", asked.metric, asked.stat, asked.op.name(), asked.threshold)
    })
}

/// What came out, without a full stop.
fn sentence(ending: RampEnding, plan: &AdaptiveScale, ramp: &ScaleRamp) -> String {
    let name = plan.variable.name();
    match (ending, ramp.last_passing, ramp.first_failing) {
        (RampEnding::Sustained, Some(at), Some(broken)) => {
            format!("{name} {at} kept all limits and was held for {} s; {broken} broke one", plan.sustain.as_secs_f64())
        }
        (RampEnding::NothingSustainable, ..) => {
            format!("the first value, {name} {}, broke a limit; lower the first value or loosen the limit", plan.min)
        }
        (RampEnding::MaxKept, ..) => {
            format!(
                "the highest value, {name} {}, kept all limits; raise the highest value or tighten the limits",
                plan.max
            )
        }
        (_, Some(at), Some(broken)) => {
            format!("the phase was over while {name} {at} was held; {broken} broke a limit")
        }
        (_, Some(at), None) => format!("the phase was over before a limit was broken; {name} {at} kept all limits"),
        _ => format!("the phase was over before {name} {} was assessed", plan.min),
    }
}
