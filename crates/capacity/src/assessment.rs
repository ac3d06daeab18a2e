//! What the records of a search say so far: the capacity with its interval, the design effect, the relaxation time, and whether the
//! server behaves as a search assumes.

use serde::{Deserialize, Serialize};

use crate::design_effect::{DesignEffect, Residual, design_effect};
use crate::goal::{LoadKind, SearchGoal, ServiceObjective};
use crate::load_level::LoadLevel;
use crate::monotonicity::{NonMonotone, confirmed_contradiction};
use crate::posterior::{CloseCallSlope, LevelCount, Posterior};
use crate::relaxation::relaxation_s;
use crate::stability::{StabilityFinding, TimedCount, regression, stability};
use crate::step::{BLOCK_REQUESTS, StepPurpose, StepRecord};
use crate::warming::{SlowBeginning, slow_beginning};

/// The reported capacity may exceed the true one by this factor.
const OVERSTATEMENT: f64 = 1.02;

/// Steps count fully while their log-odds differ by at most this from those at the capacity, and less beyond: the link is trusted near
/// the capacity only.
const LOCAL_LOG_ODDS: f64 = 2.0;

/// Levels that differ by less than this share are counted as one: steps around the same estimate.
const SAME_LEVEL: f64 = 0.002;

/// Levels around the estimate that are enough to do without the staircase.
const ENOUGH_STEPS: usize = 4;

/// Of the levels with at least this share of violations, only the lowest are used.
const CLEARLY_VIOLATED: f64 = 0.3;

/// The design effect grows with this power of the share of violations. Queues that were simulated have 0.35 to 0.6.
const BURST_GROWTH: f64 = 0.45;

/// The design effect that is assumed before anything is measured. A closed loop limits its own queue, so its bursts are short.
fn first_effect(kind: LoadKind) -> f64 {
    match kind {
        LoadKind::Rate => 40.0,
        LoadKind::Concurrency => 4.0,
    }
}

/// The expected design effect, in requests sent during one relaxation time. Simulated queues have 0.4 to 1.
const EFFECT_PER_RELAXATION: f64 = 1.0;

/// The prior of the rate of violations, in events: Jeffreys' for an interval that holds, less for the number of users in the middle.
fn added_events(kind: LoadKind) -> f64 {
    match kind {
        LoadKind::Rate => 0.5,
        LoadKind::Concurrency => 0.1,
    }
}

/// Close calls stand in for violations while they are at most this share of the requests.
const RARE: f64 = 0.15;

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

#[derive(Debug)]
struct SloFit {
    posterior: Posterior,
    effect: DesignEffect,
    /// The design effect from the relaxation time alone. A drift makes the measured effect larger, but not this one.
    expected: f64,
}

impl SloFit {
    fn log_odds_distance(&self, record: &StepRecord) -> f64 {
        self.posterior.slope * (record.plan.level.value() / self.posterior.quantile(0.5)).ln()
    }
}

fn fit_all(goal: &SearchGoal, records: &[&StepRecord], range: (f64, f64)) -> Vec<SloFit> {
    goal.slos.iter().enumerate().map(|(slo, limit)| fit_one(goal.kind, limit, slo, records, range)).collect()
}

/// Fits one objective. The design effect needs expected counts and the fit needs the design effect, so they take turns.
fn fit_one(kind: LoadKind, limit: &ServiceObjective, slo: usize, records: &[&StepRecord], range: (f64, f64)) -> SloFit {
    let mut effect = design_effect(&[], 0.0, first_effect(kind), BLOCK_REQUESTS);
    let first = counts(records, slo, limit, None);
    let mut fit = SloFit {
        posterior: Posterior::new(&first, limit.allowed_share, range, effect, None, added_events(kind)),
        effect,
        expected: effect.value,
    };
    for _ in 0..2 {
        let expected;
        (effect, expected) = measured_effect(kind, &fit, slo, limit, records);
        let counts = counts(records, slo, limit, Some(&fit));
        let close_call_slope = close_call_slope(&fit, slo, limit, records, effect);
        fit = SloFit {
            posterior: Posterior::new(
                &counts,
                limit.allowed_share,
                range,
                effect,
                close_call_slope,
                added_events(kind),
            ),
            effect,
            expected,
        };
    }
    fit
}

/// How much longer bursts are at a level than at the capacity: they grow with the share of violations.
fn burst_scale(fit: &SloFit, level: f64, allowed_share: f64) -> f64 {
    (fit.posterior.share_at(level) / allowed_share).clamp(0.1, 30.0).powf(BURST_GROWTH)
}

/// How much a record counts: fully near the capacity, less the farther away it is. A closed loop has few and steep levels, so all count
/// for something.
fn local_weight(fit: &SloFit, record: &StepRecord) -> f64 {
    let least = match record.plan.level {
        LoadLevel::Concurrency(_) => 0.2,
        LoadLevel::Rate(_) => 0.0,
    };
    (LOCAL_LOG_ODDS / fit.log_odds_distance(record).abs().max(LOCAL_LOG_ODDS)).powi(2).max(least)
}

fn counts(records: &[&StepRecord], slo: usize, limit: &ServiceObjective, fit: Option<&SloFit>) -> Vec<LevelCount> {
    let mut counts: Vec<LevelCount> = Vec::new();
    for record in records {
        let level = record.plan.level.value();
        let weight = fit.map_or(1.0, |fit| local_weight(fit, record) / burst_scale(fit, level, limit.allowed_share));
        let (requests, violations) = (weight * record.counted(), weight * record.violation_count(slo));
        match counts.iter_mut().find(|count| (count.level / level - 1.0).abs() < SAME_LEVEL) {
            Some(count) => {
                count.level += (level - count.level) * requests / (count.requests + requests).max(1e-9);
                count.requests += requests;
                count.violations += violations;
            }
            None => counts.push(LevelCount { level, requests, violations }),
        }
    }
    counts
}

/// The design effect at the capacity, and what the relaxation time lets expect for it. It comes from the violations or from the close calls: from whatever is most frequent but still rare.
fn measured_effect(
    kind: LoadKind,
    fit: &SloFit,
    slo: usize,
    limit: &ServiceObjective,
    records: &[&StepRecord],
) -> (DesignEffect, f64) {
    let near: Vec<&StepRecord> = records
        .iter()
        .copied()
        .filter(|record| fit.log_odds_distance(record).abs() <= LOCAL_LOG_ODDS && record.worst_share() < 0.25)
        .collect();
    let requests: f64 = near.iter().map(|record| record.counted()).sum();
    let sources: [fn(&StepRecord, usize) -> &[u32]; 3] = [
        |record, slo| &record.close_calls[slo][1],
        |record, slo| &record.close_calls[slo][0],
        |record, slo| &record.violations[slo],
    ];
    let total = |source: fn(&StepRecord, usize) -> &[u32]| -> f64 {
        near.iter().flat_map(|record| source(record, slo)).map(|&count| f64::from(count)).sum()
    };
    let source = sources.into_iter().find(|&source| total(source) <= RARE * requests).unwrap_or(sources[2]);
    let steps: Vec<TimedCount> = near
        .iter()
        .map(|record| TimedCount {
            at_s: 0.0,
            log_level: record.plan.level.value().ln(),
            requests: record.counted(),
            violations: source(record, slo).iter().map(|&count| f64::from(count)).sum(),
        })
        .collect();
    let centre = fit.posterior.quantile(0.5).ln();
    let curvature: Vec<f64> = steps.iter().map(|step| (step.log_level - centre).powi(2)).collect();
    let shape = regression(&steps, &curvature);
    let mut residuals = Vec::new();
    for ((record, step), &square) in near.iter().zip(&steps).zip(&curvature) {
        let own = (step.violations + 0.5) / (step.requests + 1.0);
        let share = shape.map_or(own, |shape| shape.share_at(step.log_level, square)).clamp(1e-6, 0.5);
        let expected = share * BLOCK_REQUESTS as f64;
        // Where exceeding is not rare, staying above the limit is less of a surprise: the effect shrinks by the square of the rest.
        let rare = (1.0 - share).powi(2);
        let variance =
            expected * (1.0 - share) * rare * burst_scale(fit, record.plan.level.value(), limit.allowed_share);
        residuals.extend(
            source(record, slo).iter().map(|&count| Residual { difference: f64::from(count) - expected, variance }),
        );
    }
    // Steps without a burst look as if the server had no memory, so steps with violations are looked at on their own as well.
    let with_violations: Vec<&StepRecord> = records
        .iter()
        .copied()
        .filter(|record| record.worst_share() > limit.allowed_share && record.worst_share() < 0.5)
        .collect();
    let expected = match kind {
        LoadKind::Concurrency => first_effect(kind),
        LoadKind::Rate => [&near, &with_violations]
            .into_iter()
            .filter_map(|records| expected_effect(fit, limit, records))
            .reduce(f64::max)
            .unwrap_or_else(|| first_effect(kind)),
    };
    (design_effect(&residuals, total(source), expected, BLOCK_REQUESTS), expected)
}

/// How strongly close calls react to the load near the capacity.
fn close_call_slope(
    fit: &SloFit,
    slo: usize,
    limit: &ServiceObjective,
    records: &[&StepRecord],
    effect: DesignEffect,
) -> Option<CloseCallSlope> {
    let steps: Vec<TimedCount> = records
        .iter()
        .filter(|record| fit.log_odds_distance(record).abs() <= 2.0 * LOCAL_LOG_ODDS && record.worst_share() < 0.25)
        .map(|record| {
            let level = record.plan.level.value();
            let scale = burst_scale(fit, level, limit.allowed_share);
            let calls: f64 = record.close_calls[slo][1].iter().map(|&count| f64::from(count)).sum();
            TimedCount {
                at_s: 0.0,
                log_level: level.ln(),
                requests: record.counted() / scale,
                violations: calls / scale,
            }
        })
        .collect();
    if steps.len() < 4 {
        return None;
    }
    let shape = regression(&steps, &vec![0.0; steps.len()])?;
    Some(CloseCallSlope { slope: shape.slope, error: shape.slope_error * effect.value.sqrt() })
}

/// The design effect at the capacity that the relaxation time lets expect: violations stay for about one relaxation time, so the effect
/// is about the number of requests in it.
fn expected_effect(fit: &SloFit, limit: &ServiceObjective, records: &[&StepRecord]) -> Option<f64> {
    let requests: f64 = records.iter().map(|record| record.counted()).sum();
    let mean = |value: &dyn Fn(&StepRecord) -> f64| {
        records.iter().map(|record| record.counted() * value(record)).sum::<f64>() / requests
    };
    let rate = mean(&|record| record.throughput);
    let scale = mean(&|record| burst_scale(fit, record.plan.level.value(), limit.allowed_share));
    Some(EFFECT_PER_RELAXATION * relaxation_s(records)? * rate / scale)
}

fn lowest(fits: &[SloFit]) -> usize {
    let median = |index: &usize| fits[*index].posterior.quantile(0.5);
    (0..fits.len()).min_by(|a, b| median(a).total_cmp(&median(b))).unwrap_or(0)
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
