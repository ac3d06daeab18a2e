//! Two sides compared number by number. All verdicts of a report hold together at the level that was asked
//! for: each interval is made wider for it (Bonferroni).

use std::path::PathBuf;

use aiperf_metrics::Metric;
use aiperf_stats::Level;

use crate::side::workload::differences;
use crate::verdict::row::RowLevels;
use crate::{
    AccuracyComparison, CompareError, ComparisonRow, Direction, GpuRowPair, Quantity, Question, Selection, Share, Side,
    Warning, WorkloadNote,
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AskedQuantity {
    pub quantity: Quantity,
    /// That of all if `None`.
    pub threshold: Option<Share>,
}

/// What shall be compared, and how strictly.
#[derive(Debug, Clone)]
pub struct ComparisonOptions {
    /// What is taken when no quantities are named.
    pub selection: Selection,
    pub quantities: Vec<AskedQuantity>,
    /// Changes up to this do not count.
    pub threshold: Option<Share>,
    /// The change that forecasts are for; twice the threshold if `None`.
    pub detect: Option<Share>,
    /// At which all verdicts hold together.
    pub level: Level,
    /// Judge also runs that did not reach their end.
    pub allow_incomplete: bool,
}

/// Who was compared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SideNote {
    pub folder: PathBuf,
    pub runs: usize,
    pub failed_runs: usize,
    pub requests: Option<u64>,
    pub has_records: bool,
    pub skipped_lines: usize,
    /// Why it gives no verdict, as what is said after its name: "was interrupted after 3 of 10 requests".
    pub no_verdict_reasons: Vec<String>,
    /// Validity warnings of its runs.
    pub warnings: Vec<Warning>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    pub candidate: SideNote,
    pub workload: Vec<WorkloadNote>,
    pub rows: Vec<ComparisonRow>,
    /// The answers to the same questions, if one of the sides is an accuracy benchmark.
    pub accuracy: Option<AccuracyComparison>,
    /// Single GPUs, without a verdict.
    pub gpus: Vec<GpuRowPair>,
    /// Why there is no verdict, if one was withheld.
    pub withheld: Option<String>,
}

/// One baseline and what was compared with it.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonReport {
    pub baseline: SideNote,
    pub comparisons: Vec<Comparison>,
    /// At which all verdicts hold together.
    pub level: Level,
    /// Of each interval; of a gate, that of a two-sided interval whose bounds are as sure as that which finds a regression.
    pub row_level: Level,
    pub question: Question,
}

impl ComparisonReport {
    /// The exit code of a comparison or gate that withheld a verdict.
    pub const NO_VERDICT: u8 = 4;

    /// Why there is no verdict, if one was withheld.
    pub fn withheld(&self) -> Option<&str> {
        self.comparisons.iter().find_map(|comparison| comparison.withheld.as_deref())
    }
}

/// The first side is the baseline, each other one is compared with it.
pub fn compare(
    baseline: &Side,
    candidates: &[Side],
    asked: &ComparisonOptions,
) -> Result<ComparisonReport, CompareError> {
    let mut selected = Vec::new();
    for candidate in candidates {
        selected.push(quantities(baseline, candidate, asked)?);
    }
    let judged = |quantity: &&AskedQuantity| {
        let metric = quantity.quantity.metric;
        Direction::of(metric) != Direction::Neutral && !RowLevels::stands_alone(metric)
    };
    let family = selected.iter().flatten().filter(judged).count();
    let question = Question::of(asked.selection);
    let levels = RowLevels { question, level: asked.level, row: question.sure(asked.level, family) };
    let baseline_note = note(baseline);
    let comparisons = candidates.iter().zip(selected).map(|(candidate, quantities)| {
        let rows = quantities.iter().map(|quantity| ComparisonRow::of(baseline, candidate, quantity, asked, &levels));
        let mut rows = rows.collect::<Result<Vec<ComparisonRow>, CompareError>>()?;
        let candidate_note = note(candidate);
        let reason =
            no_verdict_reason("baseline", &baseline_note).or_else(|| no_verdict_reason("candidate", &candidate_note));
        let withheld = reason.filter(|_| !asked.allow_incomplete);
        let mut accuracy = AccuracyComparison::of(baseline, candidate, asked.threshold, question, asked.level);
        if withheld.is_some() {
            accuracy.iter_mut().for_each(AccuracyComparison::withhold);
            rows.iter_mut().for_each(ComparisonRow::withhold);
        }
        let workload = differences(baseline, candidate);
        let gpus = GpuRowPair::all(&baseline.gpus(), &candidate.gpus());
        Ok(Comparison { candidate: candidate_note, workload, rows, accuracy, gpus, withheld })
    });
    let comparisons = comparisons.collect::<Result<_, CompareError>>()?;
    Ok(ComparisonReport { baseline: baseline_note, comparisons, level: asked.level, row_level: levels.row, question })
}

/// The first reason why a side gives no verdict, as a sentence.
fn no_verdict_reason(place: &str, note: &SideNote) -> Option<String> {
    note.no_verdict_reasons.first().map(|words| format!("the {place} {words}"))
}

fn note(side: &Side) -> SideNote {
    SideNote {
        folder: side.folder.clone(),
        runs: side.run_count(),
        failed_runs: side.failed_runs,
        requests: side.requests(),
        has_records: side.has_records(),
        skipped_lines: side.skipped(),
        no_verdict_reasons: side.no_verdict_reasons(),
        warnings: side.warnings(),
    }
}

fn quantities(a: &Side, b: &Side, asked: &ComparisonOptions) -> Result<Vec<AskedQuantity>, CompareError> {
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
