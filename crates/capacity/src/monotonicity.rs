//! Does a higher load always mean more violations? If not, the capacity has more than one answer.

use serde::{Deserialize, Serialize};

use crate::step::{StepPurpose, StepRecord};

/// A level that violates an objective more often than a higher level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NonMonotone {
    pub level: f64,
    pub share: f64,
    pub higher_level: f64,
    pub higher_share: f64,
    /// The difference in standard errors.
    pub score: f64,
}

/// Levels closer than this are not compared.
const APART: f64 = 1.1;
const SUSPECTED: f64 = 1.0;
const CONFIRMED: f64 = 3.0;

const PARTS: usize = 8;

#[derive(Debug, Clone, Copy)]
struct LevelShare {
    level: f64,
    requests: f64,
    violations: f64,
    /// The variance of the count, from blocks within the level.
    variance: f64,
}

/// The contradiction that was confirmed by measuring again, with the highest level that takes part in it. The staircase and its
/// confirmations are compared, because they follow each other closely in time: a drift is something else.
pub(crate) fn confirmed_contradiction(records: &[&StepRecord], slo: usize, allowed_share: f64) -> Option<NonMonotone> {
    let early: Vec<&StepRecord> = records
        .iter()
        .copied()
        .filter(|record| matches!(record.plan.purpose, StepPurpose::Staircase | StepPurpose::Confirm))
        .collect();
    early.iter().find(|record| record.plan.purpose == StepPurpose::Confirm)?;
    let pairs = contradictions(&early, slo, allowed_share).into_iter();
    let strongest = pairs.filter(|pair| pair.score >= CONFIRMED).max_by(|a, b| a.score.total_cmp(&b.score))?;
    // The server behaves differently up to the last violated level below the one that contradicts it.
    let below = levels(&early, slo).into_iter().filter(|known| {
        known.level < strongest.higher_level && known.violations > 2.0 * allowed_share * known.requests
    });
    let level = below.map(|known| known.level).fold(strongest.level, f64::max);
    Some(NonMonotone { level, ..strongest })
}

/// The pair of levels that contradicts monotony most, if it does so clearly enough to measure it again.
pub(crate) fn suspected_contradiction(records: &[&StepRecord], slo: usize, allowed_share: f64) -> Option<NonMonotone> {
    let pairs = contradictions(records, slo, allowed_share).into_iter();
    pairs.filter(|pair| pair.score >= SUSPECTED).max_by(|a, b| a.score.total_cmp(&b.score))
}

/// Pairs of levels of which the lower one violates the objective and the higher one has at most half of its violations.
fn contradictions(records: &[&StepRecord], slo: usize, allowed_share: f64) -> Vec<NonMonotone> {
    let levels = levels(records, slo);
    let mut pairs = Vec::new();
    for low in &levels {
        for high in levels.iter().filter(|high| high.level > low.level * APART) {
            let (share, higher_share) = (low.violations / low.requests, high.violations / high.requests);
            if share <= 2.0 * allowed_share || higher_share > share / 2.0 {
                continue;
            }
            // If both levels had the same share, the higher one would vary as the lower one does.
            let error = (low.variance / low.requests * (1.0 / low.requests + 1.0 / high.requests)).sqrt();
            let score = (share - higher_share) / error.max(1e-9);
            pairs.push(NonMonotone { level: low.level, share, higher_level: high.level, higher_share, score });
        }
    }
    pairs
}

/// The counts of each level.
fn levels(records: &[&StepRecord], slo: usize) -> Vec<LevelShare> {
    let mut levels: Vec<LevelShare> = Vec::new();
    for record in records {
        let share = level_share(record, slo);
        match levels.iter_mut().find(|known| (known.level / share.level - 1.0).abs() < 1e-6) {
            Some(known) => {
                known.requests += share.requests;
                known.violations += share.violations;
                known.variance += share.variance;
            }
            None => levels.push(share),
        }
    }
    levels
}

/// Counts of one record. Its variance comes from [`PARTS`] parts of the step, so that a burst stays in one part.
fn level_share(record: &StepRecord, slo: usize) -> LevelShare {
    let (requests, violations) = (record.counted().max(1.0), record.violation_count(slo));
    let blocks = &record.violations[slo];
    let parts: Vec<f64> = blocks
        .chunks(blocks.len().div_ceil(PARTS).max(1))
        .map(|chunk| chunk.iter().map(|&count| f64::from(count)).sum())
        .collect();
    let mean = violations / parts.len().max(1) as f64;
    let between = parts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() * parts.len() as f64
        / (parts.len().max(2) - 1) as f64;
    // Parts without violations have no spread; independent requests give the least that is possible.
    let share = violations / requests;
    let least = requests * (share * (1.0 - share)).max(1.0 / requests);
    LevelShare { level: record.plan.level.value(), requests, violations, variance: between.max(least) }
}
