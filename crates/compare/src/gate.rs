//! A comparison as a gate: pass, regression, or not clear.

use crate::{AccuracyComparison, CompareError, ComparisonReport, ComparisonRow, Direction, Quantity, Verdict};

/// What a gate does if the result is inconclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnUnclear {
    Pass,
    #[default]
    Fail,
}

/// Of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOutcome {
    Passed,
    Regression,
    Inconclusive,
}

impl RowOutcome {
    /// A number passes when its interval rules out that it is worse by more than the threshold, also if it cannot tell
    /// better from equal.
    pub fn of(row: &ComparisonRow) -> Self {
        match (row.verdict, row.change) {
            (Verdict::Worse, _) => Self::Regression,
            (Verdict::Better | Verdict::Equal, _) => Self::Passed,
            (Verdict::Withheld, _) | (_, None) => Self::Inconclusive,
            (_, Some(change)) => {
                let worst = if row.direction == Direction::MoreIsBetter { -change.low } else { change.high };
                if worst <= row.threshold.get() { Self::Passed } else { Self::Inconclusive }
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateOutcome {
    Passed,
    Regression,
    Inconclusive,
    /// A run did not reach its end.
    NoVerdict,
}

impl GateOutcome {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "pass",
            Self::Regression => "regression",
            Self::Inconclusive => "cannot tell",
            Self::NoVerdict => "no verdict",
        }
    }
}

/// The outcome over all numbers of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gate {
    pub outcome: GateOutcome,
    pub on_unclear: OnUnclear,
}

impl Gate {
    pub const REGRESSION: u8 = 2;
    pub const UNCLEAR: u8 = 3;

    pub fn of(report: &ComparisonReport, on_unclear: OnUnclear) -> Self {
        let comparisons = || report.comparisons.iter();
        let answers = comparisons().filter_map(|comparison| comparison.accuracy.as_ref());
        let rows = comparisons().flat_map(|comparison| &comparison.rows).map(RowOutcome::of);
        let outcomes: Vec<RowOutcome> = rows.chain(answers.map(AccuracyComparison::outcome)).collect();
        let outcome = if report.withheld().is_some() {
            GateOutcome::NoVerdict
        } else if outcomes.contains(&RowOutcome::Regression) {
            GateOutcome::Regression
        } else if outcomes.contains(&RowOutcome::Inconclusive) {
            GateOutcome::Inconclusive
        } else {
            GateOutcome::Passed
        };
        Self { outcome, on_unclear }
    }

    /// Whether a gate can be made of it.
    pub fn accept(quantity: Quantity) -> Result<(), CompareError> {
        match Direction::of(quantity.metric) {
            Direction::Neutral => Err(CompareError::Neutral(quantity)),
            _ => Ok(()),
        }
    }

    pub const fn exit_code(&self) -> u8 {
        match (self.outcome, self.on_unclear) {
            (GateOutcome::Passed, _) | (GateOutcome::Inconclusive, OnUnclear::Pass) => 0,
            (GateOutcome::Regression, _) => Self::REGRESSION,
            (GateOutcome::Inconclusive, OnUnclear::Fail) => Self::UNCLEAR,
            (GateOutcome::NoVerdict, _) => ComparisonReport::NO_VERDICT,
        }
    }
}

#[cfg(test)]
mod tests {
    use aiperf_metrics::Metric;

    use super::*;
    use crate::{Change, SampleUnit, Scale, Share};

    fn row(metric: Metric, share: f64, low: f64, high: f64) -> ComparisonRow {
        let (threshold, direction) = (Share::of_percent(2.5), Direction::of(metric));
        let change = Change { scale: Scale::Relative, absolute: share, share, low, high };
        ComparisonRow {
            quantity: Quantity::average(metric),
            direction,
            scale: Scale::Relative,
            baseline: Some(1.0),
            candidate: Some(1.0 + share),
            change: Some(change),
            threshold,
            detect: threshold.doubled(),
            verdict: Verdict::of(&change, threshold, direction),
            reason: None,
            forecast: None,
            unit: SampleUnit::Requests,
            none_on_either_side: None,
        }
    }

    #[test]
    fn what_is_surely_not_worse_passes() {
        let latency = |share, low, high| RowOutcome::of(&row(Metric::RequestLatency, share, low, high));
        assert_eq!(latency(-0.03, -0.07, 0.01), RowOutcome::Passed, "better or equal, who knows");
        assert_eq!(latency(0.03, -0.01, 0.07), RowOutcome::Inconclusive);
        assert_eq!(latency(0.05, 0.03, 0.07), RowOutcome::Regression);
        assert_eq!(latency(0.02, 0.01, 0.03), RowOutcome::Inconclusive);
        let rate = |share, low, high| RowOutcome::of(&row(Metric::RequestThroughput, share, low, high));
        assert_eq!(rate(0.03, -0.01, 0.07), RowOutcome::Passed);
        assert_eq!(rate(-0.03, -0.07, 0.01), RowOutcome::Inconclusive);
        assert_eq!(rate(-0.05, -0.07, -0.03), RowOutcome::Regression);
    }

    #[test]
    fn every_end_has_its_own_exit_code() {
        let code = |outcome, on_unclear| Gate { outcome, on_unclear }.exit_code();
        assert_eq!(code(GateOutcome::Passed, OnUnclear::Fail), 0);
        assert_eq!(code(GateOutcome::Regression, OnUnclear::Pass), 2);
        assert_eq!(code(GateOutcome::Inconclusive, OnUnclear::Fail), 3);
        assert_eq!(code(GateOutcome::Inconclusive, OnUnclear::Pass), 0);
        assert_eq!(
            (code(GateOutcome::NoVerdict, OnUnclear::Fail), code(GateOutcome::NoVerdict, OnUnclear::Pass)),
            (4, 4)
        );
    }

    #[test]
    fn no_gate_is_made_of_what_is_neither_good_nor_bad() {
        assert!(Gate::accept(Quantity::average(Metric::InputSequenceLength)).is_err());
        assert!(Gate::accept(Quantity::average(Metric::TimeToFirstToken)).is_ok());
    }
}
