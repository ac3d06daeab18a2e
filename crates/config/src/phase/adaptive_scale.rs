//! Load that is raised inside one phase until a limit is broken, and then held where all limits were kept.

use std::time::Duration;

use serde_json::{Value, json};

use crate::SlaFilter;
use crate::section::Section;

/// How the load of a phase is raised.
#[derive(Debug, Clone, PartialEq)]
pub struct AdaptiveScale {
    pub variable: ControlVariable,
    /// The value that the phase begins with, and the highest one. Whole numbers, unless a rate is raised.
    pub min: f64,
    pub max: f64,
    /// How long one value is assessed.
    pub window: Duration,
    /// Responses that an assessment needs; a window that has fewer goes on.
    pub min_completed: u64,
    /// How long the load is held once it is found.
    pub sustain: Duration,
    pub step: StepPolicy,
    /// Limits that all must be kept; at least one.
    pub limits: Vec<SlaFilter>,
}

/// What is raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlVariable {
    Concurrency,
    PrefillConcurrency,
    RequestRate,
    Users,
}

impl ControlVariable {
    pub const ALL: [Self; 4] = [Self::Concurrency, Self::PrefillConcurrency, Self::RequestRate, Self::Users];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Concurrency => "concurrency",
            Self::PrefillConcurrency => "prefill_concurrency",
            Self::RequestRate => "request_rate",
            Self::Users => "users",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|variable| variable.name() == name)
    }

    /// Whether its values are whole numbers.
    pub const fn is_whole(self) -> bool {
        !matches!(self, Self::RequestRate)
    }
}

/// How large the step to the next value is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepPolicy {
    /// A multiple of the smallest step: the further the value is from its limit, the larger.
    SlaMargin { base: f64, max_multiplier: u32 },
    /// A share of the present value.
    FixedPercent(f64),
}

impl StepPolicy {
    /// The smallest step if nothing else is said.
    pub const USUAL_BASE: u32 = 10;
    pub const USUAL_MULTIPLIER: u32 = 4;
    pub const USUAL_PERCENT: f64 = 25.0;
    pub const NAMES: [&'static str; 2] = ["sla_margin", "fixed_percent_step"];

    pub const fn name(&self) -> &'static str {
        match self {
            Self::SlaMargin { .. } => Self::NAMES[0],
            Self::FixedPercent(_) => Self::NAMES[1],
        }
    }
}

impl AdaptiveScale {
    /// The only strategy.
    pub const STRATEGY: &'static str = "ramp_until_fail";
    /// The window if nothing else is said.
    pub const USUAL_WINDOW: Duration = Duration::from_secs(30);
    /// A window has at least this length.
    pub const SHORTEST_WINDOW: Duration = Duration::from_secs(1);

    /// The fields of a phase in the summary.
    pub(crate) fn put_into(&self, section: &mut Section) {
        section.put("adaptive_scale", true);
        section.put("adaptive_sustain_duration", self.sustain.as_secs_f64());
        section.put("adaptive_assessment_period", self.window.as_secs_f64());
        section.put("adaptive_min_completed_requests", self.min_completed);
        section.put("adaptive_control_variable", self.variable.name());
        section.put("adaptive_control_min", self.min);
        section.put("adaptive_control_max", self.max);
        section.put("adaptive_scale_strategy_type", Self::STRATEGY);
        section.put("adaptive_scale_step_policy", self.step.name());
        match self.step {
            StepPolicy::SlaMargin { base, max_multiplier } => {
                section.put("adaptive_scale_base_step", base);
                section.put("adaptive_scale_max_step_multiplier", max_multiplier);
            }
            StepPolicy::FixedPercent(percent) => section.put("adaptive_scale_step_percent", percent),
        }
        let limit = |limit: &SlaFilter| json!({"metric_tag": limit.metric, "stat": limit.stat, "op": limit.op.name(), "threshold": limit.threshold});
        section.put("sla", self.limits.iter().map(limit).collect::<Vec<Value>>());
    }
}
