//! Where a search with one dimension found the limit.

use aiperf_config::SearchSpec;
use serde_json::{Map, Value, json};

use crate::EndReason;
use crate::history::{self, Iteration};

/// What a planner knows about the limit beyond the verdicts of single points.
#[derive(Debug, Clone, PartialEq)]
pub enum BoundaryEstimate {
    Curve {
        kind: BoundaryKind,
        /// Index of the limit that is broken first.
        binding: Option<usize>,
        lo: f64,
        hi: f64,
    },
    Tiers(Vec<TierBoundary>),
}

/// How the limit was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundaryKind {
    Smooth,
    Cliff,
    Bisection,
}

impl BoundaryKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Smooth => "smooth",
            Self::Cliff => "cliff",
            Self::Bisection => "bisection",
        }
    }
}

/// The bracket of one tier.
#[derive(Debug, Clone, PartialEq)]
pub struct TierBoundary {
    pub label: String,
    pub feasible_max: Option<f64>,
    pub infeasible_min: Option<f64>,
    /// Why it needs no more probes, if it does not.
    pub reason: Option<EndReason>,
    /// Probes until then.
    pub probes: usize,
}

/// The highest value that keeps the limits, and the lowest one above it that does not.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundarySummary {
    /// Index of the iteration.
    pub feasible_max: Option<(f64, usize)>,
    pub infeasible_min: Option<(f64, usize)>,
}

impl BoundarySummary {
    /// Of a search with one dimension and limits; `None` for others.
    pub fn of(spec: &SearchSpec, iterations: &[Iteration]) -> Option<Self> {
        if spec.space.len() != 1 || iterations.is_empty() {
            return None;
        }
        let verdicts = verdicts(iterations);
        let feasible_max = verdicts
            .iter()
            .filter(|verdict| verdict.passes == Some(true))
            .max_by(|a, b| a.value.total_cmp(&b.value))
            .map(|verdict| (verdict.value, verdict.last));
        let above = |value: f64| feasible_max.is_none_or(|(highest, _)| value > highest);
        let infeasible_min = verdicts
            .iter()
            .filter(|verdict| verdict.passes == Some(false) && above(verdict.value))
            .min_by(|a, b| a.value.total_cmp(&b.value))
            .map(|verdict| (verdict.value, verdict.last));
        Some(Self { feasible_max, infeasible_min })
    }

    /// As `search_history.json` has it.
    pub(crate) fn json(
        &self,
        spec: &SearchSpec,
        iterations: &[Iteration],
        estimate: Option<&BoundaryEstimate>,
        reason: Option<EndReason>,
    ) -> Value {
        let dimension = &spec.space[0];
        let mut object = Map::new();
        object.insert("swept_dim_path".to_owned(), json!(dimension.path));
        let feasible = self.feasible_max.map(|(value, index)| {
            let objective = iterations[index].outcome.objectives.first().copied().flatten();
            json!({"value": dimension.json(value), "iteration_idx": index, "objective_value": objective})
        });
        object.insert("feasible_max".to_owned(), feasible.unwrap_or_default());
        let infeasible = self.infeasible_min.map(|(value, index)| {
            let breach = first_breach(spec, &iterations[index]);
            json!({"value": dimension.json(value), "iteration_idx": index, "first_breach": breach})
        });
        object.insert("infeasible_min".to_owned(), infeasible.unwrap_or_default());
        match estimate {
            None => {}
            Some(BoundaryEstimate::Curve { kind, binding, lo, hi }) => {
                object.insert("boundary_type".to_owned(), json!(kind.name()));
                let binding = binding.and_then(|index| {
                    let filter = spec.sla_filters.get(index)?;
                    Some(format!(
                        "{index}:{}.{}.{}.{:?}",
                        filter.metric,
                        filter.stat,
                        filter.op.name(),
                        filter.threshold
                    ))
                });
                object.insert("binding_constraint".to_owned(), json!(binding));
                object.insert("boundary_ci".to_owned(), json!({"lo": lo, "hi": hi}));
            }
            Some(BoundaryEstimate::Tiers(_)) => {
                let contradicts = contradictions(spec, iterations).contains(&true);
                object.insert("non_monotonic_warning".to_owned(), json!(contradicts));
                object.insert("convergence_reason".to_owned(), json!(reason.map(EndReason::name)));
            }
        }
        Value::Object(object)
    }
}

/// The limit that the last trials of a point broke first.
fn first_breach(spec: &SearchSpec, iteration: &Iteration) -> Value {
    let broken = spec.all_filters().zip(&iteration.outcome.observed).find(|(filter, value)| !filter.passes(**value));
    broken.map_or(Value::Null, |(filter, observed)| {
        let mut object = history::filter(filter);
        object["observed"] = json!(observed);
        object
    })
}

struct ValueVerdict {
    value: f64,
    /// What most of its iterations say; `None` if they are divided.
    passes: Option<bool>,
    /// The last iteration that says so.
    last: usize,
}

fn verdicts(iterations: &[Iteration]) -> Vec<ValueVerdict> {
    let mut values: Vec<f64> = iterations.iter().map(|iteration| iteration.point.only()).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let verdict = |value: f64| {
        let here = || {
            iterations.iter().enumerate().filter(move |(_, iteration)| iteration.point.only().total_cmp(&value).is_eq())
        };
        let passes = here().filter(|(_, iteration)| iteration.outcome.is_feasible).count();
        let fails = here().count() - passes;
        let passes = (passes != fails).then_some(passes > fails);
        let agrees =
            |(_, iteration): &(usize, &Iteration)| passes.is_none_or(|passes| iteration.outcome.is_feasible == passes);
        ValueVerdict { value, passes, last: here().rfind(agrees).map_or(0, |(index, _)| index) }
    };
    values.into_iter().map(verdict).collect()
}

/// For each iteration, whether its verdict contradicts those of earlier values: a pass above values that only failed, or a
/// failure below values that only passed.
pub(crate) fn contradictions(spec: &SearchSpec, iterations: &[Iteration]) -> Vec<bool> {
    if spec.space.len() != 1 {
        return vec![false; iterations.len()];
    }
    let contradicts = |index: usize| {
        let (value, passes) = (iterations[index].point.only(), iterations[index].outcome.is_feasible);
        verdicts(&iterations[..index]).iter().any(|other| {
            if passes {
                other.passes == Some(false) && other.value < value
            } else {
                other.passes == Some(true) && other.value > value
            }
        })
    };
    (0..iterations.len()).map(contradicts).collect()
}
