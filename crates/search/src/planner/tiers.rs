//! Several groups of limits at once: each tier has its own bracket, and all of them learn from each probe.

use aiperf_config::SearchSpec;

use super::bracket::{self, Bracket, BracketStep};
use super::{Ask, EndReason, Planner};
use crate::boundary::{BoundaryEstimate, TierBoundary};
use crate::{Outcome, Point};

#[derive(Debug)]
pub(super) struct Tiers {
    tiers: Vec<(String, Bracket)>,
}

impl Tiers {
    pub(super) fn new(spec: &SearchSpec) -> Self {
        let dimension = &spec.space[0];
        let bracket = Bracket::new(dimension.lo, dimension.hi, spec.bracket_precision);
        Self { tiers: spec.sla_tiers.iter().map(|tier| (tier.label.clone(), bracket)).collect() }
    }
}

impl Planner for Tiers {
    fn ask(&mut self) -> Ask {
        let probe = |value: f64| Ask::Probe(Point(vec![value]));
        let steps: Vec<BracketStep> = self.tiers.iter().map(|(_, bracket)| bracket.step()).collect();
        // As long as no tier failed, all of them ask for the same higher value.
        if self.tiers.iter().all(|(_, bracket)| bracket.failed.is_none())
            && let Some(BracketStep::Raise(value)) = steps.first()
        {
            return probe(*value);
        }
        let gap = |step: &BracketStep| match step {
            BracketStep::Narrow { passed, failed } => Some((failed - passed, bracket::middle(*passed, *failed))),
            _ => None,
        };
        let widest = steps.iter().filter_map(gap).max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, value)) = widest {
            return probe(value);
        }
        let raise =
            steps.iter().find_map(|step| if let BracketStep::Raise(value) = step { Some(*value) } else { None });
        if let Some(value) = raise {
            return probe(value);
        }
        Ask::End(if steps.iter().all(|step| *step == BracketStep::NoPass) {
            EndReason::TiersNoPassInRange
        } else if steps.iter().all(|step| *step == BracketStep::NoFailure) {
            EndReason::TiersNoFailureInRange
        } else {
            EndReason::TiersPrecisionReached
        })
    }

    fn tell(&mut self, point: &Point, outcome: &Outcome) {
        for ((_, bracket), passes) in self.tiers.iter_mut().zip(&outcome.tiers) {
            bracket.learn(point.only(), *passes);
        }
    }

    fn boundary(&self) -> Option<BoundaryEstimate> {
        let tier = |(label, bracket): &(String, Bracket)| TierBoundary {
            label: label.clone(),
            feasible_max: bracket.passed,
            infeasible_min: bracket.failed,
        };
        Some(BoundaryEstimate::Tiers(self.tiers.iter().map(tier).collect()))
    }
}
