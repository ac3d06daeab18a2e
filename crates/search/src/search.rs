//! A search under way: what was tried, and what is tried next.

use aiperf_config::SearchSpec;
use serde_json::Value;

use crate::history::{self, Iteration};
use crate::{Ask, BoundarySummary, EndReason, Outcome, Planner, SearchPoint, planner};

/// A search with its planner and its history.
#[derive(Debug)]
pub struct Search {
    spec: SearchSpec,
    planner: Box<dyn Planner>,
    iterations: Vec<Iteration>,
    reason: Option<EndReason>,
}

/// What follows.
#[derive(Debug, Clone, PartialEq)]
pub enum NextProbe {
    Probe {
        point: SearchPoint,
        /// The point was tried before.
        is_repeat: bool,
    },
    End(EndReason),
}

impl Search {
    /// A search that has tried nothing yet; `seed` is that of its draws if the search has none of its own.
    pub fn new(spec: SearchSpec, seed: u64) -> Self {
        let planner = planner(&spec, spec.seed.unwrap_or(seed));
        Self { spec, planner, iterations: Vec::new(), reason: None }
    }

    /// A search whose points another planner chooses.
    pub fn with_planner(spec: SearchSpec, planner: Box<dyn Planner>) -> Self {
        Self { spec, planner, iterations: Vec::new(), reason: None }
    }

    pub const fn spec(&self) -> &SearchSpec {
        &self.spec
    }

    pub fn iterations(&self) -> &[Iteration] {
        &self.iterations
    }

    /// Why it ended, if it has.
    pub const fn reason(&self) -> Option<EndReason> {
        self.reason
    }

    /// Asks for the next point. Ask once for each point that is recorded.
    pub fn next_probe(&mut self) -> NextProbe {
        let ask = if self.iterations.len() >= self.spec.max_iterations {
            // The last point may have been the one that the planner needed.
            match self.planner.ask() {
                Ask::End(reason) => Ask::End(reason),
                Ask::Probe(_) => Ask::End(EndReason::MaxIterations),
            }
        } else {
            self.planner.ask()
        };
        match ask {
            Ask::Probe(point) => {
                let is_repeat = self.iterations.iter().any(|iteration| iteration.point == point);
                NextProbe::Probe { point, is_repeat }
            }
            Ask::End(reason) => {
                self.reason = Some(reason);
                NextProbe::End(reason)
            }
        }
    }

    /// Records what was measured at the point that was asked for last.
    pub fn record(&mut self, point: SearchPoint, outcome: Outcome) {
        self.planner.tell(&point, &outcome);
        self.iterations.push(Iteration { point, outcome });
    }

    /// `search_history.json`; `metrics` gives the numbers of an iteration.
    pub fn history(&self, metrics: &dyn Fn(usize) -> Value) -> Value {
        history::history(&self.spec, &self.iterations, self.planner.as_ref(), self.reason, metrics)
    }

    /// Where the limit is, in a search with one dimension.
    pub fn boundary(&self) -> Option<BoundarySummary> {
        BoundarySummary::of(&self.spec, &self.iterations)
    }
}
