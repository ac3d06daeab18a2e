//! The search for a number of users. Violations of a closed loop come in short bursts, so a few thousand requests are enough.

use super::{CapacityPlanner, measure, whole_blocks};
use crate::decision::{Decision, Reason};
use crate::load_level::LoadLevel;
use crate::report::Outcome;
use crate::step::{StepPlan, StepPurpose, StepRecord};

const STAIRCASE_REQUESTS: f64 = 30.0;
/// Steps are short until the limit is known to 10 %.
const FIRST_REFINE_REQUESTS: f64 = 60.0;
const REFINE_REQUESTS: f64 = 250.0;
const MOST_REQUESTS: f64 = 600.0;
/// A step gets at least this share of the requests that are left: each change of the load costs requests that are not measured.
const SHARE_OF_LEFT: f64 = 0.33;
/// A new number of users settles for this many latencies for each doubling of the load, within these bounds.
const SETTLING_LATENCIES: f64 = 3.0;
const SETTLING_BOUNDS: (f64, f64) = (0.3, 1.5);
const CLEARLY_VIOLATED: f64 = 0.15;
/// The search ends when the answer is within one user, or 2 %, with this probability.
const CERTAINTY: f64 = 0.995;
const MIN_STEPS: usize = 6;
const VERIFY_REQUESTS: f64 = 100.0;

impl CapacityPlanner {
    pub(super) fn next_concurrency(&self) -> Decision {
        self.double_users().unwrap_or_else(|| self.refine_users())
    }

    fn users_plan(&self, users: f64, purpose: StepPurpose, requests: f64) -> StepPlan {
        let users = users.round().clamp(1.0, self.goal.max_level);
        let (latency_s, change) = self
            .records
            .last()
            .map_or((0.0, 0.0), |record| (record.mean_latency_s, (users / record.plan.level.value()).log2().abs()));
        StepPlan {
            level: LoadLevel::Concurrency(users as u32),
            purpose,
            settle_s: latency_s * (SETTLING_LATENCIES * change).clamp(SETTLING_BOUNDS.0, SETTLING_BOUNDS.1),
            requests: whole_blocks(requests),
        }
    }

    fn double_users(&self) -> Option<Decision> {
        let steps: Vec<&StepRecord> = self.with_purpose(StepPurpose::Staircase).collect();
        let Some(last) = steps.last() else {
            return Some(measure(self.users_plan(1.0, StepPurpose::Staircase, STAIRCASE_REQUESTS), Reason::FirstStep));
        };
        let (users, share) = (last.plan.level.value(), last.worst_share());
        if share >= CLEARLY_VIOLATED || last.overloaded {
            return (users <= 1.0 && share >= 0.5)
                .then(|| self.finish(Outcome::AlwaysViolated, Reason::AlwaysViolated { level: users, share }, None));
        }
        if users >= self.goal.max_level {
            return (share == 0.0)
                .then(|| self.finish(Outcome::NeverViolated, Reason::NeverViolated { level: users }, None));
        }
        let plan = self.users_plan(users * 2.0, StepPurpose::Staircase, STAIRCASE_REQUESTS);
        Some(measure(plan, Reason::StepHigher { share }))
    }

    fn refine_users(&self) -> Decision {
        let Some(assessment) = self.assessment() else {
            return self.finish(Outcome::BudgetUsed, Reason::RequestBudgetUsed { precision: f64::INFINITY }, None);
        };
        let estimate = assessment.estimate;
        let precision = estimate.precision();
        let users = estimate.median.floor().max(1.0);
        let tolerance = (0.02 * users).max(1.0);
        let certain = assessment.at_least(users - tolerance) - assessment.at_least(users + tolerance + 1.0);
        let steps = self.with_purpose(StepPurpose::Refine).count();
        let left = self.goal.budget.max_requests.saturating_sub(self.requests_used()) as f64 - VERIFY_REQUESTS;
        let requests = if precision > 0.1 {
            FIRST_REFINE_REQUESTS
        } else {
            (SHARE_OF_LEFT * left).clamp(REFINE_REQUESTS, MOST_REQUESTS)
        };
        // Each step also sends requests while it settles.
        let reserve = (VERIFY_REQUESTS + requests + 1.2 * users) as u64;
        let ended = if steps >= MIN_STEPS && certain >= CERTAINTY {
            Some((Outcome::Found, Reason::PrecisionReached { precision }))
        } else {
            self.budget_used(reserve, precision).map(|reason| (Outcome::BudgetUsed, reason))
        };
        let verified = self.with_purpose(StepPurpose::Verify).next().is_some();
        match ended {
            _ if verified => {
                let (outcome, reason) = ended.unwrap_or((Outcome::Found, Reason::PrecisionReached { precision }));
                self.finish(outcome, reason, Some(&assessment))
            }
            Some(_) => {
                let plan = self.users_plan(users, StepPurpose::Verify, VERIFY_REQUESTS);
                measure(plan, Reason::VerifyLowerBound { low: users, precision })
            }
            None => {
                let above = steps.is_multiple_of(2);
                let spread = (0.7 / estimate.slope).exp();
                let (low, median, high) = (estimate.low, estimate.median, estimate.high);
                let (target, reason) = if above {
                    (
                        (median * spread).min(f64::midpoint(median, high)).max(users + 1.0),
                        Reason::RefineAbove { low, median, high },
                    )
                } else {
                    (
                        (median / spread).max(f64::midpoint(median, low)).min(users),
                        Reason::RefineBelow { low, median, high },
                    )
                };
                measure(self.users_plan(target, StepPurpose::Refine, requests), reason)
            }
        }
    }
}
