//! One number of both sides: what each says, how far they lie apart, and the verdict.

use aiperf_metrics::{Metric, Unit};
use aiperf_stats::Level;

use crate::side::evidence::{ComparedSide, RunEvidence};
use crate::side::known::Known;
use crate::verdict::bounds::{Bounds, Question};
use crate::verdict::change::{MeasuredChange, between, between_runs};
use crate::verdict::forecast::{self, Aim};
use crate::{
    AskedQuantity, Change, CompareError, ComparisonOptions, Direction, Forecast, InconclusiveReason, Quantity,
    SampleUnit, Scale, Share, Side, Verdict,
};

const DEFAULT_THRESHOLD: Share = Share::of_percent(2.5);
/// Of numbers that are percentages themselves, in percentage points.
const DEFAULT_POINTS: Share = Share::of_percent(1.0);

/// One number of both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonRow {
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
    /// Why the verdict is inconclusive, if it is.
    pub reason: Option<InconclusiveReason>,
    pub forecast: Option<Forecast>,
    /// What the interval is made from.
    pub unit: SampleUnit,
    /// Nothing was counted on either side, and so much may be by the bound, in percent.
    pub none_on_either_side: Option<f64>,
}

/// At which levels the bounds of rows hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowLevels {
    pub(crate) question: Question,
    /// At which all verdicts hold together.
    pub(crate) level: Level,
    /// Of each bound that makes sure of a difference, so that they hold together.
    pub(crate) row: Level,
}

impl RowLevels {
    /// The error rate is exact and stands for itself: a gate that takes it into account shall not need more of everything else.
    fn bounds(&self, metric: Metric) -> Bounds {
        let sure = if Self::stands_alone(metric) { self.question.sure(self.level, 1) } else { self.row };
        Bounds::of(self.question, Direction::of(metric), self.level, sure)
    }

    /// Whether its verdict is not part of those that hold together.
    pub(crate) fn stands_alone(metric: Metric) -> bool {
        metric == Metric::RequestErrorRate
    }
}

impl ComparisonRow {
    pub(crate) fn of(
        a: &Side,
        b: &Side,
        asked: &AskedQuantity,
        all: &ComparisonOptions,
        levels: &RowLevels,
    ) -> Result<Self, CompareError> {
        let AskedQuantity { quantity, threshold } = *asked;
        let scale = scale_of(quantity.metric);
        let default = if scale == Scale::Points { DEFAULT_POINTS } else { DEFAULT_THRESHOLD };
        let threshold = threshold.or(all.threshold).unwrap_or(default);
        let detect = all.detect.unwrap_or_else(|| threshold.doubled());
        if detect <= threshold {
            return Err(CompareError::Undetectable { quantity, detect, threshold });
        }
        let direction = Direction::of(quantity.metric);
        let several = a.run_count() > 1 || b.run_count() > 1;
        let blank = ComparisonRow {
            quantity,
            direction,
            scale,
            baseline: None,
            candidate: None,
            change: None,
            threshold,
            detect,
            verdict: Verdict::Inconclusive,
            reason: None,
            forecast: None,
            unit: SampleUnit::Requests,
            none_on_either_side: None,
        };
        let (mut of_a, mut of_b) = (a.evidence(quantity), b.evidence(quantity));
        // Runs without any error do not differ, but their requests say how sure that is.
        let none = [&of_a, &of_b].into_iter().flatten().flatten().all(RunEvidence::counts_nothing);
        let unit = if several && !none { SampleUnit::Runs } else { SampleUnit::Requests };
        if none {
            (of_a, of_b) = (of_a.map(RunEvidence::together), of_b.map(RunEvidence::together));
        }
        let blank = ComparisonRow { unit, ..blank };
        let average = |evidence: &Option<Vec<RunEvidence>>| {
            let values: Vec<f64> = evidence.iter().flatten().filter_map(RunEvidence::value).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let blank = ComparisonRow { baseline: average(&of_a), candidate: average(&of_b), ..blank };
        let (of_a, of_b) = match (of_a, of_b) {
            (Some(of_a), Some(of_b)) => (of_a, of_b),
            (None, _) => {
                return Ok(ComparisonRow { reason: Some(InconclusiveReason::Absent { side: a.label() }), ..blank });
            }
            (_, None) => {
                return Ok(ComparisonRow { reason: Some(InconclusiveReason::Absent { side: b.label() }), ..blank });
            }
        };
        let bounds = levels.bounds(quantity.metric);
        let aim = Aim { threshold, detect, direction, bounds };
        let measured = match unit {
            SampleUnit::Runs => of_runs(&of_a, &of_b, scale, &aim),
            SampleUnit::Requests => of_requests((a, &of_a), (b, &of_b), scale, &aim),
        };
        let Weighed { measured, reason, forecast } = measured;
        let Some(measured) = measured else {
            // No share can be given of nothing, but nothing on both sides is the same.
            let alike = blank.baseline == blank.candidate && reason.is_none();
            let reason = reason.or_else(|| (!alike).then_some(InconclusiveReason::NothingToShare));
            let verdict = if alike { Verdict::Equal } else { Verdict::Inconclusive };
            return Ok(ComparisonRow { verdict, reason, forecast, ..blank });
        };
        let verdict = Verdict::of(&measured.change, threshold, direction);
        let none_on_either_side = (none && scale == Scale::Points).then_some(measured.change.high * 100.0);
        let wide = || match (none_on_either_side, forecast) {
            (Some(bound), Some(Forecast::Needs { equal, .. })) => {
                InconclusiveReason::TooFewForErrors { at_most: format!("{bound:.2}%"), needed: equal }
            }
            _ => InconclusiveReason::Wide,
        };
        let reason = (verdict == Verdict::Inconclusive).then(|| reason.unwrap_or_else(wide));
        Ok(ComparisonRow { change: Some(measured.change), verdict, reason, forecast, none_on_either_side, ..blank })
    }
}

impl ComparisonRow {
    /// Keeps the numbers without judging them.
    pub(crate) fn withhold(&mut self) {
        (self.verdict, self.reason, self.forecast) = (Verdict::Withheld, None, None);
    }
}

fn scale_of(metric: Metric) -> Scale {
    if metric.definition().shown == Unit::Percent { Scale::Points } else { Scale::Relative }
}

struct Weighed {
    measured: Option<MeasuredChange>,
    /// What stands in the way of an interval.
    reason: Option<InconclusiveReason>,
    forecast: Option<Forecast>,
}

fn of_runs(a: &[RunEvidence], b: &[RunEvidence], scale: Scale, aim: &Aim) -> Weighed {
    let values = |side: &[RunEvidence]| side.iter().filter_map(RunEvidence::value).collect::<Vec<_>>();
    let measured = between_runs(&values(a), &values(b), scale, &aim.bounds);
    let forecast = measured.as_ref().and_then(|measured| forecast::runs(measured, aim));
    Weighed { measured, reason: None, forecast }
}

fn of_requests(a: (&Side, &[RunEvidence]), b: (&Side, &[RunEvidence]), scale: Scale, aim: &Aim) -> Weighed {
    let known = |side: &[RunEvidence], place| side.first().and_then(|it| it.known_between(&aim.bounds, place));
    let (Some(of_a), Some(of_b)) = (known(a.1, ComparedSide::Baseline), known(b.1, ComparedSide::Candidate)) else {
        return Weighed { measured: None, reason: Some(InconclusiveReason::OneNumber), forecast: None };
    };
    let reason = unbounded(a.0, a.1, &of_a).or_else(|| unbounded(b.0, b.1, &of_b));
    let measured = between(&of_a, &of_b, scale);
    let floor = [of_a.floor, of_b.floor].into_iter().flatten().max();
    let forecast = match floor {
        Some(floor) => Some(Forecast::AtLeast(floor)),
        None => measured
            .as_ref()
            .and_then(|measured| forecast::requests(measured, aim, least(a.1, aim).max(least(b.1, aim)))),
    };
    Weighed { measured, reason, forecast }
}

/// Requests below which a percentile would have no bounds.
fn least(evidence: &[RunEvidence], aim: &Aim) -> u64 {
    let level = if aim.bounds.low.get() > aim.bounds.high.get() { aim.bounds.low } else { aim.bounds.high };
    evidence.first().map_or(0, |evidence| evidence.floor(level))
}

fn unbounded(side: &Side, evidence: &[RunEvidence], known: &Known) -> Option<InconclusiveReason> {
    if known.is_bounded() {
        return None;
    }
    let label = side.label();
    match evidence.first() {
        Some(RunEvidence::Stated(stated)) if !stated.has_interval() && side.has_records() => {
            Some(InconclusiveReason::OneNumber)
        }
        Some(RunEvidence::Stated(_)) => Some(InconclusiveReason::NoInterval { side: label }),
        _ => Some(InconclusiveReason::TooFew { side: label }),
    }
}
