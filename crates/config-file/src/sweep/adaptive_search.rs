//! `type: adaptive_search`: a search whose points are chosen while it runs.

mod lists;

use std::time::Duration;

use aiperf_config::{
    Acquisition, ConstraintMode, PlannerKind, Pooling, Sampler, SearchSpec, SearchTuning, SlaPrecision, Terminator,
};

use super::sla_filters::{self, number};
use crate::FileError;
use crate::body::duration_seconds;
use crate::names::snake;
use crate::yaml::{Entry, Node, NodeValue};

/// The fields of a search, next to those of all sweeps.
pub(super) const FIELDS: [&str; 20] = [
    "planner",
    "search_space",
    "objectives",
    "outcome_constraints",
    "max_iterations",
    "n_initial_points",
    "plateau_window",
    "plateau_threshold",
    "improvement_patience",
    "random_seed",
    "optuna_sampler",
    "optuna_acquisition",
    "optuna_terminator",
    "objective_pooling",
    "constraint_mode",
    "monotonic_stability_trials",
    "sla_replicates",
    "sla_precision",
    "sla_warmup_seconds",
    "sla_tiers",
];

/// Reads a search. Rules between its fields are those of `aiperf_options`.
pub(super) fn read(node: &Node, tuning: &SearchTuning) -> Result<SearchSpec, FileError> {
    let missing = |name: &str| FileError::at(node.position, "sweep", format!("an adaptive_search needs `{name}`"));
    let field = |name: &str| node.entries().iter().find(|entry| snake(&entry.key) == name);
    let space = lists::space(field("search_space").ok_or_else(|| missing("searchSpace"))?)?;
    let most = whole(field("max_iterations").ok_or_else(|| missing("maxIterations"))?)?;
    let mut spec = SearchSpec::new(PlannerKind::Bayesian, space, most).with(tuning);
    spec.objectives = lists::objectives(field("objectives").ok_or_else(|| missing("objectives"))?)?;
    for entry in node.entries() {
        let path = format!("sweep.{}", entry.key);
        match snake(&entry.key).as_str() {
            _ if entry.value.value == NodeValue::Null => {}
            "planner" => spec.planner = named(entry, PlannerKind::from_name, PlannerKind::NAMES)?,
            "outcome_constraints" => spec.outcome_constraints = lists::constraints(entry)?,
            "sla_filters" => spec.sla_filters = sla_filters::read(&entry.value, &path)?,
            "sla_tiers" => spec.sla_tiers = lists::tiers(entry)?,
            "n_initial_points" => spec.initial_points = whole(entry)?,
            "plateau_window" => spec.plateau_window = whole(entry)?,
            "plateau_threshold" => spec.plateau_threshold = number(&entry.value, &path)?,
            "improvement_patience" => spec.improvement_patience = whole(entry)?,
            "random_seed" => spec.seed = Some(whole(entry)? as u64),
            "optuna_sampler" => spec.sampler = named(entry, Sampler::from_name, Sampler::NAMES)?,
            "optuna_acquisition" => {
                spec.acquisition = Some(named(entry, Acquisition::from_name, Acquisition::NAMES)?);
            }
            "optuna_terminator" => {
                let is_none = entry.value.word().as_deref() == Some("none");
                spec.terminator =
                    if is_none { None } else { Some(named(entry, Terminator::from_name, Terminator::NAMES)?) };
            }
            "objective_pooling" => spec.pooling = named(entry, Pooling::from_name, Pooling::NAMES)?,
            "constraint_mode" => spec.constraint_mode = named(entry, ConstraintMode::from_name, ConstraintMode::NAMES)?,
            "monotonic_stability_trials" => spec.stability_trials = whole(entry)?,
            "sla_replicates" => spec.sla_replicates = Some(whole(entry)?).filter(|count| *count > 0),
            "sla_precision" => {
                spec.probe_requests = tuning.requests(named(entry, SlaPrecision::from_name, SlaPrecision::NAMES)?);
            }
            "sla_warmup_seconds" => {
                let wrong = |problem: String| FileError::at(entry.value.position, path.as_str(), problem);
                let seconds = duration_seconds(&entry.value).map_err(wrong)?;
                let seconds = seconds.parse().map_err(|_| wrong("must be a number of seconds".to_owned()))?;
                spec.sla_warmup.base =
                    Duration::try_from_secs_f64(seconds).map_err(|error| wrong(error.to_string()))?;
            }
            "recipe_name" => spec.recipe = entry.value.word(),
            _ => {}
        }
    }
    Ok(spec)
}

/// One of several names.
fn named<T>(entry: &Entry, from_name: fn(&str) -> Option<T>, names: &[&str]) -> Result<T, FileError> {
    let word = entry.value.word().unwrap_or_default();
    from_name(&word).ok_or_else(|| wrong(entry, format!("{word:?} is not one of {}", names.join(", "))))
}

fn whole(entry: &Entry) -> Result<usize, FileError> {
    match entry.value.value {
        NodeValue::Int(value) if value >= 0 => Ok(value as usize),
        _ => Err(wrong(entry, format!("must be a whole number of at least 0, not {}", entry.value.kind()))),
    }
}

fn wrong(entry: &Entry, problem: String) -> FileError {
    FileError::at(entry.value.position, format!("sweep.{}", entry.key), problem)
}
