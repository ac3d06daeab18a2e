//! The search: what to measure next, from what was measured so far.

mod concurrency;
mod rate;
mod refine;

use crate::assessment::Assessment;
use crate::decision::{Decision, Reason, SearchAction};
use crate::goal::{LoadKind, SearchGoal};
use crate::load_level::LoadLevel;
use crate::report::{CapacityReport, Outcome};
use crate::step::{BLOCK_REQUESTS, StepPlan, StepPurpose, StepRecord, six_decimals};

/// Searches for a capacity. The same goal and records always give the same decision.
#[derive(Debug, Clone)]
pub struct CapacityPlanner {
    goal: SearchGoal,
    records: Vec<StepRecord>,
}

impl CapacityPlanner {
    /// # Panics
    /// If the goal has no objective.
    pub fn new(goal: SearchGoal) -> Self {
        assert!(!goal.slos.is_empty(), "a capacity needs an objective");
        Self { goal, records: Vec::new() }
    }

    pub fn goal(&self) -> &SearchGoal {
        &self.goal
    }

    pub fn records(&self) -> &[StepRecord] {
        &self.records
    }

    /// Takes what a step gave. To continue a search, tell all its stored records in their order.
    pub fn tell(&mut self, record: StepRecord) {
        self.records.push(record);
    }

    /// What to do now.
    pub fn next(&self) -> Decision {
        match self.goal.kind {
            LoadKind::Rate => self.next_rate(),
            LoadKind::Concurrency => self.next_concurrency(),
        }
    }

    /// What is known if the search ends here, for a reason that is not its own.
    pub fn report_so_far(&self, outcome: Outcome) -> CapacityReport {
        CapacityReport::new(outcome, &self.goal, &self.records, self.assessment().as_ref())
    }

    /// What the records say so far. `None` before the load has come near its limit.
    pub fn assessment(&self) -> Option<Assessment> {
        Assessment::new(&self.goal, &self.records, self.range()?)
    }

    fn with_purpose(&self, purpose: StepPurpose) -> impl DoubleEndedIterator<Item = &StepRecord> {
        self.records.iter().filter(move |record| record.plan.purpose == purpose)
    }

    fn requests_used(&self) -> u64 {
        self.records.iter().map(|record| record.sent).sum()
    }

    fn seconds_used(&self) -> f64 {
        self.records.last().map_or(0.0, |record| record.ended_s - self.records[0].started_s)
    }

    /// The budget that is used up, if one is, with `reserve` requests kept back.
    fn budget_used(&self, reserve: u64, precision: f64) -> Option<Reason> {
        if self.requests_used() + reserve >= self.goal.budget.max_requests {
            Some(Reason::RequestBudgetUsed { precision })
        } else if self.seconds_used() >= self.goal.budget.max_duration_s {
            Some(Reason::DurationBudgetUsed { precision })
        } else {
            None
        }
    }

    fn finish(&self, outcome: Outcome, reason: Reason, assessment: Option<&Assessment>) -> Decision {
        let report = CapacityReport::new(outcome, &self.goal, &self.records, assessment);
        Decision {
            action: SearchAction::Finish(Box::new(report)),
            reason,
            requests_left: Some(0),
            seconds_left: Some(0.0),
        }
    }
}

fn measure(plan: StepPlan, reason: Reason) -> Decision {
    let level = match plan.level {
        LoadLevel::Rate(requests_per_s) => LoadLevel::Rate(six_decimals(requests_per_s)),
        users @ LoadLevel::Concurrency(_) => users,
    };
    let plan = StepPlan { level, settle_s: six_decimals(plan.settle_s), ..plan };
    Decision { action: SearchAction::Measure(plan), reason, requests_left: None, seconds_left: None }
}

impl Decision {
    /// Adds what the search still needs: this many requests at about this rate.
    fn forecast(self, requests: f64, requests_per_s: f64) -> Self {
        Self { requests_left: Some(requests as u64), seconds_left: Some((requests / requests_per_s).round()), ..self }
    }
}

/// A number of requests that fills whole blocks.
fn whole_blocks(requests: f64) -> u64 {
    ((requests / BLOCK_REQUESTS as f64).ceil().max(1.0) as u64) * BLOCK_REQUESTS
}
