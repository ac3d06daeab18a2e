//! The search for a request rate: a closed loop finds the highest throughput, a staircase below it finds the region of the limit, and
//! levels around the estimate narrow the interval.

use super::{CapacityPlanner, measure, whole_blocks};
use crate::decision::{Decision, Reason};
use crate::goal::LoadKind;
use crate::load_level::LoadLevel;
use crate::monotonicity::{NonMonotone, confirmed_contradiction, is_compared, suspected_contradiction};
use crate::report::Outcome;
use crate::step::{STEP_FACTOR, StepPlan, StepPurpose, StepRecord};

/// Two doublings of the users that raise the throughput by less than this have reached its limit.
const GROWTH: f64 = 1.15;
const MAX_USERS: u32 = 4_096;
/// The staircase starts at this share of the highest throughput.
const FIRST_SHARE: f64 = 0.2;
const STAIRCASE_REQUESTS: f64 = 300.0;
const SETTLING_LATENCIES: f64 = 5.0;
/// The queue of the closed loop drains in this many of its latencies.
const DRAINING_LATENCIES: f64 = 2.0;
/// The staircase ends at a level with this share of violations.
const CLEARLY_VIOLATED: f64 = 0.3;
/// A step with this share of violations leaves a queue behind, which drains at this share of the highest throughput.
const LEAVES_A_QUEUE: f64 = 0.2;
const DRAIN_SHARE: f64 = 0.3;
const DRAIN_REQUESTS: f64 = 1_000.0;
const CONFIRM_REQUESTS: f64 = 1_500.0;
const CONFIRM_SETTLING_REQUESTS: f64 = 300.0;
/// Levels from the beginning of the staircase that are measured again, and how long.
const REPEATED_LEVELS: usize = 3;
const REPEAT_REQUESTS: f64 = 600.0;
/// A level is not measured again if that takes more than this share of the time budget.
const REPEAT_TIME_SHARE: f64 = 0.05;
/// A suspected contradiction is measured again at most this often.
const MAX_CONFIRMATIONS: usize = 8;

impl CapacityPlanner {
    pub(super) fn next_rate(&self) -> Decision {
        self.drain()
            .or_else(|| self.find_throughput())
            .or_else(|| self.staircase())
            .or_else(|| self.repeat_first_levels())
            .or_else(|| self.confirm_contradiction())
            .unwrap_or_else(|| self.refine_or_finish())
    }

    /// The range in which the capacity can lie, once the staircase has begun.
    pub(super) fn range(&self) -> Option<(f64, f64)> {
        let highest = self.records.iter().filter(|record| record.plan.purpose != StepPurpose::Throughput);
        let highest = highest.map(|record| record.plan.level.value()).fold(0.0, f64::max);
        let lowest =
            self.with_purpose(StepPurpose::Staircase).map(|r| r.plan.level.value()).fold(f64::INFINITY, f64::min);
        let highest = if self.goal.kind == LoadKind::Rate {
            highest.min(self.highest_throughput() * 1.02)
        } else {
            highest * 1.3
        };
        (highest > 0.0).then_some((lowest / 3.0, highest))
    }

    /// After an overload in an open loop, a low rate lets the queue drain, so that the next step does not measure it.
    fn drain(&self) -> Option<Decision> {
        let last = self.records.last().filter(|last| last.plan.purpose != StepPurpose::Recover)?;
        let share = last.worst_share();
        if matches!(last.plan.level, LoadLevel::Concurrency(_)) || (!last.overloaded && share < LEAVES_A_QUEUE) {
            return None;
        }
        let lowest =
            self.with_purpose(StepPurpose::Staircase).map(|r| r.plan.level.value()).fold(f64::INFINITY, f64::min);
        let plan = StepPlan {
            level: LoadLevel::Rate(lowest.max(DRAIN_SHARE * self.highest_throughput()).min(last.plan.level.value())),
            purpose: StepPurpose::Recover,
            settle_s: last.mean_latency_s,
            requests: whole_blocks(DRAIN_REQUESTS),
        };
        Some(measure(plan, Reason::DrainQueue { share }))
    }

    fn find_throughput(&self) -> Option<Decision> {
        let mut best = 0.0_f64;
        let mut factor = f64::INFINITY;
        let mut without_growth = 0;
        let mut last: Option<&StepRecord> = None;
        for record in self.with_purpose(StepPurpose::Throughput) {
            factor = if best > 0.0 { record.throughput / best } else { 1.0 };
            without_growth = if last.is_none() || factor >= GROWTH { 0 } else { without_growth + 1 };
            best = best.max(record.throughput);
            last = Some(record);
        }
        let (users, reason) = match last {
            None => (1, Reason::FirstStep),
            // One doubling without growth can be a server that wakes up.
            Some(record) if without_growth >= 2 || record.plan.level.value() >= f64::from(MAX_USERS) => return None,
            Some(record) => (record.plan.level.value() as u32 * 2, Reason::ThroughputGrows { factor }),
        };
        let plan = StepPlan {
            level: LoadLevel::Concurrency(users),
            purpose: StepPurpose::Throughput,
            settle_s: last.map_or(0.0, |record| 2.0 * record.mean_latency_s),
            requests: whole_blocks(50.0 + 2.0 * f64::from(users)),
        };
        Some(measure(plan, reason))
    }

    pub(super) fn highest_throughput(&self) -> f64 {
        self.with_purpose(StepPurpose::Throughput).map(|record| record.throughput).fold(0.0, f64::max)
    }

    fn staircase(&self) -> Option<Decision> {
        let ceiling = self.highest_throughput();
        // The closed loop ends with a long queue. Its latencies say how long that takes to drain, but nothing about an open loop below
        // the highest throughput.
        let mut closed = self.with_purpose(StepPurpose::Throughput).map(|record| record.mean_latency_s);
        let (idle_s, queued_s) = (closed.next().unwrap_or(0.0), closed.next_back().unwrap_or(0.0));
        let before = self.with_purpose(StepPurpose::Staircase).next_back().map(|record| record.mean_latency_s);
        let settle_s = SETTLING_LATENCIES * idle_s.max(before.unwrap_or(0.0))
            + if before.is_none() { DRAINING_LATENCIES * queued_s } else { 0.0 };
        let plan = |rate: f64| StepPlan {
            level: LoadLevel::Rate(rate.min(self.goal.max_level)),
            purpose: StepPurpose::Staircase,
            settle_s,
            requests: whole_blocks(STAIRCASE_REQUESTS),
        };
        let steps: Vec<&StepRecord> = self.with_purpose(StepPurpose::Staircase).collect();
        let Some(last) = steps.last() else {
            return Some(measure(plan(FIRST_SHARE * ceiling), Reason::ThroughputFound { requests_per_s: ceiling }));
        };
        let (level, share) = (last.plan.level.value(), last.worst_share());
        let lowest = steps.iter().map(|step| step.plan.level.value()).fold(f64::INFINITY, f64::min);
        let all_violated = steps.iter().all(|step| step.worst_share() >= CLEARLY_VIOLATED);
        if share < CLEARLY_VIOLATED && !last.overloaded {
            if level >= self.goal.max_level {
                let kept = steps.iter().all(|step| step.worst_share() <= self.lowest_allowed());
                return kept.then(|| self.finish(Outcome::NeverViolated, Reason::NeverViolated { level }, None));
            }
            // Above the highest throughput no queue is stable, so the staircase ends there.
            return (level < ceiling).then(|| measure(plan(level * STEP_FACTOR), Reason::StepHigher { share }));
        }
        // One violated level can be a server that is slow at low load, so the staircase goes on to the next one.
        let violated = |step: &&&StepRecord| step.worst_share() >= CLEARLY_VIOLATED || step.overloaded;
        let in_a_row = steps.iter().rev().take_while(violated).count();
        if in_a_row < 2 && level < ceiling && level < self.goal.max_level {
            return Some(measure(plan(level * STEP_FACTOR), Reason::StepHigher { share }));
        }
        if all_violated {
            if lowest < ceiling / 100.0 {
                return Some(self.finish(
                    Outcome::AlwaysViolated,
                    Reason::AlwaysViolated { level: lowest, share },
                    None,
                ));
            }
            return Some(measure(plan(lowest / 2.0), Reason::StepLower { share }));
        }
        None
    }

    fn lowest_allowed(&self) -> f64 {
        self.goal.slos.iter().map(|slo| slo.allowed_share).fold(1.0, f64::min)
    }

    /// Measures two levels again if the lower of them had more violations.
    fn confirm_contradiction(&self) -> Option<Decision> {
        let confirmations = self.with_purpose(StepPurpose::Confirm).count();
        if confirmations >= MAX_CONFIRMATIONS || self.with_purpose(StepPurpose::Refine).next().is_some() {
            return None;
        }
        let records: Vec<&StepRecord> = self.records.iter().filter(|record| is_compared(record)).collect();
        let slos = || self.goal.slos.iter().enumerate();
        if slos().any(|(slo, limit)| confirmed_contradiction(&records, slo, limit.allowed_share).is_some()) {
            return None;
        }
        let found: NonMonotone =
            slos().find_map(|(slo, limit)| suspected_contradiction(&records, slo, limit.allowed_share))?;
        let level = if confirmations.is_multiple_of(2) { found.level } else { found.higher_level };
        let settle_s = CONFIRM_SETTLING_REQUESTS / level;
        let plan = StepPlan {
            level: LoadLevel::Rate(level),
            purpose: StepPurpose::Confirm,
            settle_s,
            requests: whole_blocks(CONFIRM_REQUESTS),
        };
        let NonMonotone { level, share, higher_level, higher_share, .. } = found;
        Some(measure(plan, Reason::ConfirmContradiction { level, share, higher_level, higher_share }))
    }

    /// Measures the first levels of the staircase again: a server that warms up is faster now.
    fn repeat_first_levels(&self) -> Option<Decision> {
        let repeated = self.with_purpose(StepPurpose::Repeat).count();
        if self.with_purpose(StepPurpose::Confirm).chain(self.with_purpose(StepPurpose::Refine)).next().is_some() {
            return None;
        }
        let first = self.with_purpose(StepPurpose::Staircase).filter(|step| step.worst_share() < LEAVES_A_QUEUE);
        let most_s = REPEAT_TIME_SHARE * self.goal.budget.max_duration_s;
        let is_short = |step: &&StepRecord| step.plan.settle_s + REPEAT_REQUESTS / step.plan.level.value() <= most_s;
        let step = first.take(REPEATED_LEVELS).filter(is_short).nth(repeated)?;
        let plan = StepPlan { purpose: StepPurpose::Repeat, requests: whole_blocks(REPEAT_REQUESTS), ..step.plan };
        Some(measure(plan, Reason::RepeatLevel { level: step.plan.level.value() }))
    }
}
