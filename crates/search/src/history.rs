//! The history of a search as `search_history.json` has it.

use aiperf_config::{
    Acquisition, OutcomeConstraint, SearchDimension, SearchObjective, SearchSpec, SlaFilter, Terminator,
};
use serde_json::{Map, Value, json};

use crate::boundary::{self, BoundaryEstimate, BoundarySummary};
use crate::{EndReason, Outcome, Planner, SearchPoint, pareto, tier_results};

/// One point with what was measured there.
#[derive(Debug, Clone, PartialEq)]
pub struct Iteration {
    pub point: SearchPoint,
    pub outcome: Outcome,
}

/// The whole file; `reason` is there once the search has ended. `metrics` gives the numbers of an iteration.
pub(crate) fn history(
    spec: &SearchSpec,
    iterations: &[Iteration],
    planner: &dyn Planner,
    reason: Option<EndReason>,
    metrics: &dyn Fn(usize) -> Value,
) -> Value {
    let warnings = boundary::contradictions(spec, iterations);
    let rows: Vec<Value> = iterations
        .iter()
        .zip(warnings)
        .enumerate()
        .map(|(index, (iteration, warning))| {
            json!({
                "iteration_idx": index,
                "variation_values": iteration.point.values(&spec.space),
                "objective_values": iteration.outcome.objectives,
                "feasible": iteration.outcome.is_feasible,
                "non_monotonic_warning": warning,
            })
        })
        .collect();
    let estimate = planner.boundary();
    let boundary =
        BoundarySummary::of(spec, iterations).map(|summary| summary.json(spec, iterations, estimate.as_ref(), reason));
    let mut file = Map::new();
    let mut put = |key: &str, value: Value| file.insert(key.to_owned(), value);
    put("config", config(spec));
    put("iterations", Value::from(rows));
    put("best_trials", Value::from(best_trials(spec, iterations)));
    put("boundary_summary", boundary.unwrap_or_default());
    if let Some(BoundaryEstimate::Tiers(tiers)) = &estimate {
        put("tier_results", Value::from(tier_results::results(spec, iterations, tiers, metrics)));
        put("tier_metadata", tier_results::metadata(spec, iterations.len(), tiers));
    }
    put("recipe", json!(spec.recipe));
    put("convergence_reason", json!(reason.map(EndReason::name)));
    Value::Object(file)
}

/// All that a search is told before it begins: two searches with the same settings ask for the same points.
pub fn search_settings(spec: &SearchSpec) -> Value {
    let mut settings = config(spec);
    settings["priors"] =
        spec.space.iter().map(|dimension| if dimension.is_log { "log-uniform" } else { "uniform" }).collect();
    settings["sampler"] = json!(spec.sampler.name());
    settings["acquisition"] = json!(spec.acquisition.map(Acquisition::name));
    settings["terminator"] = json!(spec.terminator.map(Terminator::name));
    settings["objective_pooling"] = json!(spec.pooling.name());
    settings["constraint_mode"] = json!(spec.constraint_mode.name());
    settings["stability_trials"] = json!(spec.stability_trials);
    settings["sla_replicates"] = json!(spec.sla_replicates);
    settings["probe_requests"] = json!(spec.probe_requests);
    let warmup = spec.sla_warmup;
    settings["probe_warmup_seconds"] =
        json!([warmup.base.as_secs_f64(), warmup.first.as_secs_f64(), warmup.repeat.as_secs_f64()]);
    settings["bracket_precision"] = json!(spec.bracket_precision);
    settings
}

fn config(spec: &SearchSpec) -> Value {
    let objective = |objective: &SearchObjective| {
        let direction = if objective.maximize { "MAXIMIZE" } else { "MINIMIZE" };
        json!({"metric": objective.metric, "stat": objective.stat, "direction": direction, "threshold": objective.threshold})
    };
    let constraint = |constraint: &OutcomeConstraint| json!({"metric": constraint.metric, "op": constraint.op.sign(), "bound": constraint.bound});
    let dimension = |dimension: &SearchDimension| {
        let kind = if dimension.is_whole { "int" } else { "real" };
        json!({"path": dimension.path, "lo": dimension.lo, "hi": dimension.hi, "kind": kind})
    };
    let mut config = json!({
        "planner": spec.plugin.as_deref().unwrap_or_else(|| spec.planner.name()),
        "objectives": spec.objectives.iter().map(objective).collect::<Vec<_>>(),
        "outcome_constraints": spec.outcome_constraints.iter().map(constraint).collect::<Vec<_>>(),
        "max_iterations": spec.max_iterations,
        "n_initial_points": spec.initial_points,
        "random_seed": spec.seed,
        "improvement_patience": spec.improvement_patience,
        "plateau_window": spec.plateau_window,
        "plateau_threshold": spec.plateau_threshold,
        "search_space": spec.space.iter().map(dimension).collect::<Vec<_>>(),
        "sla_filters": spec.sla_filters.iter().map(filter).collect::<Vec<_>>(),
    });
    if let (false, Some(object)) = (spec.sla_tiers.is_empty(), config.as_object_mut()) {
        let tiers: Vec<Value> = spec
            .sla_tiers
            .iter()
            .map(|tier| {
                let filters: Vec<Value> = tier.filters.iter().map(filter).collect();
                json!({"label": tier.label, "filters": filters})
            })
            .collect();
        object.insert("tiers".to_owned(), Value::from(tiers));
    }
    config
}

pub(crate) fn filter(filter: &SlaFilter) -> Value {
    json!({"metric_tag": filter.metric, "stat": filter.stat, "op": filter.op.name(), "threshold": filter.threshold})
}

/// The best point, or the front of several objectives: of the feasible points, or of all if there are none.
fn best_trials(spec: &SearchSpec, iterations: &[Iteration]) -> Vec<Value> {
    let feasible_count = iterations.iter().filter(|iteration| iteration.outcome.is_feasible).count();
    let counts = |iteration: &Iteration| feasible_count == 0 || iteration.outcome.is_feasible;
    let measured: Vec<(usize, Vec<f64>)> = iterations
        .iter()
        .enumerate()
        .filter(|(_, iteration)| counts(iteration))
        .filter_map(|(index, iteration)| Some((index, pareto::gains(spec, &iteration.outcome.all_objectives()?))))
        .collect();
    let gains: Vec<Vec<f64>> = measured.iter().map(|(_, gains)| gains.clone()).collect();
    let mut best: Vec<usize> = measured
        .iter()
        .zip(pareto::ranks(&gains))
        .filter(|(_, rank)| *rank == 0)
        .map(|((index, _), _)| *index)
        .collect();
    if spec.objectives.len() == 1 {
        // Equal values: the first of them.
        best.truncate(1);
    }
    best.into_iter()
        .map(|index| {
            let iteration = &iterations[index];
            json!({
                "iteration_idx": index,
                "objective_values": iteration.outcome.objectives,
                "variation_values": iteration.point.values(&spec.space),
                "feasible": iteration.outcome.is_feasible,
                "feasible_count": feasible_count,
                "pareto_rank": 0,
            })
        })
        .collect()
}
