//! From options to a search: its space, its objective, its limits, and the rules between them.

use aiperf_config::{
    Acquisition, ConstraintMode, PlannerKind, Pooling, Sampler, SearchObjective, SearchSpec, SearchTuning, SlaFilter,
    Terminator,
};

use super::capacity;
use super::recipe::{self, GridRecipe};
use crate::catalogue::OptionId;
use crate::grammar::{search_space, sla_filter};
use crate::{ConfigError, RawOptions};

/// What options ask for beyond lists of values.
#[derive(Debug)]
pub(super) enum SearchRequest {
    None,
    Adaptive(Box<SearchSpec>),
    Grid(Box<GridRecipe>),
    /// The search for a capacity in one run.
    Capacity,
}

/// Options that say what is searched: a recipe says it itself.
const OF_THE_SPACE: [OptionId; 11] = [
    OptionId::SearchSpace,
    OptionId::SearchMetric,
    OptionId::SearchStat,
    OptionId::SearchDirection,
    OptionId::SearchPlanner,
    OptionId::SearchSlaTier,
    OptionId::OptunaSampler,
    OptionId::OptunaAcquisition,
    OptionId::OptunaTerminator,
    OptionId::SearchPercentilePooling,
    OptionId::BoConstraintMode,
];

/// Options of every search.
const TUNABLE: [OptionId; 3] =
    [OptionId::SearchMaxIterations, OptionId::SearchInitialPoints, OptionId::SearchRandomSeed];

/// Reads what was asked for; `streaming`: replies are streamed, which some recipes need.
pub(super) fn find(raw: &RawOptions, tuning: &SearchTuning, streaming: bool) -> Result<SearchRequest, ConfigError> {
    let given = |ids: &[OptionId]| ids.iter().copied().find(|id| raw.is_given(*id));
    if let Some(name) = raw.text(OptionId::SearchRecipe) {
        if let Some(id) = given(&OF_THE_SPACE) {
            return Err(raw.conflict(id, OptionId::SearchRecipe, "the recipe sets it"));
        }
        if capacity::is_recipe(name) {
            return Ok(SearchRequest::Capacity);
        }
        if let Some(id) = given(&capacity::OF_CAPACITY) {
            return Err(raw.needs_text(id, capacity::COMMANDS, "it is about the search for a capacity"));
        }
        return recipe::expand(raw, name, tuning, streaming);
    }
    if let Some(id) = given(&capacity::OF_CAPACITY) {
        return Err(raw.needs_text(id, capacity::COMMANDS, "it is about the search for a capacity"));
    }
    if let Some(id) = given(&recipe::INPUTS) {
        return Err(raw.needs(id, OptionId::SearchRecipe, "it is an input of recipes"));
    }
    if !raw.is_given(OptionId::SearchSpace) {
        if let Some(id) = given(&OF_THE_SPACE).or_else(|| given(&TUNABLE)) {
            return Err(raw.needs_text(id, "--search-space or --search-recipe", "it applies to searches"));
        }
        return Ok(SearchRequest::None);
    }
    let mut space = Vec::new();
    for text in raw.tokens(OptionId::SearchSpace) {
        let dimension = search_space::read(text).map_err(|why| raw.bad(OptionId::SearchSpace, text, &why))?;
        space.push(dimension);
    }
    let companion = |id: OptionId, why: &str| raw.text(id).ok_or_else(|| raw.needs(OptionId::SearchSpace, id, why));
    let metric = companion(OptionId::SearchMetric, "a search optimizes a metric")?.to_owned();
    companion(OptionId::SearchDirection, "a metric is maximized or minimized")?;
    let direction = raw.choice(OptionId::SearchDirection)?;
    companion(OptionId::SearchMaxIterations, "a search needs a maximum number of points")?;
    let most = raw.int(OptionId::SearchMaxIterations)?.unwrap_or(*SearchSpec::ITERATIONS.end());
    let stat = raw.choice(OptionId::SearchStat)?.unwrap_or("avg").to_owned();
    let mut spec = SearchSpec::new(PlannerKind::Bayesian, space, most).with(tuning);
    spec.objectives = vec![SearchObjective { metric, stat, maximize: direction == Some("maximize"), threshold: None }];
    apply(raw, &mut spec)?;
    Ok(SearchRequest::Adaptive(Box::new(spec)))
}

/// The limits of `--search-sla`.
pub(super) fn filters(raw: &RawOptions) -> Result<Vec<SlaFilter>, ConfigError> {
    let read = |text: &String| sla_filter::read(text).map_err(|why| raw.bad(OptionId::SearchSla, text, &why));
    raw.tokens(OptionId::SearchSla).iter().map(read).collect()
}

/// Lays options over a search that has a space and objectives, and checks the result.
pub(super) fn apply(raw: &RawOptions, spec: &mut SearchSpec) -> Result<(), ConfigError> {
    if let Some(most) = raw.int(OptionId::SearchMaxIterations)? {
        spec.max_iterations = most;
    }
    if let Some(points) = raw.int(OptionId::SearchInitialPoints)? {
        spec.initial_points = points;
    }
    spec.seed = raw.int(OptionId::SearchRandomSeed)?.or(spec.seed);
    if let Some(planner) = raw.choice(OptionId::SearchPlanner)?.and_then(PlannerKind::from_name) {
        spec.planner = planner;
    }
    if let Some(sampler) = raw.choice(OptionId::OptunaSampler)?.and_then(Sampler::from_name) {
        if spec.planner != PlannerKind::Optuna {
            return Err(raw.needs_text(
                OptionId::OptunaSampler,
                "--search-planner optuna",
                "other planners have their own",
            ));
        }
        spec.sampler = sampler;
    }
    if let Some(name) = raw.choice(OptionId::OptunaAcquisition)? {
        spec.acquisition = Acquisition::from_name(name);
    }
    if let Some(name) = raw.choice(OptionId::OptunaTerminator)? {
        spec.terminator = Terminator::from_name(name);
    }
    if let Some(pooling) = raw.choice(OptionId::SearchPercentilePooling)?.and_then(Pooling::from_name) {
        spec.pooling = pooling;
    }
    if let Some(mode) = raw.choice(OptionId::BoConstraintMode)?.and_then(ConstraintMode::from_name) {
        spec.constraint_mode = mode;
    }
    spec.sla_filters.extend(filters(raw)?);
    let tiers = raw.tokens(OptionId::SearchSlaTier);
    if !tiers.is_empty() {
        let read = sla_filter::read_tiers(tiers);
        spec.sla_tiers = read.map_err(|why| raw.bad(OptionId::SearchSlaTier, &tiers.join(" "), &why))?;
    }
    let in_words = |broken: BrokenRule| {
        let value = raw.text(broken.option).map_or(broken.value, ToOwned::to_owned);
        raw.bad(broken.option, &value, &broken.problem)
    };
    check(spec).map_err(in_words)?;
    let unused = |id: OptionId| {
        (raw.is_given(id) && spec.planner.is_sla()).then(|| {
            raw.needs_text(id, "--search-planner bayesian or optuna", "planners that look for a limit have no model")
        })
    };
    let of_models = [OptionId::OptunaAcquisition, OptionId::OptunaTerminator, OptionId::BoConstraintMode];
    match of_models.into_iter().find_map(unused) {
        Some(error) if spec.terminator.is_some() || !raw.is_given(OptionId::OptunaTerminator) => Err(error),
        _ => Ok(()),
    }
}

/// A rule of searches that is broken, by the option that it is about.
#[derive(Debug)]
struct BrokenRule {
    option: OptionId,
    value: String,
    problem: String,
}

/// The rules of every search, wherever it was written.
fn check(spec: &SearchSpec) -> Result<(), BrokenRule> {
    let broken = |option: OptionId, value: &str, problem: &str| {
        Err(BrokenRule { option, value: value.to_owned(), problem: problem.to_owned() })
    };
    for (place, dimension) in spec.space.iter().enumerate() {
        if let Err(problem) = search_space::check(dimension) {
            return broken(OptionId::SearchSpace, &dimension.path, &problem);
        }
        if spec.space[..place].iter().any(|other| other.path == dimension.path) {
            return broken(OptionId::SearchSpace, &dimension.path, "the path is there twice; give each dimension once");
        }
    }
    if !SearchSpec::ITERATIONS.contains(&spec.max_iterations) {
        let (least, most) = (SearchSpec::ITERATIONS.start(), SearchSpec::ITERATIONS.end());
        let problem = format!("must be a whole number from {least} to {most}");
        return broken(OptionId::SearchMaxIterations, &spec.max_iterations.to_string(), &problem);
    }
    let planner = spec.planner.name();
    let seeks_limit = spec.planner.is_sla() || !spec.sla_tiers.is_empty();
    if seeks_limit {
        let [dimension] = &spec.space[..] else {
            return broken(
                OptionId::SearchPlanner,
                planner,
                "looks for a limit along one dimension; give one --search-space",
            );
        };
        if !dimension.is_whole {
            return broken(
                OptionId::SearchPlanner,
                planner,
                "needs a dimension of whole numbers, such as concurrency:1,64:int",
            );
        }
    }
    if spec.planner.is_sla() && spec.sla_filters.is_empty() && spec.sla_tiers.is_empty() {
        return broken(
            OptionId::SearchPlanner,
            planner,
            "looks for the highest value that keeps limits; give at least one --search-sla",
        );
    }
    if !spec.sla_tiers.is_empty() {
        if let Err(problem) = sla_filter::check_tiers(&spec.sla_tiers) {
            return broken(OptionId::SearchSlaTier, "", &problem);
        }
        if !spec.sla_filters.is_empty() {
            return broken(
                OptionId::SearchSlaTier,
                "",
                "cannot be combined with limits outside of tiers; put the limit into each tier",
            );
        }
    }
    if !seeks_limit && spec.initial_points >= spec.max_iterations {
        let problem =
            format!("must be below the maximum number of points ({}), or no model is ever asked", spec.max_iterations);
        return broken(OptionId::SearchInitialPoints, &spec.initial_points.to_string(), &problem);
    }
    let percentile = |objective: &SearchObjective| objective.stat.starts_with('p');
    if spec.pooling == Pooling::Pooled && !spec.objectives.iter().all(percentile) {
        return broken(
            OptionId::SearchPercentilePooling,
            "pooled",
            "needs a percentile as statistic of the objective, such as p95",
        );
    }
    if let Some(acquisition) = spec.acquisition {
        let has_botorch = spec.planner == PlannerKind::Bayesian || spec.sampler == Sampler::Botorch;
        if !seeks_limit && !has_botorch {
            return broken(OptionId::OptunaAcquisition, acquisition.name(), "needs the botorch sampler");
        }
        if acquisition.is_multi_objective() != (spec.objectives.len() > 1) {
            let problem =
                if acquisition.is_multi_objective() { "is for several objectives" } else { "is for one objective" };
            return broken(OptionId::OptunaAcquisition, acquisition.name(), problem);
        }
    }
    if spec.terminator.is_some() && spec.objectives.len() > 1 {
        return broken(
            OptionId::OptunaTerminator,
            spec.terminator.map_or("", Terminator::name),
            "is for one objective",
        );
    }
    Ok(())
}
