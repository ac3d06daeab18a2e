//! One number of both sides: what each says, how far they lie apart, and the verdict.

use aiperf_metrics::{Metric, Unit};
use aiperf_stats::Level;

use crate::change::{Measured, between, between_runs};
use crate::evidence::Evidence;
use crate::forecast::{self, Aim};
use crate::known::Known;
use crate::{
    Asked, AskedQuantity, Change, CompareError, Direction, Doubt, Forecast, Quantity, SampleUnit, Scale, Share, Side,
    Verdict,
};

const DEFAULT_THRESHOLD: Share = Share::of_percent(2.5);
/// Of numbers that are percentages themselves, in percentage points.
const DEFAULT_POINTS: Share = Share::of_percent(1.0);

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

impl Row {
    pub(crate) fn of(
        a: &Side,
        b: &Side,
        asked: &AskedQuantity,
        all: &Asked,
        level: Level,
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
}

fn scale_of(metric: Metric) -> Scale {
    if metric.definition().shown == Unit::Percent { Scale::Points } else { Scale::Relative }
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
