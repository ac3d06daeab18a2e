//! Lists of values, repeated runs, and every rule about them.

use aiperf_config::{ConvergenceMode, Experiment, SweepOrder};
use serde_json::json;

use super::{environment, raw};
use crate::ConfigError;

fn resolve(words: &[&str]) -> Result<Experiment, ConfigError> {
    let all: Vec<&str> = ["--model=m"].into_iter().chain(words.iter().copied()).collect();
    raw(&all).resolve_experiment(&environment())
}

fn check(cases: &[(&[&str], &[&str])]) {
    for (words, parts) in cases {
        let message = resolve(words).expect_err(&format!("{words:?} was accepted")).to_string();
        for part in *parts {
            assert!(message.contains(part), "{words:?} says {message:?}, without {part:?}");
        }
    }
}

fn folders(words: &[&str]) -> Vec<String> {
    resolve(words).unwrap().cells.iter().map(|cell| cell.folder().to_owned()).collect()
}

#[test]
fn one_value_each_is_one_plain_run() {
    let experiment = resolve(&["--concurrency=3,", "--confidence-level=0.9"]).unwrap();
    assert!(experiment.is_single());
    assert_eq!(experiment.cells.len(), 1);
    assert_eq!(experiment.cells[0].label(), "base");
    assert!((experiment.cells[0].config.confidence_level - 0.9).abs() < 1e-12);
    assert_eq!(experiment.seeds.base, None);
}

#[test]
fn every_option_that_may_be_swept_makes_a_cell_for_each_value() {
    for (option, leaf, path) in [
        ("concurrency", "concurrency", "phases.profiling.concurrency"),
        ("prefill-concurrency", "prefill_concurrency", "phases.profiling.prefill_concurrency"),
        ("num-users", "users", "phases.profiling.users"),
        ("session-turns-mean", "turns", "datasets.main.turns.mean"),
        ("request-rate", "rate", "phases.profiling.rate"),
        ("request-count", "requests", "phases.profiling.requests"),
        ("benchmark-duration", "duration", "phases.profiling.duration"),
        ("num-sessions", "sessions", "phases.profiling.sessions"),
        ("isl", "isl", "datasets.main.prompts.isl.mean"),
        ("isl-stddev", "isl_stddev", "datasets.main.prompts.isl.stddev"),
        ("osl", "osl", "datasets.main.prompts.osl.mean"),
        ("osl-stddev", "osl_stddev", "datasets.main.prompts.osl.stddev"),
    ] {
        let word = format!("--{option}=2, 3");
        let mut words = vec![word.as_str(), "--streaming"];
        match option {
            "num-users" => words.extend(["--user-centric-rate=1", "--session-turns-mean=2"]),
            "prefill-concurrency" => words.push("--concurrency=9"),
            "osl-stddev" => words.push("--osl=9"),
            _ => {}
        }
        let experiment = resolve(&words).unwrap_or_else(|error| panic!("{option}: {error}"));
        let label = experiment.cells[1].label();
        assert!(label == format!("{path}=3") || label == format!("{path}=3.0"), "{label}");
        assert!(experiment.cells[0].folder().starts_with(&format!("{leaf}_2")), "{option}");
        assert_eq!(experiment.cells.len(), 2);
    }
}

#[test]
fn lists_combine_each_with_each_by_path_and_the_last_changes_fastest() {
    assert_eq!(
        folders(&["--request-rate=10,20.5", "--isl=16,32", "--osl=4"]),
        ["isl_16__rate_10.0", "isl_16__rate_20.5", "isl_32__rate_10.0", "isl_32__rate_20.5"]
    );
    let sweep = resolve(&["--request-rate=10,20.5", "--isl=16,32"]).unwrap();
    assert_eq!(
        sweep.cells[3].values_by_name(),
        *json!({"datasets.main.prompts.isl.mean": 32, "rate": 20.5}).as_object().unwrap()
    );
    assert_eq!(sweep.cells[1].label(), "datasets.main.prompts.isl.mean=16, phases.profiling.rate=20.5");
    assert_eq!(sweep.dir, sweep.cells[0].config.output.dir, "the folder is named after the first point");
    assert!(sweep.cells.iter().all(|cell| cell.config.command_line.contains("--isl 16,32")));
}

#[test]
fn lists_side_by_side_are_taken_in_pairs() {
    assert_eq!(
        folders(&["--isl=16,32", "--concurrency=1,2", "--sweep-type=zip"]),
        ["isl_16__concurrency_1", "isl_32__concurrency_2"]
    );
    check(&[(
        &["--isl=16,32,64", "--concurrency=1,2", "--sweep-type=zip"],
        &["--sweep-type", "--isl has 3 values", "--concurrency has 2 values"],
    )]);
}

#[test]
fn all_points_draw_from_data_of_the_same_size() {
    let entries = |words: &[&str]| -> Vec<usize> {
        let source = |cell: &aiperf_config::Cell| match &cell.config.dataset.source {
            aiperf_config::DatasetSource::Synthetic(synthetic) => synthetic.entries,
            _ => 0,
        };
        resolve(words).unwrap().cells.iter().map(source).collect()
    };
    assert_eq!(entries(&["--request-count=5,50"]), [50, 50]);
    assert_eq!(entries(&["--request-count=5,50", "--num-dataset-entries=7"]), [7, 7]);
}

#[test]
fn a_warmup_follows_the_point_it_belongs_to() {
    let experiment = resolve(&["--concurrency=2,4", "--warmup-request-count=3"]).unwrap();
    let limits: Vec<_> =
        experiment.cells.iter().map(|cell| cell.config.phases.warmups().next().unwrap().pace.session_limit()).collect();
    assert_eq!(limits, [Some(2), Some(4)]);
}

#[test]
fn rules_of_sweeps() {
    check(&[
        (&["--concurrency=1,x"], &["--concurrency", "whole number"]),
        (&["--concurrency=1,0"], &["--concurrency", "at least 1"]),
        (&["--concurrency=1,1"], &["--concurrency", "twice", "--num-profile-runs"]),
        (&["--request-rate=1,y"], &["--request-rate", "number"]),
        (&["--parameter-sweep-cooldown-seconds=1"], &["--parameter-sweep-cooldown-seconds", "--concurrency 1,2,4"]),
        (&["--parameter-sweep-same-seed"], &["--parameter-sweep-same-seed", "list"]),
        (&["--sweep-type=grid"], &["--sweep-type", "list"]),
        (&["--no-sweep-table"], &["--no-sweep-table", "list"]),
        (&["--parameter-sweep-mode=repeated"], &["--parameter-sweep-mode", "list"]),
        (
            &["--parameter-sweep-mode=independent", "--concurrency=1,2"],
            &["--parameter-sweep-mode", "--num-profile-runs above 1"],
        ),
        (
            &["--convergence-metric=request_latency", "--num-profile-runs=3", "--concurrency=1,2"],
            &["--convergence-metric", "--parameter-sweep-mode independent"],
        ),
        (&["--scenario=inferencex-agentx-mvp", "--concurrency=1,2"], &["--concurrency", "--scenario"]),
    ]);
    let order = |words: &[&str]| resolve(words).unwrap().sweep.unwrap().order;
    assert_eq!(order(&["--concurrency=1,2"]), SweepOrder::Repeated);
    assert_eq!(
        order(&["--concurrency=1,2", "--num-profile-runs=2", "--parameter-sweep-mode=Independent"]),
        SweepOrder::Independent
    );
}

#[test]
fn rules_of_trials() {
    check(&[
        (&["--num-profile-runs=0"], &["--num-profile-runs", "at least 1"]),
        (&["--num-profile-runs=11"], &["--num-profile-runs", "at most 10"]),
        (&["--num-profile-runs=2", "--confidence-level=1"], &["--confidence-level", "below 1"]),
        (&["--profile-run-cooldown-seconds=1"], &["--profile-run-cooldown-seconds", "--num-profile-runs above 1"]),
        (&["--set-consistent-seed"], &["--set-consistent-seed", "--num-profile-runs above 1"]),
        (
            &["--profile-run-disable-warmup-after-first", "--warmup-request-count=1"],
            &["--profile-run-disable-warmup-after-first", "--num-profile-runs above 1"],
        ),
        (
            &["--profile-run-disable-warmup-after-first", "--num-profile-runs=2"],
            &["--profile-run-disable-warmup-after-first", "--warmup-request-count"],
        ),
        (&["--vary-seed-per-trial"], &["--vary-seed-per-trial", "--num-profile-runs above 1"]),
        (&["--convergence-metric=request_latency"], &["--convergence-metric", "--num-profile-runs above 1"]),
        (&["--num-profile-runs=3", "--convergence-mode=cv"], &["--convergence-mode", "--convergence-metric"]),
        (&["--num-profile-runs=3", "--convergence-stat=p99"], &["--convergence-stat", "--convergence-metric"]),
        (
            &["--num-profile-runs=3", "--convergence-threshold=0.1"],
            &["--convergence-threshold", "--convergence-metric"],
        ),
        (
            &["--num-profile-runs=3", "--convergence-metric=a", "--convergence-threshold=1"],
            &["--convergence-threshold", "below 1"],
        ),
        (
            &[
                "--num-profile-runs=3",
                "--convergence-metric=a",
                "--convergence-mode=distribution",
                "--convergence-stat=p50",
            ],
            &["--convergence-stat", "--convergence-mode"],
        ),
        (
            &["--num-profile-runs=2", "--set-consistent-seed=false", "--random-seed=3"],
            &["--set-consistent-seed", "--random-seed"],
        ),
        (
            &["--num-profile-runs=2", "--set-consistent-seed=false", "--vary-seed-per-trial"],
            &["--vary-seed-per-trial", "--set-consistent-seed"],
        ),
        (
            &["--concurrency=1,2", "--set-consistent-seed=false", "--parameter-sweep-same-seed"],
            &["--parameter-sweep-same-seed", "--set-consistent-seed"],
        ),
    ]);
}

#[test]
fn several_runs_have_a_seed_unless_told_otherwise() {
    let base = |words: &[&str]| resolve(words).unwrap().seeds.base;
    assert_eq!(base(&["--num-profile-runs=2"]), Some(42));
    assert_eq!(base(&["--concurrency=1,2"]), Some(42));
    assert_eq!(base(&["--num-profile-runs=2", "--random-seed=7"]), Some(7));
    assert_eq!(base(&["--num-profile-runs=2", "--set-consistent-seed=false"]), None);
    assert_eq!(base(&["--concurrency=1,2", "--set-consistent-seed"]), Some(42));
    assert_eq!(base(&[]), None);
}

#[test]
fn each_mode_of_convergence_has_its_own_threshold() {
    for (mode, wanted, threshold) in [
        ("ci_width", ConvergenceMode::CiWidth, 0.10),
        ("cv", ConvergenceMode::Cv, 0.05),
        ("distribution", ConvergenceMode::Distribution, 0.05),
    ] {
        let word = format!("--convergence-mode={mode}");
        let convergence = resolve(&["--num-profile-runs=5", "--convergence-metric=request_latency", &word])
            .unwrap()
            .trials
            .convergence
            .unwrap();
        assert_eq!((convergence.mode, convergence.stat.name()), (wanted, "avg"));
        assert!((convergence.threshold - threshold).abs() < 1e-12);
    }
}

#[test]
fn a_run_may_end_when_numbers_are_known_well_enough() {
    let words = ["--until-ci=time_to_first_token:p99:5%, request_latency:avg:2", "--benchmark-duration=60"];
    let experiment = resolve(&words).unwrap();
    let config = &experiment.cells[0].config;
    assert_eq!(
        config.until_ci.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["time_to_first_token:p99:5%", "request_latency:avg:2"]
    );
    assert_eq!(config.to_input_config()["phases"][0]["until_ci"][1], "request_latency:avg:2");
    check(&[
        (&["--until-ci=a:p99:5%"], &["--until-ci", "--benchmark-duration", "--request-count"]),
        (&["--until-ci=a:p99", "--request-count=9"], &["--until-ci", "METRIC:STAT:MARGIN"]),
        (&["--until-ci=", "--request-count=9"], &["--until-ci", "must name a metric"]),
        (&["--until-ci=a:p99:5%,a:p99:4", "--request-count=9"], &["--until-ci", "twice"]),
        (&["--until-ci=a:p99:5%", "--measurement-interval=1000"], &["--until-ci", "--measurement-interval"]),
    ]);
}
