//! What the records of a search say so far: the capacity with its interval, the design effect, the relaxation time, and whether the
//! server behaves as a search assumes.

use serde::{Deserialize, Serialize};

use crate::design_effect::DesignEffect;
use crate::fit::{LOCAL_LOG_ODDS, SloFit, burst_scale, fit_all, local_weight, lowest};
use crate::goal::{LoadKind, SearchGoal};
use crate::monotonicity::{NonMonotone, confirmed_contradiction};
use crate::posterior::Posterior;
use crate::relaxation::relaxation_s;
use crate::stability::{StabilityFinding, TimedCount, stability};
use crate::step::{StepPurpose, StepRecord};
use crate::warming::{SlowBeginning, slow_beginning};

/// The reported capacity may exceed the true one by this factor.
const OVERSTATEMENT: f64 = 1.02;

/// Levels around the estimate that are enough to do without the staircase.
const ENOUGH_STEPS: usize = 4;

/// Of the levels with at least this share of violations, only the lowest are used.
const CLEARLY_VIOLATED: f64 = 0.3;

/// The capacity with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CapacityEstimate {
    pub low: f64,
    pub median: f64,
    pub high: f64,
    /// The number to report as the capacity: 2 % above the lower bound, but at most the median. So it exceeds the true capacity by more
    /// than 2 % only if the whole interval is above the true capacity.
    pub capacity: f64,
    /// By how much the log-odds of a violation grow when the load grows by the factor e.
    pub slope: f64,
    /// The objective with the lowest capacity, as an index.
    pub binding: usize,
    /// Requests that the estimate rests on, and violations among them. Steps far from the capacity count less.
    pub requests: f64,
    pub violations: f64,
}

impl CapacityEstimate {
    /// Half the width of the interval as a share of the capacity.
    pub fn precision(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.median
    }
}

#[derive(Debug, Clone)]
pub struct Assessment {
    pub estimate: CapacityEstimate,
    /// One for each objective.
    pub effects: Vec<DesignEffect>,
    pub relaxation_s: f64,
    pub stability: StabilityFinding,
    pub non_monotone: Option<NonMonotone>,
    pub(crate) posteriors: Vec<Posterior>,
}

impl Assessment {
    /// `records` are those of the search, in order. `range` is where the capacity can lie.
    pub(crate) fn new(goal: &SearchGoal, records: &[StepRecord], range: (f64, f64)) -> Option<Self> {
        let with_blocks: Vec<&StepRecord> = records.iter().filter(|record| !record.severity.is_empty()).collect();
        let non_monotone = (0..goal.slos.len())
            .find_map(|slo| confirmed_contradiction(&with_blocks, slo, goal.slos[slo].allowed_share));
        let range = non_monotone.map_or(range, |found| (range.0.max(found.level), range.1));
        let is_searched = |record: &StepRecord| {
            matches!(record.plan.purpose, StepPurpose::Staircase | StepPurpose::Confirm | StepPurpose::Refine)
        };
        let above = |record: &StepRecord| {
            non_monotone.is_none_or(|found| record.plan.level.value() > 0.999 * found.searched_from())
        };
        let searched: Vec<&StepRecord> =
            with_blocks.into_iter().filter(|record| is_searched(record) && above(record)).collect();
        if searched.is_empty() {
            return None;
        }
        let mut used = searched;
        // Far above the limit the share is that of a queue that still grows, and says nothing about the slope.
        let violated = |record: &&&StepRecord| record.worst_share() >= CLEARLY_VIOLATED;
        let lowest_violated = used.iter().filter(violated).map(|r| r.plan.level.value()).fold(f64::INFINITY, f64::min);
        used.retain(|record| !violated(&record) || record.plan.level.value() <= lowest_violated * 1.15);
        let slow_beginning = slow_beginning(records);
        let after = |until_s: f64| move |record: &&StepRecord| record.started_s >= until_s;
        // The staircase is the only guide until the first levels around the estimate are measured.
        if let Some(found) = slow_beginning
            .filter(|found| used.iter().filter(|record| after(found.until_s)(record)).count() >= ENOUGH_STEPS)
        {
            used.retain(after(found.until_s));
        }
        let mut fits = fit_all(goal, &used, range);
        // Levels far below the capacity can behave in another way, which nobody asked about.
        if goal.kind == LoadKind::Rate
            && used.iter().filter(|record| record.plan.purpose == StepPurpose::Refine).count() >= ENOUGH_STEPS
        {
            let near = |record: &&StepRecord| {
                record.plan.purpose == StepPurpose::Refine
                    || fits.iter().any(|fit| fit.log_odds_distance(record).abs() <= LOCAL_LOG_ODDS)
            };
            if !used.iter().all(near) {
                used.retain(near);
                fits = fit_all(goal, &used, range);
            }
        }
        let binding = lowest(&fits);
        let mut finding = {
            let fit = &fits[binding];
            let near: Vec<TimedCount> = used
                .iter()
                .filter(|record| fit.log_odds_distance(record).abs() <= LOCAL_LOG_ODDS * 1.25)
                .map(|record| {
                    let level = record.plan.level.value();
                    let scale = burst_scale(fit, level, goal.slos[binding].allowed_share);
                    TimedCount {
                        at_s: f64::midpoint(record.measured_from_s, record.ended_s),
                        log_level: level.ln(),
                        requests: record.counted() / scale,
                        violations: record.violation_count(binding) / scale,
                    }
                })
                .collect();
            stability(&near, fit.expected)
        };
        if let StabilityFinding::Warming { until_s, .. } = finding {
            used.retain(|record| record.ended_s >= until_s);
            fits = fit_all(goal, &used, range);
        } else if let (StabilityFinding::Stable, Some(SlowBeginning { until_s, score })) = (finding, slow_beginning) {
            finding = StabilityFinding::Warming { until_s, score };
        }
        let settled: Vec<&StepRecord> = used.iter().copied().filter(|record| record.worst_share() < 0.25).collect();
        let relaxation_s = relaxation_s(&settled).unwrap_or(0.0);
        let binding = lowest(&fits);
        let effects = fits.iter().map(|fit| fit.effect).collect();
        let requests = used.iter().map(|record| record.counted() * local_weight(&fits[binding], record)).sum();
        let violations =
            used.iter().map(|record| record.violation_count(binding) * local_weight(&fits[binding], record)).sum();
        let estimate = CapacityEstimate { requests, violations, ..estimate(&fits, binding) };
        let posteriors = fits.into_iter().map(|fit| fit.posterior).collect();
        Some(Self { estimate, effects, relaxation_s, stability: finding, non_monotone, posteriors })
    }

    /// How likely the capacity is at least `level`, for all objectives.
    pub(crate) fn at_least(&self, level: f64) -> f64 {
        self.posteriors.iter().map(|posterior| 1.0 - posterior.below(level)).product()
    }
}

/// The capacity for all objectives is the lowest of theirs.
fn estimate(fits: &[SloFit], binding: usize) -> CapacityEstimate {
    let quantile = |probability: f64| {
        if let [only] = fits {
            return only.posterior.quantile(probability);
        }
        let below = |level: f64| 1.0 - fits.iter().map(|fit| 1.0 - fit.posterior.below(level)).product::<f64>();
        let mut low = fits.iter().map(|fit| fit.posterior.quantile(0.0)).fold(f64::INFINITY, f64::min);
        let mut high = fits[binding].posterior.quantile(1.0);
        for _ in 0..50 {
            let middle = f64::midpoint(low, high);
            if below(middle) < probability { low = middle } else { high = middle }
        }
        f64::midpoint(low, high)
    };
    let (low, median) = (quantile(0.025), quantile(0.5));
    CapacityEstimate {
        low,
        median,
        capacity: median.min(OVERSTATEMENT * low),
        high: quantile(0.975),
        slope: fits[binding].posterior.slope,
        binding,
        requests: 0.0,
        violations: 0.0,
    }
}
