//! Searches and recipes. The limits here are of counts, not of times, so that a busy machine finds the same ones.

use std::time::Duration;

use aiperf_seed::Seed;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Program, sim, wait_for};

const SPEED: &str = "ttft=1&itl=0&osl=2";
/// The number of requests is searched, and at most 11 may be sent.
const REQUESTS: &str = "--search-space requests:1,40:int --search-metric request_count --search-direction maximize \
                        --no-gpu-telemetry";
const LIMIT: &str = "--search-sla request_count:avg:le:11";
const HISTORY: &str = "search_history.json";

fn search(url: &str, options: &str) -> Program {
    Program::profile(&format!("--url {url} --streaming --ui none {REQUESTS} {options}"))
        .env("AIPERF_SEARCH_PLANNER_DEFAULT_WARMUP_SECONDS", "0")
}

/// The values that were tried, in order.
fn asked(history: &Value) -> Vec<i64> {
    let iterations = history["iterations"].as_array().unwrap();
    iterations.iter().map(|point| point["variation_values"]["phases.profiling.requests"].as_i64().unwrap()).collect()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn monotonic_sla_finds_the_limit_and_writes_the_files_of_the_reference() {
    let sim = sim(SPEED);
    let ended = search(&sim.url(), &format!("{LIMIT} --search-planner monotonic_sla --search-max-iterations 30")).run();
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let history = ended.artifacts.json(HISTORY);
    assert_eq!(asked(&history), [1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 12, 12, 10, 10, 11, 11]);
    assert_eq!(history["convergence_reason"], "monotonic_precision_reached");
    let boundary = &history["boundary_summary"];
    assert_eq!(boundary["feasible_max"], json!({"value": 11, "iteration_idx": 15, "objective_value": 11.0}));
    assert_eq!(
        (&boundary["infeasible_min"]["value"], &boundary["infeasible_min"]["first_breach"]["observed"]),
        (&json!(12), &json!(12.0))
    );
    // The fields that AIPerf 0.13.0 wrote in the same search.
    assert_eq!(
        keys(&history),
        ["config", "iterations", "best_trials", "boundary_summary", "recipe", "convergence_reason"]
    );
    assert_eq!(
        keys(&history["config"]),
        [
            "planner",
            "objectives",
            "outcome_constraints",
            "max_iterations",
            "n_initial_points",
            "random_seed",
            "improvement_patience",
            "plateau_window",
            "plateau_threshold",
            "search_space",
            "sla_filters"
        ]
    );
    assert_eq!(
        keys(&history["iterations"][0]),
        ["iteration_idx", "variation_values", "objective_values", "feasible", "non_monotonic_warning"]
    );
    assert_eq!(
        keys(&history["best_trials"][0]),
        ["iteration_idx", "objective_values", "variation_values", "feasible", "feasible_count", "pareto_rank"]
    );
    let checkpoint = ended.artifacts.json("search_checkpoint.json");
    assert_eq!(
        keys(&checkpoint["iterations"][0]["results"][0]),
        [
            "label",
            "success",
            "summary_metrics",
            "error",
            "artifacts_path",
            "variation_label",
            "variation_values",
            "variation_index",
            "trial_index",
            "was_cancelled"
        ]
    );
    let config = ended.artifacts.json("search_iter_0008/profile_runs/run_0001/run_config.json");
    assert_eq!(
        config["variation"],
        json!({"index": 8, "label": "search_iter_0008", "values": {"phases.profiling.requests": 16}})
    );
    assert_eq!(config["random_seed"], 5_208_681_604_541_636_733_u64, "the seed of the reference");
    let sweep = ended.artifacts.json("sweep_aggregate/profile_export_aiperf_sweep.json");
    assert_eq!(
        sweep["metadata"]["sweep_parameters"][0],
        json!({"name": "requests", "values": [1, 2, 4, 8, 16, 12, 10, 11]})
    );
    assert_eq!(sweep["metadata"]["sla_constraints"]["feasible_count"], 6);
    assert_eq!(sweep["num_profile_runs"], 16);
    assert!(ended.artifacts.path("aggregate/requests_11/profile_export_aiperf_aggregate.json").exists());
    for part in
        ["Highest requests that keeps all limits: 11.", "request_count avg is 12, limit le 11", "Run 1 of at most 30"]
    {
        assert!(ended.stdout.contains(part) || ended.stderr.contains(part), "{part:?} is not in {}", ended.stdout);
    }
    let checked = Program::new("validate").word(ended.artifacts.path("").as_os_str()).run();
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
}

#[test]
fn each_planner_finds_what_it_promises() {
    let sim = sim(SPEED);
    let planners = [
        ("--search-planner smooth_isotonic --search-max-iterations 30", 11..=11),
        (
            "--search-planner bayesian --search-max-iterations 14 --search-initial-points 4 --search-random-seed 3",
            9..=11,
        ),
        ("--search-planner optuna --optuna-sampler tpe --search-max-iterations 25 --search-random-seed 3", 7..=11),
    ];
    for (options, expected) in planners {
        let ended = search(&sim.url(), &format!("{LIMIT} {options}")).run();
        assert_eq!(ended.code, Some(0), "{options}: {}{}", ended.stdout, ended.stderr);
        let history = ended.artifacts.json(HISTORY);
        let found = history["best_trials"][0]["objective_values"][0].as_f64().unwrap() as i64;
        assert!(expected.contains(&found), "{options}: {found} after {:?}", asked(&history));
    }
    let tiers = "--search-planner monotonic_sla --search-max-iterations 30 --search-sla-tier gold:request_count:avg:le:3 \
                 --search-sla-tier request_count:avg:le:11";
    let history = search(&sim.url(), tiers).run().artifacts.json(HISTORY);
    let found: Vec<&Value> =
        history["tier_results"].as_array().unwrap().iter().map(|tier| &tier["boundary_concurrency"]).collect();
    assert_eq!(found, [3, 11]);
    assert_eq!(history["tier_metadata"]["ordering_pairs"], json!([{"strict": "gold", "lenient": "tier_2"}]));
}

#[test]
fn a_search_that_is_killed_20_times_asks_for_the_points_of_one_that_was_not() {
    let sim = sim(SPEED);
    let options = format!("{LIMIT} --search-planner monotonic_sla --search-max-iterations 30");
    let whole = search(&sim.url(), &options).succeed().json(HISTORY);
    let mut instants = Seed::fixed(24).stream("kills");
    let mut running = search(&sim.url(), &options).start();
    let folder = running.out();
    wait_for("the plan", || folder.join(".aiperf_plan.json").exists().then_some(()));
    let mut kept = Vec::new();
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(instants.next_u64() % 250));
        if !running.has_ended() {
            running.signal(Signal::KILL);
        }
        // The folder of the first program lives as long as its value.
        kept.push(running.end());
        running = Program::new("profile --resume")
            .word(folder.as_os_str())
            .env("AIPERF_SEARCH_PLANNER_DEFAULT_WARMUP_SECONDS", "0")
            .start();
    }
    let ended = running.end();
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let text = std::fs::read_to_string(folder.join(HISTORY)).unwrap();
    let history: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(asked(&history), asked(&whole));
    assert_eq!(history["boundary_summary"], whole["boundary_summary"]);
}

#[test]
fn a_file_describes_a_search_and_expand_refuses_it() {
    let sim = sim(SPEED);
    let file = format!(
        "sweep:\n  type: adaptive_search\n  planner: monotonic_sla\n  searchSpace: [{{path: variables.count, lo: 1, hi: 40, kind: int}}]\n  \
         objectives: [{{metric: request_count, direction: maximize}}]\n  slaFilters: [{{metricTag: request_count, stat: avg, op: le, \
         threshold: 5}}]\n  maxIterations: 30\n  monotonicStabilityTrials: 1\nvariables: {{count: 1}}\nbenchmark:\n  model: m\n  endpoint: \
         {{url: \"{}\", streaming: true}}\n  tokenizer: {{name: builtin}}\n  dataset: {{isl: 20, osl: 4}}\n  profiling: {{concurrency: 1, \
         requests: \"{{{{ count }}}}\"}}\n  gpuTelemetry: false\n",
        sim.url()
    );
    let ended = Program::profile("-f search.yaml --ui none").file("search.yaml", &file).run();
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let history = ended.artifacts.json(HISTORY);
    assert_eq!(history["boundary_summary"]["feasible_max"]["value"], 5);
    assert_eq!(history["iterations"].as_array().unwrap().len(), 6);
    let less = Program::profile("-f search.yaml --ui none --search-max-iterations 3").file("search.yaml", &file).run();
    assert_eq!(less.artifacts.json(HISTORY)["convergence_reason"], "max_iterations");
    let expanded = Program::new("config expand search.yaml").file("search.yaml", &file).run();
    assert_eq!(expanded.code, Some(2), "{}", expanded.stderr);
    assert!(expanded.stderr.contains("chooses its points while it runs"), "{}", expanded.stderr);
}

#[test]
fn recipes_that_sweep_write_their_file() {
    let sim = sim(SPEED);
    let recipes = [
        (
            "concurrency-ramp --concurrency-max 4 --concurrency-steps 2",
            "degradation_knee.json",
            "baseline_concurrency",
            vec!["concurrency_1", "concurrency_4"],
        ),
        (
            "prefill-ttft-curve --isl-min 8 --isl-max 64 --isl-steps 3",
            "prefill_curve.json",
            "coefficients",
            vec!["isl_8__concurrency_1", "isl_23__concurrency_1", "isl_64__concurrency_1"],
        ),
        (
            "decode-itl-curve --concurrency-max 2 --concurrency-steps 2 --osl-min 4 --osl-max 8 --osl-steps 2",
            "decode_itl_surface.json",
            "surface",
            vec!["osl_4__concurrency_1", "osl_8__concurrency_2"],
        ),
        (
            "pareto-sweep --isl-osl-pairs 8/4,16/4 --concurrency 1,2",
            "pareto_sweep.json",
            "cells",
            vec!["isl_8__osl_4__concurrency_1", "isl_16__osl_4__concurrency_2"],
        ),
        (
            "max-concurrency-under-sla --search-style grid --e2e-sla-ms 100000 --concurrency-max 4 --concurrency-steps 2",
            "sla_breach.json",
            "max_passing_concurrency",
            vec!["concurrency_4"],
        ),
    ];
    for (recipe, file, key, folders) in recipes {
        let options = format!(
            "--url {} --streaming --ui none --request-count 4 --no-auto-plot --no-gpu-telemetry --search-recipe {recipe}",
            sim.url()
        );
        let ended = Program::profile(&options).run();
        assert_eq!(ended.code, Some(0), "{recipe}: {}{}", ended.stdout, ended.stderr);
        assert!(!ended.artifacts.json(&format!("sweep_aggregate/{file}"))[key].is_null(), "{recipe}");
        for folder in folders {
            assert!(ended.artifacts.path(folder).join("profile_export_aiperf.json").exists(), "{recipe}: {folder}");
        }
    }
}

#[test]
fn recipes_that_search_use_their_limits() {
    let sim = sim(SPEED);
    let recipes = [
        ("max-concurrency-under-sla --e2e-sla-ms 100000", "smooth_isotonic", "smooth_isotonic_no_failure_in_range"),
        (
            "max-concurrency-under-sla --search-style monotonic --error-rate-sla 0.5",
            "monotonic_sla",
            "monotonic_no_failure_in_range",
        ),
        (
            "max-throughput-ttft-sla --ttft-sla-ms 100000 --search-max-iterations 3 --search-initial-points 2",
            "bayesian",
            "max_iterations",
        ),
        (
            "max-throughput-itl-sla --tpot-sla-ms 100000 --search-max-iterations 3 --search-initial-points 2",
            "bayesian",
            "max_iterations",
        ),
        (
            "max-goodput-under-slo --ttft-sla-ms 100000 --itl-sla-ms 100000 --e2e-sla-ms 100000 --search-max-iterations 3 --search-initial-points 2",
            "bayesian",
            "max_iterations",
        ),
    ];
    for (recipe, planner, reason) in recipes {
        let options = format!(
            "--url {} --streaming --ui none --request-count 6 --no-gpu-telemetry --concurrency-max 4 --search-recipe {recipe}",
            sim.url()
        );
        let ended = Program::profile(&options).env("AIPERF_SEARCH_PLANNER_DEFAULT_WARMUP_SECONDS", "0").run();
        assert_eq!(ended.code, Some(0), "{recipe}: {}{}", ended.stdout, ended.stderr);
        let history = ended.artifacts.json(HISTORY);
        assert_eq!(
            (&history["config"]["planner"], &history["convergence_reason"]),
            (&json!(planner), &json!(reason)),
            "{recipe}"
        );
        assert_eq!(history["recipe"], recipe.split(' ').next().unwrap());
        assert_eq!(history["best_trials"][0]["feasible"], true, "{recipe}");
    }
}

#[test]
fn rules_of_searches_name_the_options() {
    let refused = |options: &str, part: &str| {
        let ended = Program::profile(&format!("--url sim: --streaming --ui none {options}")).run();
        assert_eq!(ended.code, Some(1), "{options}: {}", ended.stdout);
        assert!(ended.stderr.contains(part), "{options}: {part:?} is not in {}", ended.stderr);
    };
    let space = "--search-space concurrency:1,8:int --search-direction maximize --search-max-iterations 10";
    let whole = format!("{space} --search-metric goodput");
    refused(space, "--search-space needs --search-metric");
    refused("--search-metric goodput", "--search-metric needs --search-space or --search-recipe");
    refused("--search-sla a:p95:lt:1", "--search-sla needs --search-space");
    refused("--ttft-sla-ms 5", "--ttft-sla-ms needs --search-recipe");
    refused(&format!("{whole} --search-planner monotonic_sla"), "give at least one --search-sla");
    refused(&format!("{whole} --search-initial-points 10"), "must be below the maximum number of points");
    refused(&format!("{whole} --concurrency 1,2"), "--concurrency and --search-space cannot be combined");
    refused(&format!("{whole} --search-percentile-pooling pooled"), "needs a percentile");
    refused(&format!("{whole} --optuna-sampler tpe"), "--optuna-sampler needs --search-planner optuna");
    refused(
        &format!("{whole} --search-planner optuna --optuna-sampler tpe --optuna-acquisition qnei"),
        "needs the botorch sampler",
    );
    refused(&format!("{whole} --optuna-acquisition qehvi"), "is for several objectives");
    refused(&format!("{whole} --search-sla-tier request_count:avg:le:3"), "a search has 2 to 10 tiers");
    refused(&format!("{whole} --search-space concurrency:1,4:int"), "the path is there twice");
    refused(
        "--search-space rate:5,1 --search-metric goodput --search-direction maximize --search-max-iterations 10",
        "the range is empty",
    );
    refused(&format!("{whole} --convergence-metric goodput --num-profile-runs 3"), "--convergence-metric");
    refused("--search-recipe fastest", "choose one of concurrency-ramp");
    refused("--search-recipe max-throughput-ttft-sla", "--search-recipe needs --ttft-sla-ms");
    refused("--search-recipe concurrency-ramp --ttft-sla-ms 3", "does not use it");
    refused("--search-recipe concurrency-ramp --concurrency 4", "sets it");
    refused("--search-recipe concurrency-ramp --search-max-iterations 4", "sweep of fixed points");
    refused("--search-recipe max-throughput-itl-sla --itl-sla-ms 3 --tpot-sla-ms 4", "both limit the same time");
    refused("--search-recipe concurrency-ramp --concurrency-min 9 --concurrency-max 3", "is empty");
    refused("--search-recipe pareto-sweep --isl-osl-pairs 5x5", "write pairs");
    refused("--search-recipe pareto-sweep --isl-osl-pairs 5/5 --concurrency 1", "needs at least two points");
    refused(&format!("{space} --search-metric gootput"), "no metric is called");
}
