//! Raises a value until a limit is broken, then holds the last one that kept all limits. Pure: it is told the verdict on each window
//! and says what comes next.

use std::time::Duration;

use aiperf_config::{AdaptiveScale, StepPolicy};

/// What a window says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum WindowVerdict {
    /// Too few responses.
    Inconclusive,
    /// All limits were kept; the nearest one by this share of it.
    Kept {
        margin: f64,
    },
    Broken,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NextStep {
    /// The window goes on until there are enough responses.
    Extend,
    /// The next value is assessed.
    Raise {
        to: f64,
        by: f64,
    },
    /// The last value that kept all limits is held from now on.
    Hold {
        at: f64,
    },
    /// The value that is held is assessed again.
    KeepHolding,
    End(RampEnding),
}

/// Why the phase ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RampEnding {
    /// The value was held for as long as was asked.
    Sustained,
    /// The first value breaks a limit.
    NothingSustainable,
    /// The highest value keeps all limits.
    MaxKept,
    /// The duration is over, or the run was stopped.
    PhaseStopped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RampStage {
    Discover,
    Sustain,
    Complete,
}

/// The state of the rise.
#[derive(Debug, Clone)]
pub(super) struct ScaleRamp {
    plan: AdaptiveScale,
    pub(super) stage: RampStage,
    pub(super) value: f64,
    pub(super) last_passing: Option<f64>,
    pub(super) first_failing: Option<f64>,
    /// Windows at the value that is held, and how many of them kept all limits.
    pub(super) sustain_windows: u64,
    pub(super) sustain_passed: u64,
    pub(super) ending: Option<RampEnding>,
}

impl ScaleRamp {
    pub(super) fn new(plan: &AdaptiveScale) -> Self {
        Self {
            stage: RampStage::Discover,
            value: plan.min,
            last_passing: None,
            first_failing: None,
            sustain_windows: 0,
            sustain_passed: 0,
            ending: None,
            plan: plan.clone(),
        }
    }

    /// Takes in the verdict on a window. `held`: how long the value has been held, if it is.
    pub(super) fn assess(&mut self, verdict: WindowVerdict, held: Duration) -> NextStep {
        match (self.stage, verdict) {
            (RampStage::Complete, _) => NextStep::KeepHolding,
            (_, WindowVerdict::Inconclusive) => NextStep::Extend,
            (RampStage::Discover, WindowVerdict::Kept { margin }) => {
                self.last_passing = Some(self.value);
                if self.value >= self.plan.max {
                    return self.end(RampEnding::MaxKept);
                }
                let by = self.step(margin).min(self.plan.max - self.value);
                self.value += by;
                NextStep::Raise { to: self.value, by }
            }
            (RampStage::Discover, WindowVerdict::Broken) => {
                self.first_failing = Some(self.value);
                let Some(at) = self.last_passing else { return self.end(RampEnding::NothingSustainable) };
                self.stage = RampStage::Sustain;
                self.value = at;
                NextStep::Hold { at }
            }
            (RampStage::Sustain, verdict) => {
                self.sustain_windows += 1;
                self.sustain_passed += u64::from(verdict != WindowVerdict::Broken);
                if held >= self.plan.sustain { self.end(RampEnding::Sustained) } else { NextStep::KeepHolding }
            }
        }
    }

    /// The phase stopped sending before the rise was over.
    pub(super) fn stop(&mut self) {
        if self.stage != RampStage::Complete {
            self.end(RampEnding::PhaseStopped);
        }
    }

    /// The value that was found: known once a limit was broken.
    pub(super) fn boundary(&self) -> Option<f64> {
        self.first_failing.and(self.last_passing)
    }

    fn end(&mut self, ending: RampEnding) -> NextStep {
        self.stage = RampStage::Complete;
        self.ending = Some(ending);
        NextStep::End(ending)
    }

    /// The step from the present value: a share of it, or a multiple of the smallest step that falls as the nearest limit comes near.
    fn step(&self, margin: f64) -> f64 {
        match self.plan.step {
            StepPolicy::FixedPercent(percent) => {
                let step = self.value * percent / 100.0;
                if self.plan.variable.is_whole() { step.ceil().max(1.0) } else { step }
            }
            StepPolicy::SlaMargin { base, max_multiplier } => {
                let most = f64::from(max_multiplier);
                base * (margin * most).floor().clamp(1.0, most)
            }
        }
    }
}

impl RampStage {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Discover => "discover",
            Self::Sustain => "sustain",
            Self::Complete => "complete",
        }
    }
}

impl RampEnding {
    /// The event that reports it.
    pub(super) const fn event(self) -> &'static str {
        match self {
            Self::Sustained | Self::PhaseStopped => "adaptive_complete",
            Self::NothingSustainable => "adaptive_failed",
            Self::MaxKept => "adaptive_incomplete",
        }
    }

    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Sustained => "sustain_duration_completed",
            Self::NothingSustainable => "no_sustainable_concurrency_found",
            Self::MaxKept => "max_control_value_reached_without_saturation",
            Self::PhaseStopped => "phase_stopped",
        }
    }
}
