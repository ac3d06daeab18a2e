//! Does a higher load always mean more violations? If not, the capacity has more than one answer.

use serde::{Deserialize, Serialize};

use crate::step::{STEP_FACTOR, StepPurpose, StepRecord};

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

impl NonMonotone {
    /// The lowest level that is searched: the next one of the staircase, because the server can still behave differently in between.
    pub(crate) fn searched_from(&self) -> f64 {
        (self.level * STEP_FACTOR).min(self.higher_level)
    }
}

/// Whether the violations of a step are compared with those of other levels. These steps follow each other closely in time.
pub(crate) fn is_compared(record: &StepRecord) -> bool {
    matches!(record.plan.purpose, StepPurpose::Staircase | StepPurpose::Repeat | StepPurpose::Confirm)
}

/// Levels closer than this are not compared.
const APART: f64 = 1.1;
const SUSPECTED: f64 = 1.0;
/// Close calls are compared at every pair of levels, so a suspicion that rests on them alone needs more.
const SUSPECTED_BY_CLOSE_CALLS: f64 = 2.5;
const CONFIRMED: f64 = 3.0;

const PARTS: usize = 8;

/// The counts that are compared: violations, and requests that exceed 75 % and 50 % of the limit. Close calls are more frequent, so they
/// show a contradiction sooner.
const COUNTS: usize = 3;

#[derive(Debug, Clone, Copy)]
struct LevelShare {
    level: f64,
    requests: f64,
    counts: [f64; COUNTS],
    /// The variances of the counts, from blocks within the level.
    variances: [f64; COUNTS],
}

impl LevelShare {
    fn share(&self, count: usize) -> f64 {
        self.counts[count] / self.requests
    }
}

/// The contradiction that was confirmed by measuring again, with the highest level that takes part in it.
pub(crate) fn confirmed_contradiction(records: &[&StepRecord], slo: usize, allowed_share: f64) -> Option<NonMonotone> {
    let early: Vec<&StepRecord> = records.iter().copied().filter(|record| is_compared(record)).collect();
    early.iter().find(|record| record.plan.purpose == StepPurpose::Confirm)?;
    let pairs = contradictions(&early, slo, allowed_share).into_iter().filter(|pair| pair.is_violated);
    let strongest = pairs
        .map(|pair| pair.found)
        .filter(|pair| pair.score >= CONFIRMED)
        .max_by(|a, b| a.score.total_cmp(&b.score))?;
    // The server behaves differently up to the last violated level below the one that contradicts it.
    let below = levels(&early, slo)
        .into_iter()
        .filter(|known| known.level < strongest.higher_level && known.share(0) > 2.0 * allowed_share);
    let level = below.map(|known| known.level).fold(strongest.level, f64::max);
    Some(NonMonotone { level, ..strongest })
}

/// The pair of levels that contradicts monotony most, if it does so clearly enough to measure it again. Close calls alone justify the
/// first two repetitions; after them the lower level must have shown violations.
pub(crate) fn suspected_contradiction(records: &[&StepRecord], slo: usize, allowed_share: f64) -> Option<NonMonotone> {
    let repeated = records.iter().filter(|record| record.plan.purpose == StepPurpose::Confirm).count() >= 2;
    let suspected = |pair: &Contradiction| {
        let needed = if pair.is_violated { SUSPECTED } else { SUSPECTED_BY_CLOSE_CALLS };
        pair.found.score >= needed && (pair.is_violated || !repeated)
    };
    let pairs = contradictions(records, slo, allowed_share).into_iter().filter(suspected);
    pairs.map(|pair| pair.found).max_by(|a, b| a.score.total_cmp(&b.score))
}

#[derive(Debug, Clone, Copy)]
struct Contradiction {
    found: NonMonotone,
    /// The lower level violates the objective and the higher one has at most half of its violations.
    is_violated: bool,
}

/// Pairs of levels of which the higher one has at most half of the violations or close calls of the lower one.
fn contradictions(records: &[&StepRecord], slo: usize, allowed_share: f64) -> Vec<Contradiction> {
    let levels = levels(records, slo);
    let mut pairs = Vec::new();
    for low in &levels {
        for high in levels.iter().filter(|high| high.level > low.level * APART) {
            let is_halved =
                |count: usize| low.share(count) > 2.0 * allowed_share && high.share(count) <= low.share(count) / 2.0;
            // If both levels had the same share, the higher one would vary as the lower one does.
            let score = |count: usize| {
                let variance = low.variances[count] / low.requests;
                let error = (variance * (1.0 / low.requests + 1.0 / high.requests)).sqrt();
                (low.share(count) - high.share(count)) / error.max(1e-9)
            };
            let Some(score) = (0..COUNTS).filter(|&count| is_halved(count)).map(score).reduce(f64::max) else {
                continue;
            };
            let found = NonMonotone {
                level: low.level,
                share: low.share(0),
                higher_level: high.level,
                higher_share: high.share(0),
                score,
            };
            pairs.push(Contradiction { found, is_violated: is_halved(0) });
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
                for count in 0..COUNTS {
                    known.counts[count] += share.counts[count];
                    known.variances[count] += share.variances[count];
                }
            }
            None => levels.push(share),
        }
    }
    levels
}

/// Counts of one record.
fn level_share(record: &StepRecord, slo: usize) -> LevelShare {
    let requests = record.counted().max(1.0);
    let [near, far] = &record.close_calls[slo];
    let blocks = [&record.violations[slo], near, far];
    LevelShare {
        level: record.plan.level.value(),
        requests,
        counts: blocks.map(|blocks| blocks.iter().map(|&count| f64::from(count)).sum()),
        variances: blocks.map(|blocks| count_variance(blocks, requests)),
    }
}

/// The variance of a count, from [`PARTS`] parts of the step, so that a burst stays in one part.
fn count_variance(blocks: &[u32], requests: f64) -> f64 {
    let parts: Vec<f64> = blocks
        .chunks(blocks.len().div_ceil(PARTS).max(1))
        .map(|chunk| chunk.iter().map(|&count| f64::from(count)).sum())
        .collect();
    let total: f64 = parts.iter().sum();
    let mean = total / parts.len().max(1) as f64;
    let between = parts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() * parts.len() as f64
        / (parts.len().max(2) - 1) as f64;
    // Parts without violations have no spread; independent requests give the least that is possible.
    let share = total / requests;
    between.max(requests * (share * (1.0 - share)).max(1.0 / requests))
}
