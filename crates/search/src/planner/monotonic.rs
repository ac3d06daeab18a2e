//! `monotonic_sla`: doubling until a value fails, then bisection. A value passes or fails when enough of its verdicts are equal.

use aiperf_config::SearchSpec;

use super::bracket::{self, Bracket, BracketStep};
use super::{Ask, EndReason, Planner};
use crate::{Outcome, SearchPoint};

#[derive(Debug)]
pub(super) struct MonotonicSla {
    bracket: Bracket,
    /// Equal verdicts that a value needs.
    needed: usize,
    /// The value that is being tried, with its verdicts so far.
    open: Option<Verdicts>,
}

#[derive(Debug, Clone, Copy)]
struct Verdicts {
    value: f64,
    passes: usize,
    fails: usize,
}

impl MonotonicSla {
    pub(super) fn new(spec: &SearchSpec) -> Self {
        let dimension = &spec.space[0];
        let bracket = Bracket::new(dimension.lo, dimension.hi, spec.bracket_precision);
        Self { bracket, needed: spec.stability_trials.max(1), open: None }
    }
}

impl Planner for MonotonicSla {
    fn ask(&mut self) -> Ask {
        let probe = |value: f64| Ask::Probe(SearchPoint(vec![value]));
        if let Some(open) = self.open {
            return probe(open.value);
        }
        match self.bracket.step() {
            BracketStep::Raise(value) => probe(value),
            BracketStep::Narrow { passed, failed } => probe(bracket::middle(passed, failed)),
            BracketStep::Narrowed => Ask::End(EndReason::MonotonicPrecisionReached),
            BracketStep::NoPass => Ask::End(EndReason::MonotonicNoPassInRange),
            BracketStep::NoFailure => Ask::End(EndReason::MonotonicNoFailureInRange),
        }
    }

    fn tell(&mut self, point: &SearchPoint, outcome: &Outcome) {
        let value = point.only();
        let known = self.open.filter(|open| open.value.total_cmp(&value).is_eq());
        let mut verdicts = known.unwrap_or(Verdicts { value, passes: 0, fails: 0 });
        if outcome.is_feasible {
            verdicts.passes += 1;
        } else {
            verdicts.fails += 1;
        }
        let passes = verdicts.passes >= self.needed;
        if passes || verdicts.fails >= self.needed {
            self.bracket.learn(value, passes);
            self.open = None;
        } else {
            self.open = Some(verdicts);
        }
    }
}
