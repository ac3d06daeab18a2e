//! The seam between a search and the rule that chooses its points.

mod bracket;
mod isotonic;
mod model_based;
mod monotonic;
mod tiers;

use std::fmt::Debug;

use aiperf_config::{PlannerKind, SearchSpec};

use self::isotonic::SmoothIsotonic;
use self::model_based::ModelBased;
use self::monotonic::MonotonicSla;
use self::tiers::Tiers;
use crate::boundary::BoundaryEstimate;
use crate::{Outcome, SearchPoint};

/// What a planner wants next.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// Measure this point.
    Probe(SearchPoint),
    /// Enough is known, or nothing more can be learned.
    End(EndReason),
}

/// Chooses points. It may use only what it was told, so that the same answers lead to the same next point.
pub trait Planner: Debug + Send {
    fn ask(&mut self) -> Ask;

    fn tell(&mut self, point: &SearchPoint, outcome: &Outcome);

    /// What it knows about the limit beyond the verdicts of single points.
    fn boundary(&self) -> Option<BoundaryEstimate> {
        None
    }
}

/// The planner that a search names; `seed` is that of its random draws.
pub fn planner(spec: &SearchSpec, seed: u64) -> Box<dyn Planner> {
    if !spec.sla_tiers.is_empty() {
        return Box::new(Tiers::new(spec));
    }
    match spec.planner {
        PlannerKind::MonotonicSla => Box::new(MonotonicSla::new(spec)),
        PlannerKind::SmoothIsotonic => Box::new(SmoothIsotonic::new(spec, seed)),
        PlannerKind::Bayesian | PlannerKind::Optuna => Box::new(ModelBased::new(spec, seed)),
    }
}

/// Why a search ended, by the names of AIPerf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    MaxIterations,
    ImprovementPatience,
    PlateauCv,
    PosteriorRegretBound,
    Emmr,
    MonotonicPrecisionReached,
    MonotonicNoPassInRange,
    MonotonicNoFailureInRange,
    SmoothIsotonicPrecisionReached,
    SmoothIsotonicCliffPrecisionReached,
    SmoothIsotonicNoPassInRange,
    SmoothIsotonicNoFailureInRange,
    SmoothIsotonicPchipFallbackBisection,
    TiersPrecisionReached,
    TiersNoPassInRange,
    TiersNoFailureInRange,
    PlannerDone,
    PlannerFailed,
}

impl EndReason {
    pub const ALL: [Self; 18] = [
        Self::MaxIterations,
        Self::ImprovementPatience,
        Self::PlateauCv,
        Self::PosteriorRegretBound,
        Self::Emmr,
        Self::MonotonicPrecisionReached,
        Self::MonotonicNoPassInRange,
        Self::MonotonicNoFailureInRange,
        Self::SmoothIsotonicPrecisionReached,
        Self::SmoothIsotonicCliffPrecisionReached,
        Self::SmoothIsotonicNoPassInRange,
        Self::SmoothIsotonicNoFailureInRange,
        Self::SmoothIsotonicPchipFallbackBisection,
        Self::TiersPrecisionReached,
        Self::TiersNoPassInRange,
        Self::TiersNoFailureInRange,
        Self::PlannerDone,
        Self::PlannerFailed,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::MaxIterations => "max_iterations",
            Self::ImprovementPatience => "improvement_patience",
            Self::PlateauCv => "plateau_cv",
            Self::PosteriorRegretBound => "posterior_regret_bound",
            Self::Emmr => "emmr",
            Self::MonotonicPrecisionReached => "monotonic_precision_reached",
            Self::MonotonicNoPassInRange => "monotonic_no_pass_in_range",
            Self::MonotonicNoFailureInRange => "monotonic_no_failure_in_range",
            Self::SmoothIsotonicPrecisionReached => "smooth_isotonic_precision_reached",
            Self::SmoothIsotonicCliffPrecisionReached => "smooth_isotonic_cliff_precision_reached",
            Self::SmoothIsotonicNoPassInRange => "smooth_isotonic_no_pass_in_range",
            Self::SmoothIsotonicNoFailureInRange => "smooth_isotonic_no_failure_in_range",
            Self::SmoothIsotonicPchipFallbackBisection => "smooth_isotonic_pchip_fallback_bisection",
            Self::TiersPrecisionReached => "multi_tier_precision_reached",
            Self::TiersNoPassInRange => "multi_tier_no_pass_in_range",
            Self::TiersNoFailureInRange => "multi_tier_no_failure_in_range",
            Self::PlannerDone => "planner_done",
            Self::PlannerFailed => "planner_failed",
        }
    }

    /// In words that people read.
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::MaxIterations => "the maximum number of points was tried",
            Self::ImprovementPatience => "the last points brought no improvement",
            Self::PlateauCv => "the last points hardly differ",
            Self::PosteriorRegretBound => "what could still be gained is below the noise",
            Self::Emmr => "the expected gain of more points is small",
            Self::MonotonicPrecisionReached | Self::SmoothIsotonicPrecisionReached | Self::TiersPrecisionReached => {
                "the limit is known to the precision of the search"
            }
            Self::SmoothIsotonicCliffPrecisionReached => "the limit is a cliff, found by bisection",
            Self::MonotonicNoPassInRange | Self::SmoothIsotonicNoPassInRange | Self::TiersNoPassInRange => {
                "the lowest value already breaks a limit"
            }
            Self::MonotonicNoFailureInRange | Self::SmoothIsotonicNoFailureInRange | Self::TiersNoFailureInRange => {
                "the highest value still keeps all limits"
            }
            Self::SmoothIsotonicPchipFallbackBisection => {
                "no curve fits the measurements; the limit was found by bisection"
            }
            Self::PlannerDone => "the planner of the plugin wants no more points",
            Self::PlannerFailed => "the planner of the plugin failed",
        }
    }
}
