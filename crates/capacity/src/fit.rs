//! The fit of one objective: its posterior and its design effect, from the violations and the close calls of the steps.

use crate::design_effect::{DesignEffect, Residual, design_effect};
use crate::goal::{LoadKind, SearchGoal, ServiceObjective};
use crate::load_level::LoadLevel;
use crate::posterior::{CloseCallSlope, LevelCount, Posterior};
use crate::relaxation::relaxation_s;
use crate::stability::{TimedCount, regression};
use crate::step::{BLOCK_REQUESTS, StepRecord};

/// Steps count fully while their log-odds differ by at most this from those at the capacity, and less beyond: the link is trusted near
/// the capacity only.
pub(crate) const LOCAL_LOG_ODDS: f64 = 2.0;

/// Levels that differ by less than this share are counted as one: steps around the same estimate.
const SAME_LEVEL: f64 = 0.002;

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

#[derive(Debug)]
pub(crate) struct SloFit {
    pub(crate) posterior: Posterior,
    pub(crate) effect: DesignEffect,
    /// The design effect from the relaxation time alone. A drift makes the measured effect larger, but not this one.
    pub(crate) expected: f64,
}

impl SloFit {
    pub(crate) fn log_odds_distance(&self, record: &StepRecord) -> f64 {
        self.posterior.slope * (record.plan.level.value() / self.posterior.quantile(0.5)).ln()
    }
}

pub(crate) fn fit_all(goal: &SearchGoal, records: &[&StepRecord], range: (f64, f64)) -> Vec<SloFit> {
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
        let close_call_slope = close_call_slope(&fit, slo, limit, records, effect)
            .map(|(slope, error)| CloseCallSlope { slope, error, is_open_loop: kind == LoadKind::Rate });
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
pub(crate) fn burst_scale(fit: &SloFit, level: f64, allowed_share: f64) -> f64 {
    (fit.posterior.share_at(level) / allowed_share).clamp(0.1, 30.0).powf(BURST_GROWTH)
}

/// How much a record counts: fully near the capacity, less the farther away it is. A closed loop has few and steep levels, so all count
/// for something.
pub(crate) fn local_weight(fit: &SloFit, record: &StepRecord) -> f64 {
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

/// How strongly close calls react to the load near the capacity, and the standard error of that.
fn close_call_slope(
    fit: &SloFit,
    slo: usize,
    limit: &ServiceObjective,
    records: &[&StepRecord],
    effect: DesignEffect,
) -> Option<(f64, f64)> {
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
    Some((shape.slope, shape.slope_error * effect.value.sqrt()))
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

pub(crate) fn lowest(fits: &[SloFit]) -> usize {
    let median = |index: &usize| fits[*index].posterior.quantile(0.5);
    (0..fits.len()).min_by(|a, b| median(a).total_cmp(&median(b))).unwrap_or(0)
}
