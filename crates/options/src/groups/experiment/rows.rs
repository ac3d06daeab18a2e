//! Multi-Run: repeated runs, sweeps and searches.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(crate) const MULTI_RUN: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::NumProfileRuns,
        &["num-profile-runs"],
        ValueKind::Int,
        "Number of runs per configuration.",
    )
    .at_least(1.0)
    .at_most(10.0)
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::ProfileRunCooldownSeconds,
        &["profile-run-cooldown-seconds"],
        ValueKind::Float,
        "Pause between two runs of the same configuration.",
    )
    .at_least(0.0)
    .unit("s")
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::ConfidenceLevel,
        &["confidence-level"],
        ValueKind::Float,
        "Confidence level of the intervals over several runs.",
    )
    .above(0.0)
    .below(1.0)
    .default("0.95")
    .supported(),
    OptionSpec::new(
        OptionId::ProfileRunDisableWarmupAfterFirst,
        &["profile-run-disable-warmup-after-first"],
        ValueKind::Flag,
        "Warm up before the first run of a configuration only.",
    )
    .negative("no-profile-run-disable-warmup-after-first", "Warm up before every run of a configuration.")
    .default("true")
    .supported(),
    OptionSpec::new(
        OptionId::SetConsistentSeed,
        &["set-consistent-seed"],
        ValueKind::Flag,
        "Use seed 42 for repeated runs and sweeps if --random-seed is not given.",
    )
    .negative("no-set-consistent-seed", "Use a new seed for each run if --random-seed is not given.")
    .default("true")
    .supported(),
    OptionSpec::new(
        OptionId::VarySeedPerTrial,
        &["vary-seed-per-trial"],
        ValueKind::Flag,
        "Use a different seed for each repeated run.",
    )
    .negative("no-vary-seed-per-trial", "Use the same seed for all repeated runs.")
    .supported(),
    OptionSpec::new(
        OptionId::ConvergenceMetric,
        &["convergence-metric"],
        ValueKind::Text,
        "Stop repeating runs when this metric has converged.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::ConvergenceStat,
        &["convergence-stat"],
        ValueKind::Choice(&["avg", "p50", "p90", "p95", "p99", "min", "max"]),
        "Statistic of --convergence-metric to watch.",
    )
    .default("avg")
    .supported(),
    OptionSpec::new(
        OptionId::ConvergenceThreshold,
        &["convergence-threshold"],
        ValueKind::Float,
        "Threshold of --convergence-mode at which --convergence-metric has converged.",
    )
    .above(0.0)
    .below(1.0)
    .default("by --convergence-mode")
    .supported(),
    OptionSpec::new(
        OptionId::ConvergenceMode,
        &["convergence-mode"],
        ValueKind::Choice(&["ci_width", "cv", "distribution"]),
        "When --convergence-metric has converged: its confidence interval is narrow (`ci_width`), its \
         coefficient of variation is small (`cv`), or the last run looks like the earlier ones \
         (`distribution`).",
    )
    .default("ci_width")
    .supported(),
    OptionSpec::new(
        OptionId::ConvergenceMinRuns,
        &["convergence-min-runs"],
        ValueKind::Int,
        "Number of runs before --convergence-metric is looked at.",
    )
    .at_least(2.0)
    .default("2")
    .ours()
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
    .negative("no-parameter-sweep-same-seed", "Use a different seed for each point of a sweep.")
    .supported(),
    OptionSpec::new(
        OptionId::ParameterSweepMode,
        &["parameter-sweep-mode"],
        ValueKind::Choice(&["independent", "repeated"]),
        "Order of a sweep with repeated runs: all points, then all points again (`repeated`), or all \
         runs of a point, then the next point (`independent`).",
    )
    .default("repeated")
    .supported(),
    OptionSpec::new(
        OptionId::SweepType,
        &["sweep-type"],
        ValueKind::Literal(&["grid", "zip"]),
        "How several lists of a sweep are combined: each value with each (`grid`), or first with first, \
         second with second (`zip`).",
    )
    .default("grid")
    .supported(),
    OptionSpec::new(
        OptionId::NoSweepTable,
        &["no-sweep-table"],
        ValueKind::Flag,
        "Do not print the table that grows while a sweep runs, nor a table for each point.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::FailFast,
        &["fail-fast"],
        ValueKind::Flag,
        "End a sweep or repeated runs at the first run that fails.",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::Resume,
        &["resume"],
        ValueKind::Text,
        "Continue the sweep or the repeated runs in this folder. Runs that are complete are kept.",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::DryRun,
        &["dry-run"],
        ValueKind::Flag,
        "Show the runs, their requests, and the expected time and disk space. Only a short probe is sent.",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::SearchSpace,
        &["search-space"],
        ValueKind::Text,
        "Dimension to search: `path:low,high[:int or :real]`.",
    )
    .repeatable()
    .supported(),
    OptionSpec::new(OptionId::SearchMetric, &["search-metric"], ValueKind::Text, "Metric that the search optimizes.")
        .supported(),
    OptionSpec::new(
        OptionId::SearchStat,
        &["search-stat"],
        ValueKind::Literal(&["avg", "p50", "p90", "p95", "p99"]),
        "Statistic of --search-metric that the search optimizes.",
    )
    .default("avg")
    .supported(),
    OptionSpec::new(
        OptionId::SearchDirection,
        &["search-direction"],
        ValueKind::Literal(&["maximize", "minimize"]),
        "Whether a larger or a smaller --search-metric is better.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::SearchMaxIterations,
        &["search-max-iterations"],
        ValueKind::Int,
        "Maximum number of points to try in a search.",
    )
    .at_least(2.0)
    .at_most(200.0)
    .supported(),
    OptionSpec::new(
        OptionId::SearchInitialPoints,
        &["search-initial-points"],
        ValueKind::Int,
        "Number of points to try before the model guides the search. Planners without a model (`monotonic_sla`, `smooth_isotonic`) do not use it.",
    )
    .at_least(1.0)
    .default("5")
    .supported(),
    OptionSpec::new(OptionId::SearchRandomSeed, &["search-random-seed"], ValueKind::Int, "Seed of the search.")
        .at_least(0.0)
        .supported(),
    OptionSpec::new(
        OptionId::SearchPlanner,
        &["search-planner"],
        ValueKind::Choice(&["bayesian", "monotonic_sla", "smooth_isotonic", "optuna"]),
        "How a search chooses its next point.",
    )
    .default("bayesian")
    .supported(),
    OptionSpec::new(
        OptionId::OptunaSampler,
        &["optuna-sampler"],
        ValueKind::Literal(&["gp", "tpe", "botorch"]),
        "Sampler of the optuna planner.",
    )
    .default("botorch, else tpe")
    .supported(),
    OptionSpec::new(
        OptionId::OptunaAcquisition,
        &["optuna-acquisition"],
        ValueKind::Literal(&["logei", "qlogei", "qnei", "qlognei", "qehvi", "qnehvi", "qlognehvi"]),
        "Acquisition function of the botorch sampler.",
    )
    .default("by objectives")
    .supported(),
    OptionSpec::new(
        OptionId::OptunaTerminator,
        &["optuna-terminator"],
        ValueKind::Literal(&["regret", "emmr", "none"]),
        "Additional rule that ends an Optuna search.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::SearchPercentilePooling,
        &["search-percentile-pooling"],
        ValueKind::Literal(&["mean", "pooled"]),
        "Whether a percentile over several runs is their mean or taken from all their samples.",
    )
    .default("mean")
    .supported(),
    OptionSpec::new(
        OptionId::BoConstraintMode,
        &["bo-constraint-mode"],
        ValueKind::Literal(&["penalty", "eic"]),
        "How a Bayesian search treats its SLA limits.",
    )
    .default("penalty")
    .supported(),
    OptionSpec::new(
        OptionId::Variant,
        &["variant", "sweep-variant"],
        ValueKind::Text,
        "One hand-picked point of a sweep: `[name:] option=value, ...`. Give it at least twice.",
    )
    .repeatable()
    .supported(),
    OptionSpec::new(
        OptionId::SearchSla,
        &["search-sla"],
        ValueKind::Text,
        "SLA limit that a point must meet: `metric:stat:op:threshold`.",
    )
    .repeatable()
    .supported(),
    OptionSpec::new(
        OptionId::SearchSlaTier,
        &["search-sla-tier"],
        ValueKind::Text,
        "Group of SLA limits of a search: `[label:]limit[,limit...]`.",
    )
    .repeatable()
    .supported(),
    OptionSpec::new(
        OptionId::SearchRecipe,
        &["search-recipe"],
        ValueKind::Text,
        "Name of a ready-made sweep or search.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::TtftSlaMs,
        &["ttft-sla-ms"],
        ValueKind::Float,
        "Limit of the time to first token for recipes (p95).",
    )
    .above(0.0)
    .unit("ms")
    .supported(),
    OptionSpec::new(
        OptionId::IslOslPairs,
        &["isl-osl-pairs"],
        ValueKind::Text,
        "Input and output lengths for the pareto-sweep recipe, such as `128/128,512/256`.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::ItlSlaMs,
        &["itl-sla-ms"],
        ValueKind::Float,
        "Limit of the inter-token latency for recipes (p95).",
    )
    .above(0.0)
    .unit("ms")
    .supported(),
    OptionSpec::new(OptionId::TpotSlaMs, &["tpot-sla-ms"], ValueKind::Float, "Another name for --itl-sla-ms.")
        .above(0.0)
        .unit("ms")
        .supported(),
    OptionSpec::new(
        OptionId::E2eSlaMs,
        &["e2e-sla-ms"],
        ValueKind::Float,
        "Limit of the request latency for recipes (p99).",
    )
    .above(0.0)
    .unit("ms")
    .supported(),
    OptionSpec::new(
        OptionId::ErrorRateSla,
        &["error-rate-sla"],
        ValueKind::Float,
        "Maximum share of failed requests for recipes.",
    )
    .above(0.0)
    .below(1.0)
    .supported(),
    OptionSpec::new(
        OptionId::SloAttainmentFraction,
        &["slo-attainment-fraction"],
        ValueKind::Float,
        "Share of requests that must meet the SLO limits, for recipes.",
    )
    .above(0.0)
    .at_most(1.0)
    .default("0.95")
    .supported(),
    OptionSpec::new(
        OptionId::SearchStyle,
        &["search-style"],
        ValueKind::Literal(&["smooth_isotonic", "monotonic", "bo", "optuna", "grid"]),
        "Algorithm of the max-concurrency-under-sla recipe.",
    )
    .default("smooth_isotonic")
    .supported(),
    OptionSpec::new(
        OptionId::DegradationThreshold,
        &["degradation-threshold"],
        ValueKind::Float,
        "Relative degradation that a recipe counts as the knee.",
    )
    .above(0.0)
    .below(1.0)
    .default("0.2")
    .supported(),
    OptionSpec::new(
        OptionId::DegradationMetricTag,
        &["degradation-metric-tag"],
        ValueKind::Text,
        "Metric in which a recipe looks for the knee.",
    )
    .default("request_latency")
    .supported(),
    OptionSpec::new(
        OptionId::DegradationStat,
        &["degradation-stat"],
        ValueKind::Literal(&["avg", "p50", "p90", "p95", "p99"]),
        "Statistic in which a recipe looks for the knee.",
    )
    .default("p99")
    .supported(),
    OptionSpec::new(OptionId::IslMin, &["isl-min"], ValueKind::Int, "Shortest input of a recipe.")
        .at_least(1.0)
        .unit("tokens")
        .default("256")
        .supported(),
    OptionSpec::new(OptionId::IslMax, &["isl-max"], ValueKind::Int, "Longest input of a recipe.")
        .at_least(1.0)
        .unit("tokens")
        .default("32768")
        .supported(),
    OptionSpec::new(OptionId::IslSteps, &["isl-steps"], ValueKind::Int, "Number of input lengths of a recipe.")
        .at_least(2.0)
        .default("8")
        .supported(),
    OptionSpec::new(OptionId::ConcurrencyMin, &["concurrency-min"], ValueKind::Int, "Lowest concurrency of a recipe.")
        .at_least(1.0)
        .default("1")
        .supported(),
    OptionSpec::new(OptionId::ConcurrencyMax, &["concurrency-max"], ValueKind::Int, "Highest concurrency of a recipe.")
        .at_least(1.0)
        .default("by recipe")
        .supported(),
    OptionSpec::new(
        OptionId::ConcurrencySteps,
        &["concurrency-steps"],
        ValueKind::Int,
        "Number of concurrencies of a recipe.",
    )
    .at_least(2.0)
    .default("by recipe")
    .supported(),
    OptionSpec::new(OptionId::OslMin, &["osl-min"], ValueKind::Int, "Shortest output of a recipe.")
        .at_least(1.0)
        .unit("tokens")
        .default("64")
        .supported(),
    OptionSpec::new(OptionId::OslMax, &["osl-max"], ValueKind::Int, "Longest output of a recipe.")
        .at_least(1.0)
        .unit("tokens")
        .default("1024")
        .supported(),
    OptionSpec::new(OptionId::OslSteps, &["osl-steps"], ValueKind::Int, "Number of output lengths of a recipe.")
        .at_least(2.0)
        .default("4")
        .supported(),
];
