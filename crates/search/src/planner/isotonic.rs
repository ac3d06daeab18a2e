//! `smooth_isotonic`: doubling until a value fails, probes inside the bracket, a monotone curve through the margins of each limit,
//! and repeated probes at the place where the first limit is crossed.

mod margins;

use aiperf_config::SearchSpec;

use self::margins::{Curve, Margins};
use super::bracket::{self, Bracket, BracketStep};
use super::{Ask, EndReason, Planner};
use crate::boundary::{BoundaryEstimate, BoundaryKind};
use crate::{Outcome, SearchPoint};

/// Fits of the curve before bisection takes over.
const REFITS: usize = 3;
/// Places of the first probes inside the bracket, as shares of its width.
const INNER: [f64; 3] = [0.25, 0.5, 0.75];
/// Places of further probes.
const MORE: [f64; 2] = [0.125, 0.625];
/// Repeats at one value.
const MOST_REPLICATES: usize = 20;
const LEAST_REPLICATES: usize = 3;

#[derive(Debug)]
pub(super) struct SmoothIsotonic {
    bracket: Bracket,
    highest: f64,
    precision: f64,
    replicates: Option<usize>,
    margins: Margins,
    stage: IsotonicStage,
    refits: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum IsotonicStage {
    /// Raising the value until one fails.
    Bracketing,
    /// Values to try before the next fit.
    Inner(Vec<f64>),
    /// Repeating a value until its verdict is sure.
    Replicating(f64),
    /// A value just above one that passes.
    Above(f64),
    /// Halving the bracket, because of this.
    Bisecting(EndReason),
    Ended(EndReason),
}

impl SmoothIsotonic {
    pub(super) fn new(spec: &SearchSpec, seed: u64) -> Self {
        let dimension = &spec.space[0];
        Self {
            bracket: Bracket::new(dimension.lo, dimension.hi, spec.bracket_precision),
            highest: dimension.hi,
            precision: spec.bracket_precision,
            replicates: spec.sla_replicates,
            margins: Margins::new(spec.sla_filters.clone(), seed),
            stage: IsotonicStage::Bracketing,
            refits: 0,
        }
    }

    /// What follows when the measurements of the current stage are complete.
    fn advance(&mut self) -> Option<f64> {
        match self.stage.clone() {
            IsotonicStage::Bracketing => match self.bracket.step() {
                BracketStep::Raise(value) => return Some(value),
                BracketStep::NoPass => self.stage = IsotonicStage::Ended(EndReason::SmoothIsotonicNoPassInRange),
                BracketStep::NoFailure => self.stage = IsotonicStage::Ended(EndReason::SmoothIsotonicNoFailureInRange),
                BracketStep::Narrowed => {
                    self.stage = IsotonicStage::Replicating(self.bracket.passed.unwrap_or(self.highest));
                }
                BracketStep::Narrow { passed, failed } => {
                    self.stage = IsotonicStage::Inner(between(passed, failed, &INNER));
                }
            },
            IsotonicStage::Inner(mut values) => {
                if values.is_empty() {
                    self.fit();
                } else {
                    let value = values.remove(0);
                    self.stage = IsotonicStage::Inner(values);
                    return Some(value);
                }
            }
            IsotonicStage::Replicating(value) => {
                if self.margins.count(value) < self.needed(value) {
                    return Some(value);
                }
                self.conclude(value);
            }
            IsotonicStage::Above(value) => {
                let Some(passes) = self.margins.mean_passes(value) else { return Some(value) };
                self.bracket.learn(value, passes);
                self.after_verdict();
            }
            IsotonicStage::Bisecting(reason) => match self.bracket.step() {
                BracketStep::Narrow { passed, failed } => return Some(bracket::middle(passed, failed)),
                BracketStep::Raise(value) => return Some(value),
                _ => self.stage = IsotonicStage::Ended(reason),
            },
            IsotonicStage::Ended(_) => {}
        }
        None
    }

    /// Fits a curve to what is known inside the bracket and chooses the value that is to be repeated.
    fn fit(&mut self) {
        let (Some(passed), Some(failed)) = (self.bracket.passed, self.bracket.failed) else {
            self.stage = IsotonicStage::Bracketing;
            return;
        };
        self.refits += 1;
        let gap = failed - passed;
        match self.margins.curve(passed, failed) {
            Curve::TooFew if self.refits <= REFITS => {
                let more: Vec<f64> = between(passed, failed, &MORE)
                    .into_iter()
                    .filter(|value| self.margins.count(*value) == 0)
                    .collect();
                self.stage = if more.is_empty() {
                    IsotonicStage::Replicating(self.nearest_pass(passed, failed))
                } else {
                    IsotonicStage::Inner(more)
                };
            }
            Curve::TooFew | Curve::NoRoot => {
                self.stage = IsotonicStage::Bisecting(EndReason::SmoothIsotonicPchipFallbackBisection);
            }
            Curve::Cliff if gap > self.precision * self.highest => {
                self.stage = IsotonicStage::Bisecting(EndReason::SmoothIsotonicCliffPrecisionReached);
            }
            Curve::Cliff => self.stage = IsotonicStage::Replicating(self.nearest_pass(passed, failed)),
            Curve::Root(root) => self.stage = IsotonicStage::Replicating(root.floor().clamp(passed, failed - 1.0)),
        }
    }

    /// The highest value inside the bracket below which everything passes on average.
    fn nearest_pass(&self, passed: f64, failed: f64) -> f64 {
        self.margins.highest_pass(passed, failed).unwrap_or(passed)
    }

    /// Trials that a value needs.
    fn needed(&self, value: f64) -> usize {
        let wanted = self.replicates.unwrap_or_else(|| {
            let spread = self.margins.relative_deviation(value);
            LEAST_REPLICATES.max((4.0 * spread * spread).ceil() as usize)
        });
        let wanted = wanted.clamp(1, MOST_REPLICATES);
        // An interval on both sides of the limit says nothing yet: as many again.
        let open = self.margins.count(value) >= wanted && self.margins.verdict(value).is_none();
        if open { (2 * wanted).min(MOST_REPLICATES) } else { wanted }
    }

    /// All trials of the candidate are there.
    fn conclude(&mut self, value: f64) {
        let passes = self.margins.verdict(value).or_else(|| self.margins.mean_passes(value)).unwrap_or(false);
        self.bracket.learn(value, passes);
        self.after_verdict();
    }

    fn after_verdict(&mut self) {
        self.stage = match self.bracket.step() {
            BracketStep::Narrowed => IsotonicStage::Ended(EndReason::SmoothIsotonicPrecisionReached),
            BracketStep::Narrow { passed, failed } => {
                let above = passed + (self.precision * passed).floor().max(1.0);
                if self.margins.count(passed) >= LEAST_REPLICATES && above < failed && self.margins.count(above) == 0 {
                    IsotonicStage::Above(above)
                } else if self.refits < REFITS {
                    IsotonicStage::Inner(Vec::new())
                } else {
                    IsotonicStage::Bisecting(EndReason::SmoothIsotonicPchipFallbackBisection)
                }
            }
            // The verdicts at the ends of the bracket were turned round by more trials.
            _ => IsotonicStage::Bracketing,
        };
    }
}

/// Whole numbers strictly inside a bracket at these shares of its width, without repetitions.
fn between(passed: f64, failed: f64, shares: &[f64]) -> Vec<f64> {
    let mut values: Vec<f64> = shares.iter().map(|share| (passed + share * (failed - passed)).round()).collect();
    values.retain(|value| *value > passed && *value < failed);
    values.dedup();
    values
}

impl Planner for SmoothIsotonic {
    fn ask(&mut self) -> Ask {
        loop {
            if let Some(value) = self.advance() {
                return Ask::Probe(SearchPoint(vec![value]));
            }
            if let IsotonicStage::Ended(reason) = self.stage {
                return Ask::End(reason);
            }
        }
    }

    fn tell(&mut self, point: &SearchPoint, outcome: &Outcome) {
        let value = point.only();
        self.margins.add(value, outcome);
        if matches!(self.stage, IsotonicStage::Bracketing | IsotonicStage::Bisecting(_)) {
            self.bracket.learn(value, outcome.is_feasible);
        }
    }

    fn boundary(&self) -> Option<BoundaryEstimate> {
        let kind = match self.stage {
            IsotonicStage::Ended(EndReason::SmoothIsotonicPrecisionReached) => BoundaryKind::Smooth,
            IsotonicStage::Ended(EndReason::SmoothIsotonicCliffPrecisionReached) => BoundaryKind::Cliff,
            IsotonicStage::Ended(EndReason::SmoothIsotonicPchipFallbackBisection) => BoundaryKind::Bisection,
            _ => return None,
        };
        let (passed, failed) = (self.bracket.passed?, self.bracket.failed?);
        Some(BoundaryEstimate::Curve { kind, binding: self.margins.binding(failed), lo: passed, hi: failed })
    }
}
