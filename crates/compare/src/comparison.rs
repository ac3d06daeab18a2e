//! Sides held against each other, number by number. All verdicts of a report hold together at the level that was asked
//! for: each interval is made wider for it (Bonferroni).

use std::path::PathBuf;

use aiperf_metrics::Metric;
use aiperf_stats::Level;

use crate::workload::differences;
use crate::{CompareError, Direction, Quantity, Row, Selection, Share, Side, WorkloadNote};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AskedQuantity {
    pub quantity: Quantity,
    /// That of all where `None`.
    pub threshold: Option<Share>,
}

/// What shall be compared, and how strictly.
#[derive(Debug, Clone)]
pub struct Asked {
    /// What is taken when no quantities are named.
    pub selection: Selection,
    pub quantities: Vec<AskedQuantity>,
    /// Changes up to this do not count.
    pub threshold: Option<Share>,
    /// The change that forecasts are for; twice the threshold where `None`.
    pub detect: Option<Share>,
    /// At which all verdicts hold together.
    pub level: Level,
}

/// Who was compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideNote {
    pub folder: PathBuf,
    pub runs: usize,
    pub failed_runs: usize,
    pub requests: Option<u64>,
    pub has_records: bool,
    pub skipped_lines: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    pub candidate: SideNote,
    pub workload: Vec<WorkloadNote>,
    pub rows: Vec<Row>,
}

/// One baseline and what was compared with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    pub baseline: SideNote,
    pub comparisons: Vec<Comparison>,
    /// At which all verdicts hold together.
    pub level: Level,
    /// Of each interval.
    pub row_level: Level,
}

/// The first side is the baseline, each other one is compared with it.
pub fn compare(baseline: &Side, candidates: &[Side], asked: &Asked) -> Result<Report, CompareError> {
    let mut selected = Vec::new();
    for candidate in candidates {
        selected.push(quantities(baseline, candidate, asked)?);
    }
    let judged = |quantity: &&AskedQuantity| Direction::of(quantity.quantity.metric) != Direction::Neutral;
    let family = selected.iter().flatten().filter(judged).count().max(1);
    // A share of what may go wrong stays between 0 and 1.
    let row_level = Level::new(1.0 - (1.0 - asked.level.get()) / family as f64).unwrap_or(asked.level);
    let comparisons = candidates.iter().zip(selected).map(|(candidate, quantities)| {
        let rows = quantities.iter().map(|quantity| Row::of(baseline, candidate, quantity, asked, row_level));
        let rows = rows.collect::<Result<_, CompareError>>()?;
        Ok(Comparison { candidate: note(candidate), workload: differences(baseline, candidate), rows })
    });
    let comparisons = comparisons.collect::<Result<_, CompareError>>()?;
    Ok(Report { baseline: note(baseline), comparisons, level: asked.level, row_level })
}

fn note(side: &Side) -> SideNote {
    SideNote {
        folder: side.folder.clone(),
        runs: side.run_count(),
        failed_runs: side.failed_runs,
        requests: side.requests(),
        has_records: side.has_records(),
        skipped_lines: side.skipped(),
    }
}

fn quantities(a: &Side, b: &Side, asked: &Asked) -> Result<Vec<AskedQuantity>, CompareError> {
    if asked.quantities.is_empty() {
        let usual = asked.selection.of(a, b);
        if !usual.iter().any(|quantity| b.evidence(*quantity).is_some()) {
            return Err(CompareError::NothingInCommon(a.folder.clone(), b.folder.clone()));
        }
        return Ok(usual.into_iter().map(|quantity| AskedQuantity { quantity, threshold: None }).collect());
    }
    if asked.threshold.is_some() && asked.quantities.iter().all(|asked| asked.threshold.is_some()) {
        return Err(CompareError::ThresholdOfNothing);
    }
    for (index, AskedQuantity { quantity, .. }) in asked.quantities.iter().enumerate() {
        if asked.quantities[..index].iter().any(|earlier| earlier.quantity == *quantity) {
            return Err(CompareError::Twice(*quantity));
        }
        if a.evidence(*quantity).is_none() && b.evidence(*quantity).is_none() {
            return Err(CompareError::Nowhere { quantity: *quantity, there: there(a) });
        }
    }
    Ok(asked.quantities.clone())
}

/// The metrics that a side has, for someone who asked for another.
fn there(side: &Side) -> String {
    let tags: Vec<&str> = Metric::ALL.iter().filter(|metric| side.has(**metric)).map(|metric| metric.tag()).collect();
    match tags.as_slice() {
        [] => "it has no metrics at all".to_owned(),
        tags => format!("{} has {}", side.label(), tags.join(", ")),
    }
}
