//! Sides held against each other, number by number. All verdicts of a report hold together at the level that was asked
//! for: each interval is made wider for it (Bonferroni).

use std::path::PathBuf;

use aiperf_metrics::{Metric, Unit};
use aiperf_stats::Level;

use crate::change::{Measured, between, between_runs};
use crate::evidence::Evidence;
use crate::forecast::{self, Aim};
use crate::known::Known;
use crate::workload::differences;
use crate::{
    Change, CompareError, Direction, Doubt, Forecast, Quantity, SampleUnit, Scale, Selection, Share, Side, Verdict,
    WorkloadNote,
};

const DEFAULT_THRESHOLD: Share = Share::of_percent(2.5);
/// Of numbers that are percentages themselves, in percentage points.
const DEFAULT_POINTS: Share = Share::of_percent(1.0);

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

/// One number of both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub quantity: Quantity,
    pub direction: Direction,
    /// What threshold, change and the like are shares of.
    pub scale: Scale,
    pub baseline: Option<f64>,
    pub candidate: Option<f64>,
    pub change: Option<Change>,
    pub threshold: Share,
    pub detect: Share,
    pub verdict: Verdict,
    /// Why it cannot tell, when it cannot.
    pub doubt: Option<Doubt>,
    pub forecast: Option<Forecast>,
    /// What the interval is made from.
    pub unit: SampleUnit,
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
        let rows = quantities.iter().map(|quantity| row(baseline, candidate, quantity, asked, row_level));
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
        if usual.is_empty() {
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

fn scale_of(metric: Metric) -> Scale {
    if metric.definition().shown == Unit::Percent { Scale::Points } else { Scale::Relative }
}

fn row(a: &Side, b: &Side, asked: &AskedQuantity, all: &Asked, level: Level) -> Result<Row, CompareError> {
    let AskedQuantity { quantity, threshold } = *asked;
    let scale = scale_of(quantity.metric);
    let default = if scale == Scale::Points { DEFAULT_POINTS } else { DEFAULT_THRESHOLD };
    let threshold = threshold.or(all.threshold).unwrap_or(default);
    let detect = all.detect.unwrap_or_else(|| threshold.doubled());
    if detect <= threshold {
        return Err(CompareError::Undetectable { quantity, detect, threshold });
    }
    let direction = Direction::of(quantity.metric);
    let unit = if a.run_count() > 1 || b.run_count() > 1 { SampleUnit::Runs } else { SampleUnit::Requests };
    let blank = Row {
        quantity,
        direction,
        scale,
        baseline: None,
        candidate: None,
        change: None,
        threshold,
        detect,
        verdict: Verdict::CannotTell,
        doubt: None,
        forecast: None,
        unit,
    };
    let (of_a, of_b) = (a.evidence(quantity), b.evidence(quantity));
    let average = |evidence: &Option<Vec<Evidence>>| {
        let values: Vec<f64> = evidence.iter().flatten().filter_map(Evidence::value).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let blank = Row { baseline: average(&of_a), candidate: average(&of_b), ..blank };
    let (of_a, of_b) = match (of_a, of_b) {
        (Some(of_a), Some(of_b)) => (of_a, of_b),
        (None, _) => return Ok(Row { doubt: Some(Doubt::Absent { side: a.label() }), ..blank }),
        (_, None) => return Ok(Row { doubt: Some(Doubt::Absent { side: b.label() }), ..blank }),
    };
    let aim = Aim { threshold, detect, level };
    let measured = match unit {
        SampleUnit::Runs => of_runs(&of_a, &of_b, scale, &aim),
        SampleUnit::Requests => of_requests((a, &of_a), (b, &of_b), scale, &aim),
    };
    let Weighed { measured, doubt, forecast } = measured;
    let Some(measured) = measured else {
        // No share can be given of nothing, but nothing on both sides is the same.
        let alike = blank.baseline == blank.candidate && doubt.is_none();
        let doubt = doubt.or_else(|| (!alike).then_some(Doubt::NothingToShare));
        let verdict = if alike { Verdict::Equal } else { Verdict::CannotTell };
        return Ok(Row { verdict, doubt, forecast, ..blank });
    };
    let verdict = Verdict::of(&measured.change, threshold, direction);
    let doubt = (verdict == Verdict::CannotTell).then(|| doubt.unwrap_or(Doubt::Wide));
    Ok(Row { change: Some(measured.change), verdict, doubt, forecast, ..blank })
}

struct Weighed {
    measured: Option<Measured>,
    /// What stands in the way of an interval.
    doubt: Option<Doubt>,
    forecast: Option<Forecast>,
}

fn of_runs(a: &[Evidence], b: &[Evidence], scale: Scale, aim: &Aim) -> Weighed {
    let values = |side: &[Evidence]| side.iter().filter_map(Evidence::value).collect::<Vec<_>>();
    let measured = between_runs(&values(a), &values(b), scale, aim.level);
    let forecast = measured.as_ref().and_then(|measured| forecast::runs(measured, aim));
    Weighed { measured, doubt: None, forecast }
}

fn of_requests(a: (&Side, &[Evidence]), b: (&Side, &[Evidence]), scale: Scale, aim: &Aim) -> Weighed {
    let known = |side: &[Evidence]| side.first().and_then(|evidence| evidence.known(aim.level));
    let (Some(of_a), Some(of_b)) = (known(a.1), known(b.1)) else {
        return Weighed { measured: None, doubt: Some(Doubt::OneNumber), forecast: None };
    };
    let doubt = unbounded(a.0, a.1, &of_a).or_else(|| unbounded(b.0, b.1, &of_b));
    let measured = between(&of_a, &of_b, scale, aim.level);
    let floor = [of_a.floor, of_b.floor].into_iter().flatten().max();
    let forecast = match floor {
        Some(floor) => Some(Forecast::AtLeast(floor)),
        None => measured
            .as_ref()
            .and_then(|measured| forecast::requests(measured, aim, least(a.1, aim).max(least(b.1, aim)))),
    };
    Weighed { measured, doubt, forecast }
}

/// Requests below which a percentile would have no bounds.
fn least(evidence: &[Evidence], aim: &Aim) -> u64 {
    evidence.first().map_or(0, |evidence| evidence.floor(aim.level))
}

fn unbounded(side: &Side, evidence: &[Evidence], known: &Known) -> Option<Doubt> {
    if known.is_bounded() {
        return None;
    }
    let label = side.label();
    match evidence.first() {
        Some(Evidence::Stated(stated)) if !stated.has_interval() && side.has_records() => Some(Doubt::OneNumber),
        Some(Evidence::Stated(_)) => Some(Doubt::NoInterval { side: label }),
        _ => Some(Doubt::TooFew { side: label }),
    }
}
