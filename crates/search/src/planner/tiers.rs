//! Several groups of limits at once: each tier has its own bracket, and all of them learn from each probe.

use aiperf_config::{SearchSpec, SlaTier};

use super::bracket::{self, Bracket, BracketStep};
use super::{Ask, EndReason, Planner};
use crate::boundary::{BoundaryEstimate, TierBoundary};
use crate::{Outcome, SearchPoint};

#[derive(Debug)]
pub(super) struct Tiers {
    tiers: Vec<Tier>,
}

#[derive(Debug)]
struct Tier {
    label: String,
    bracket: Bracket,
    /// Probes until its limit was known.
    probes: usize,
}

impl Tier {
    /// Why it needs no more probes.
    fn reason(&self) -> Option<EndReason> {
        match self.bracket.step() {
            BracketStep::Narrowed => Some(EndReason::TiersPrecisionReached),
            BracketStep::NoPass => Some(EndReason::TiersNoPassInRange),
            BracketStep::NoFailure => Some(EndReason::TiersNoFailureInRange),
            BracketStep::Raise(_) | BracketStep::Narrow { .. } => None,
        }
    }
}

impl Tiers {
    pub(super) fn new(spec: &SearchSpec) -> Self {
        let dimension = &spec.space[0];
        let bracket = Bracket::new(dimension.lo, dimension.hi, spec.bracket_precision);
        let tier = |tier: &SlaTier| Tier { label: tier.label.clone(), bracket, probes: 0 };
        Self { tiers: spec.sla_tiers.iter().map(tier).collect() }
    }
}

impl Planner for Tiers {
    fn ask(&mut self) -> Ask {
        let probe = |value: f64| Ask::Probe(SearchPoint(vec![value]));
        let steps: Vec<BracketStep> = self.tiers.iter().map(|tier| tier.bracket.step()).collect();
        // As long as no tier failed, all of them ask for the same higher value.
        if self.tiers.iter().all(|tier| tier.bracket.failed.is_none())
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
        let reasons: Vec<Option<EndReason>> = self.tiers.iter().map(Tier::reason).collect();
        let is_same = reasons.iter().all(|reason| *reason == reasons[0]);
        Ask::End(reasons[0].filter(|_| is_same).unwrap_or(EndReason::TiersPrecisionReached))
    }

    fn tell(&mut self, point: &SearchPoint, outcome: &Outcome) {
        for (tier, passes) in self.tiers.iter_mut().zip(&outcome.tiers).filter(|(tier, _)| tier.reason().is_none()) {
            tier.bracket.learn(point.only(), *passes);
            tier.probes += 1;
        }
    }

    fn boundary(&self) -> Option<BoundaryEstimate> {
        let tier = |tier: &Tier| TierBoundary {
            label: tier.label.clone(),
            feasible_max: tier.bracket.passed,
            infeasible_min: tier.bracket.failed,
            reason: tier.reason(),
            probes: tier.probes,
        };
        Some(BoundaryEstimate::Tiers(self.tiers.iter().map(tier).collect()))
    }
}
