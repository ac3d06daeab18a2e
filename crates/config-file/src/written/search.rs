//! The search that options mean, as `sweep` of a file has it.

use aiperf_config::{
    CapacitySearch, Pooling, Sampler, SearchDimension, SearchObjective, SearchSpec, SlaFilter, SlaTier, Terminator,
};
use aiperf_options::catalogue::OptionId;
use serde_json::{Map, Value, json};

use super::section::Writer;
use crate::field::CAPACITY;

/// Options that the fields of a search stand for, those of recipes included.
const OF_SEARCHES: [OptionId; 25] = [
    OptionId::SearchSpace,
    OptionId::SearchMetric,
    OptionId::SearchStat,
    OptionId::SearchDirection,
    OptionId::SearchMaxIterations,
    OptionId::SearchInitialPoints,
    OptionId::SearchRandomSeed,
    OptionId::SearchPlanner,
    OptionId::OptunaSampler,
    OptionId::OptunaAcquisition,
    OptionId::OptunaTerminator,
    OptionId::SearchPercentilePooling,
    OptionId::BoConstraintMode,
    OptionId::SearchSla,
    OptionId::SearchSlaTier,
    OptionId::SearchRecipe,
    OptionId::TtftSlaMs,
    OptionId::ItlSlaMs,
    OptionId::TpotSlaMs,
    OptionId::E2eSlaMs,
    OptionId::ErrorRateSla,
    OptionId::SearchStyle,
    OptionId::ConcurrencyMin,
    OptionId::ConcurrencyMax,
    OptionId::ParameterSweepCooldownSeconds,
];

/// The section of a search. A recipe that also sets SLOs is more than this section, and is left to the check that all is written.
pub(super) fn section(writer: &mut Writer<'_>, spec: &SearchSpec) -> Map<String, Value> {
    let mut section = Map::new();
    let mut put = |key: &str, value: Value| section.insert(key.to_owned(), value);
    put("type", json!("adaptive_search"));
    put("planner", json!(spec.planner.name()));
    put("searchSpace", spec.space.iter().map(dimension).collect());
    put("objectives", spec.objectives.iter().map(objective).collect());
    if !spec.sla_filters.is_empty() {
        put("slaFilters", spec.sla_filters.iter().map(filter).collect());
    }
    if !spec.sla_tiers.is_empty() {
        put("slaTiers", spec.sla_tiers.iter().map(tier).collect());
    }
    put("maxIterations", json!(spec.max_iterations));
    put("nInitialPoints", json!(spec.initial_points));
    if let Some(seed) = spec.seed {
        put("randomSeed", json!(seed));
    }
    if spec.sampler != Sampler::Botorch {
        put("optunaSampler", json!(spec.sampler.name()));
    }
    if let Some(acquisition) = spec.acquisition {
        put("optunaAcquisition", json!(acquisition.name()));
    }
    if let Some(terminator) = spec.terminator.map(Terminator::name) {
        put("optunaTerminator", json!(terminator));
    }
    if spec.pooling != Pooling::Mean {
        put("objectivePooling", json!(spec.pooling.name()));
    }
    put("constraintMode", json!(spec.constraint_mode.name()));
    if let Some(recipe) = &spec.recipe {
        put("recipeName", json!(recipe));
    }
    writer.put(&mut section, "cooldownSeconds", OptionId::ParameterSweepCooldownSeconds);
    for id in OF_SEARCHES {
        writer.take(id);
    }
    section
}

/// Options that stand for objectives of a search for a capacity, and the one that asks for it.
const OBJECTIVES: [OptionId; 6] = [
    OptionId::Slo,
    OptionId::TtftSlaMs,
    OptionId::ItlSlaMs,
    OptionId::TpotSlaMs,
    OptionId::E2eSlaMs,
    OptionId::SearchRecipe,
];

/// The section of a search for a capacity.
pub(super) fn capacity(writer: &mut Writer<'_>, search: &CapacitySearch) -> Map<String, Value> {
    for id in OBJECTIVES {
        writer.take(id);
    }
    let mut section = Map::new();
    section.insert("type".to_owned(), json!("capacity"));
    section.insert("slo".to_owned(), search.slos.iter().map(ToString::to_string).collect());
    section.extend(writer.section(CAPACITY));
    section
}

fn dimension(dimension: &SearchDimension) -> Value {
    let kind = if dimension.is_whole { "int" } else { "real" };
    let (lo, hi) = (dimension.json(dimension.lo), dimension.json(dimension.hi));
    let mut object = json!({"path": dimension.path, "lo": lo, "hi": hi, "kind": kind});
    if dimension.is_log {
        object["prior"] = json!("log-uniform");
    }
    object
}

fn objective(objective: &SearchObjective) -> Value {
    let direction = if objective.maximize { "maximize" } else { "minimize" };
    json!({"metric": objective.metric, "stat": objective.stat, "direction": direction})
}

fn filter(filter: &SlaFilter) -> Value {
    json!({"metricTag": filter.metric, "stat": filter.stat, "op": filter.op.name(), "threshold": filter.threshold})
}

fn tier(tier: &SlaTier) -> Value {
    json!({"label": tier.label, "filters": tier.filters.iter().map(filter).collect::<Vec<_>>(), "orderingRank": tier.rank})
}
