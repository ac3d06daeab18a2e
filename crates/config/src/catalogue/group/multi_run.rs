//! Multi-Run: repeated runs, sweeps and searches.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(OptionId::NumProfileRuns, &["num-profile-runs"], ValueKind::Int, "Runs of each configuration.")
        .at_least(1.0)
        .at_most(10.0)
        .default("1")
        .supported(),
    OptionSpec::new(
        OptionId::ProfileRunCooldownSeconds,
        &["profile-run-cooldown-seconds"],
        ValueKind::Float,
        "Pause between two runs.",
    )
    .at_least(0.0)
    .unit("s")
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::ConfidenceLevel,
        &["confidence-level"],
        ValueKind::Float,
        "Level of the confidence intervals.",
    )
    .above(0.0)
    .below(1.0)
    .default("0.95")
    .supported(),
    OptionSpec::new(
        OptionId::ProfileRunDisableWarmupAfterFirst,
        &["profile-run-disable-warmup-after-first"],
        ValueKind::Flag,
        "Warm up before the first run only.",
    )
    .negative("no-profile-run-disable-warmup-after-first")
    .default("true")
    .supported(),
    OptionSpec::new(
        OptionId::SetConsistentSeed,
        &["set-consistent-seed"],
        ValueKind::Flag,
        "Take seed 42 for several runs or a sweep when none is given.",
    )
    .negative("no-set-consistent-seed")
    .default("true")
    .supported(),
    OptionSpec::new(
        OptionId::VarySeedPerTrial,
        &["vary-seed-per-trial"],
        ValueKind::Flag,
        "Give each run a seed of its own.",
    )
    .negative("no-vary-seed-per-trial")
    .supported(),
    OptionSpec::new(
        OptionId::ConvergenceMetric,
        &["convergence-metric"],
        ValueKind::Text,
        "Stop repeating when this metric has settled.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::ConvergenceStat,
        &["convergence-stat"],
        ValueKind::Choice(&["avg", "p50", "p90", "p95", "p99", "min", "max"]),
        "Statistic of that metric to watch.",
    )
    .default("avg")
    .supported(),
    OptionSpec::new(
        OptionId::ConvergenceThreshold,
        &["convergence-threshold"],
        ValueKind::Float,
        "Limit below which it has settled.",
    )
    .above(0.0)
    .below(1.0)
    .default("by --convergence-mode")
    .supported(),
    OptionSpec::new(
        OptionId::ConvergenceMode,
        &["convergence-mode"],
        ValueKind::Choice(&["ci_width", "cv", "distribution"]),
        "What must fall below the limit.",
    )
    .default("ci_width")
    .supported(),
    OptionSpec::new(
        OptionId::ParameterSweepCooldownSeconds,
        &["parameter-sweep-cooldown-seconds"],
        ValueKind::Float,
        "Pause between two points of a sweep.",
    )
    .at_least(0.0)
    .unit("s")
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::ParameterSweepSameSeed,
        &["parameter-sweep-same-seed"],
        ValueKind::Flag,
        "Use one seed for all points of a sweep.",
    )
    .negative("no-parameter-sweep-same-seed")
    .supported(),
    OptionSpec::new(
        OptionId::ParameterSweepMode,
        &["parameter-sweep-mode"],
        ValueKind::Choice(&["independent", "repeated"]),
        "Whether all points are run before any is repeated.",
    )
    .default("repeated")
    .supported(),
    OptionSpec::new(
        OptionId::SweepType,
        &["sweep-type"],
        ValueKind::Literal(&["grid", "zip"]),
        "Whether several lists are combined each with each or side by side.",
    )
    .default("grid")
    .supported(),
    OptionSpec::new(
        OptionId::NoSweepTable,
        &["no-sweep-table"],
        ValueKind::Flag,
        "Do not print a table for each point of a sweep.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::SearchSpace,
        &["search-space"],
        ValueKind::Text,
        "Dimension to search: `path:low,high[:int or :real]`.",
    )
    .repeatable(),
    OptionSpec::new(OptionId::SearchMetric, &["search-metric"], ValueKind::Text, "Metric to search by."),
    OptionSpec::new(
        OptionId::SearchStat,
        &["search-stat"],
        ValueKind::Literal(&["avg", "p50", "p90", "p95", "p99"]),
        "Statistic of that metric.",
    )
    .default("avg"),
    OptionSpec::new(
        OptionId::SearchDirection,
        &["search-direction"],
        ValueKind::Literal(&["maximize", "minimize"]),
        "Whether more or less of it is better.",
    ),
    OptionSpec::new(OptionId::SearchMaxIterations, &["search-max-iterations"], ValueKind::Int, "Most points to try.")
        .at_least(2.0)
        .at_most(200.0),
    OptionSpec::new(
        OptionId::SearchInitialPoints,
        &["search-initial-points"],
        ValueKind::Int,
        "Points to try before the model guides the search.",
    )
    .at_least(1.0)
    .default("5"),
    OptionSpec::new(OptionId::SearchRandomSeed, &["search-random-seed"], ValueKind::Int, "Seed of the search.")
        .at_least(0.0),
    OptionSpec::new(
        OptionId::SearchPlanner,
        &["search-planner"],
        ValueKind::Choice(&["bayesian", "monotonic_sla", "smooth_isotonic", "optuna"]),
        "How the next point is chosen.",
    )
    .default("bayesian"),
    OptionSpec::new(
        OptionId::OptunaSampler,
        &["optuna-sampler"],
        ValueKind::Literal(&["gp", "tpe", "botorch"]),
        "Sampler of the optuna planner.",
    )
    .default("botorch, else tpe"),
    OptionSpec::new(
        OptionId::OptunaAcquisition,
        &["optuna-acquisition"],
        ValueKind::Literal(&["logei", "qlogei", "qnei", "qlognei", "qehvi", "qnehvi", "qlognehvi"]),
        "Acquisition function of the botorch sampler.",
    )
    .default("by objectives"),
    OptionSpec::new(
        OptionId::OptunaTerminator,
        &["optuna-terminator"],
        ValueKind::Literal(&["regret", "emmr", "none"]),
        "Further rule that ends the search.",
    ),
    OptionSpec::new(
        OptionId::SearchPercentilePooling,
        &["search-percentile-pooling"],
        ValueKind::Literal(&["mean", "pooled"]),
        "Whether a percentile over several runs is their mean or taken from all their samples.",
    )
    .default("mean"),
    OptionSpec::new(
        OptionId::BoConstraintMode,
        &["bo-constraint-mode"],
        ValueKind::Literal(&["penalty", "eic"]),
        "How a Bayesian search treats its limits.",
    )
    .default("penalty"),
    OptionSpec::new(
        OptionId::Variant,
        &["variant", "sweep-variant"],
        ValueKind::Text,
        "One hand-picked point of a sweep: `[name:] option=value, ...`.",
    )
    .repeatable(),
    OptionSpec::new(
        OptionId::SearchSla,
        &["search-sla"],
        ValueKind::Text,
        "Limit that a point must keep: `metric:stat:op:threshold`.",
    )
    .repeatable(),
    OptionSpec::new(
        OptionId::SearchSlaTier,
        &["search-sla-tier"],
        ValueKind::Text,
        "Group of such limits: `[label:]limit[,limit...]`.",
    )
    .repeatable(),
    OptionSpec::new(OptionId::SearchRecipe, &["search-recipe"], ValueKind::Text, "Ready-made sweep or search."),
    OptionSpec::new(
        OptionId::TtftSlaMs,
        &["ttft-sla-ms"],
        ValueKind::Float,
        "Limit of the time to first token for recipes (p95).",
    )
    .above(0.0)
    .unit("ms"),
    OptionSpec::new(
        OptionId::IslOslPairs,
        &["isl-osl-pairs"],
        ValueKind::Text,
        "Input and output lengths for the pareto-sweep recipe, such as `128/128,512/256`.",
    ),
    OptionSpec::new(
        OptionId::ItlSlaMs,
        &["itl-sla-ms"],
        ValueKind::Float,
        "Limit of the inter-token latency for recipes (p95).",
    )
    .above(0.0)
    .unit("ms"),
    OptionSpec::new(OptionId::TpotSlaMs, &["tpot-sla-ms"], ValueKind::Float, "Another name for the inter-token limit.")
        .above(0.0)
        .unit("ms"),
    OptionSpec::new(
        OptionId::E2eSlaMs,
        &["e2e-sla-ms"],
        ValueKind::Float,
        "Limit of the request latency for recipes (p99).",
    )
    .above(0.0)
    .unit("ms"),
    OptionSpec::new(
        OptionId::ErrorRateSla,
        &["error-rate-sla"],
        ValueKind::Float,
        "Largest share of failed requests for recipes.",
    )
    .above(0.0)
    .below(1.0),
    OptionSpec::new(
        OptionId::SloAttainmentFraction,
        &["slo-attainment-fraction"],
        ValueKind::Float,
        "Share of requests that must be good.",
    )
    .above(0.0)
    .at_most(1.0)
    .default("0.95"),
    OptionSpec::new(
        OptionId::SearchStyle,
        &["search-style"],
        ValueKind::Literal(&["smooth_isotonic", "monotonic", "bo", "optuna", "grid"]),
        "Algorithm of the max-concurrency-under-sla recipe.",
    )
    .default("smooth_isotonic"),
    OptionSpec::new(
        OptionId::DegradationThreshold,
        &["degradation-threshold"],
        ValueKind::Float,
        "Relative worsening that counts as the knee.",
    )
    .above(0.0)
    .below(1.0)
    .default("0.2"),
    OptionSpec::new(
        OptionId::DegradationMetricTag,
        &["degradation-metric-tag"],
        ValueKind::Text,
        "Metric in which the knee is looked for.",
    )
    .default("request_latency"),
    OptionSpec::new(
        OptionId::DegradationStat,
        &["degradation-stat"],
        ValueKind::Literal(&["avg", "p50", "p90", "p95", "p99"]),
        "Statistic in which the knee is looked for.",
    )
    .default("p99"),
    OptionSpec::new(OptionId::IslMin, &["isl-min"], ValueKind::Int, "Shortest input of a recipe.")
        .at_least(1.0)
        .unit("tokens")
        .default("256"),
    OptionSpec::new(OptionId::IslMax, &["isl-max"], ValueKind::Int, "Longest input of a recipe.")
        .at_least(1.0)
        .unit("tokens")
        .default("32768"),
    OptionSpec::new(OptionId::IslSteps, &["isl-steps"], ValueKind::Int, "Number of input lengths of a recipe.")
        .at_least(2.0)
        .default("8"),
    OptionSpec::new(OptionId::ConcurrencyMin, &["concurrency-min"], ValueKind::Int, "Lowest concurrency of a recipe.")
        .at_least(1.0)
        .default("1"),
    OptionSpec::new(OptionId::ConcurrencyMax, &["concurrency-max"], ValueKind::Int, "Highest concurrency of a recipe.")
        .at_least(1.0)
        .default("by recipe"),
    OptionSpec::new(
        OptionId::ConcurrencySteps,
        &["concurrency-steps"],
        ValueKind::Int,
        "Number of concurrencies of a recipe.",
    )
    .at_least(2.0)
    .default("by recipe"),
    OptionSpec::new(OptionId::OslMin, &["osl-min"], ValueKind::Int, "Shortest output of a recipe.")
        .at_least(1.0)
        .unit("tokens")
        .default("64"),
    OptionSpec::new(OptionId::OslMax, &["osl-max"], ValueKind::Int, "Longest output of a recipe.")
        .at_least(1.0)
        .unit("tokens")
        .default("1024"),
    OptionSpec::new(OptionId::OslSteps, &["osl-steps"], ValueKind::Int, "Number of output lengths of a recipe.")
        .at_least(2.0)
        .default("4"),
];
