//! The long part of a rate search: levels around the estimate until the interval is narrow enough, then the verification.

use super::{CapacityPlanner, measure, whole_blocks};
use crate::assessment::Assessment;
use crate::decision::{Decision, Reason};
use crate::load_level::LoadLevel;
use crate::report::Outcome;
use crate::stability::StabilityFinding;
use crate::step::{StepPlan, StepPurpose};

/// A step is at least this long, and at least this many settling times.
const MIN_REQUESTS: f64 = 500.0;
const MIN_SETTLING_TIMES: f64 = 4.0;
const SETTLING_RELAXATIONS: f64 = 3.0;
/// Levels lie this far from the estimate, in log-odds of a violation. A wide spread shows the slope, a narrow one depends less on the link.
const SPREAD: (f64, f64) = (0.5, 1.0);
/// The share of the requests so far that the verification gets.
const VERIFY_SHARE: f64 = 0.05;
const MIN_VERIFY: f64 = 1_000.0;
const MIN_EVIDENCE: f64 = 8_000.0;
/// A search needs this many violations, and this many bursts in addition.
const EVIDENCE: (f64, f64) = (60.0, 2.0);
/// Fewer refining steps than this do not end a search.
const MIN_STEPS: usize = 4;

/// Whether there are enough violations to know how they come in bursts. Before that, an interval that looks narrow is luck.
fn enough_evidence(assessment: &Assessment) -> bool {
    let estimate = assessment.estimate;
    estimate.requests >= MIN_EVIDENCE
        && estimate.violations >= EVIDENCE.0 + EVIDENCE.1 * assessment.effects[estimate.binding].value
}

impl CapacityPlanner {
    pub(super) fn refine_or_finish(&self) -> Decision {
        let Some(assessment) = self.assessment() else {
            return self.finish(Outcome::BudgetUsed, Reason::RequestBudgetUsed { precision: f64::INFINITY }, None);
        };
        let precision = assessment.estimate.precision();
        let verify_requests = (VERIFY_SHARE * assessment.estimate.requests).max(MIN_VERIFY);
        let ended = if self.with_purpose(StepPurpose::Refine).count() < MIN_STEPS {
            None
        } else if let StabilityFinding::Drift { change_per_hour, .. } = assessment.stability {
            Some((Outcome::Drifting, Reason::CapacityDrifts { change_per_hour }))
        } else if precision <= self.goal.precision && enough_evidence(&assessment) {
            Some((Outcome::Found, Reason::PrecisionReached { precision }))
        } else {
            None
        };
        let ended = ended.or_else(|| {
            self.budget_used((1.1 * verify_requests) as u64, precision).map(|reason| (Outcome::BudgetUsed, reason))
        });
        match ended {
            // A verification ends the search whatever it shows: a search that goes on until one succeeds would prove nothing.
            _ if self.with_purpose(StepPurpose::Verify).next().is_some() => {
                let (outcome, reason) = ended.unwrap_or((Outcome::Found, Reason::PrecisionReached { precision }));
                self.finish(outcome, reason, Some(&assessment))
            }
            Some((outcome @ Outcome::Drifting, reason)) => self.finish(outcome, reason, Some(&assessment)),
            Some(_) => Self::verify(&assessment, verify_requests),
            None => self.refine(&assessment),
        }
    }

    fn settle_s(assessment: &Assessment) -> f64 {
        SETTLING_RELAXATIONS * assessment.relaxation_s
    }

    fn refine(&self, assessment: &Assessment) -> Decision {
        let estimate = assessment.estimate;
        let needed = estimate.requests * (estimate.precision() / self.goal.precision).powi(2);
        let left = (needed - estimate.requests).max(0.0);
        let settle_requests = Self::settle_s(assessment) * estimate.median;
        let least = MIN_REQUESTS.max(MIN_SETTLING_TIMES * settle_requests);
        let verify_requests = (VERIFY_SHARE * needed).max(MIN_VERIFY);
        let budget = self.goal.budget.max_requests.saturating_sub(self.requests_used()) as f64;
        let affordable = budget - settle_requests - (VERIFY_SHARE * estimate.requests).max(MIN_VERIFY) * 1.1;
        let requests = (left / 3.0).min(estimate.requests / 3.0).max(least).min(affordable);
        let spread = (2.0 * estimate.precision() * estimate.slope).clamp(SPREAD.0, SPREAD.1);
        let above = self.with_purpose(StepPurpose::Refine).count().is_multiple_of(2);
        let direction = if above { 1.0 } else { -1.0 };
        // While little is known, the interval is a better guide than the slope.
        let distance = (spread / estimate.slope).min((0.5 * estimate.precision()).max(SPREAD.0 / estimate.slope));
        let rate = estimate.median * (direction * distance).exp();
        // Below a contradiction the server behaves differently, so nothing is measured there.
        let rate = assessment.non_monotone.map_or(rate, |found| rate.max(found.searched_from()));
        let (low, median, high) = (estimate.low, estimate.median, estimate.high);
        let plan = StepPlan {
            level: LoadLevel::Rate(rate.min(self.goal.max_level).min(self.highest_throughput())),
            purpose: StepPurpose::Refine,
            settle_s: Self::settle_s(assessment),
            requests: whole_blocks(requests),
        };
        let reason =
            if above { Reason::RefineAbove { low, median, high } } else { Reason::RefineBelow { low, median, high } };
        measure(plan, reason).forecast(left + verify_requests, estimate.median)
    }

    fn verify(assessment: &Assessment, requests: f64) -> Decision {
        let estimate = assessment.estimate;
        let plan = StepPlan {
            level: LoadLevel::Rate(estimate.low),
            purpose: StepPurpose::Verify,
            settle_s: Self::settle_s(assessment),
            requests: whole_blocks(requests),
        };
        let reason = Reason::VerifyLowerBound { low: estimate.low, precision: estimate.precision() };
        measure(plan, reason).forecast(requests, estimate.low)
    }
}
