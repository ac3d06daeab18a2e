//! Which runs are made, in which order, with what, and what becomes of those that fail.

use std::path::{Path, PathBuf};
use std::time::Duration;

use aiperf_config::{Environment, Experiment};
use aiperf_metrics::{Metric, Stats};
use aiperf_options::RawOptions;
use aiperf_options::catalogue::options;
use aiperf_protocol::{RunEnding, RunOutcome, StopReason};
use serde_json::Value;

use super::figures::{Figures, MetricFigures};
use super::order::TrialAssignment;
use super::result::ExperimentResult;
use super::runner::{Pause, Runner, TrialError, TrialResult};
use super::series::run_trials;

fn experiment(dir: &Path, words: &[&str]) -> Experiment {
    let mut raw = RawOptions::default();
    let dir = format!("--artifact-dir={}", dir.display());
    for word in words.iter().copied().chain(["--model=m", &dir]) {
        let (name, value) = word.split_once('=').unwrap_or((word, "true"));
        let spec = options().find(|spec| spec.long.iter().any(|long| name == format!("--{long}"))).unwrap();
        raw.push(spec.id, name, vec![value.to_owned()]);
    }
    raw.resolve_experiment(&Environment::default()).unwrap()
}

/// What one scripted run does.
#[derive(Clone)]
enum Act {
    Latency(f64),
    RequestValues(Vec<f64>),
    Fails,
    Breaks,
    CannotStart,
    IsCancelled,
    LosesServer,
}

/// Plays a script, and notes what it was asked for. The last act is played again and again.
struct ScriptedRunner {
    acts: Vec<Act>,
    seen: Vec<TrialAssignment>,
    pauses: Vec<Duration>,
    /// The pause, counted from 1, in which someone presses Ctrl-C.
    interrupted_in: Option<usize>,
}

impl ScriptedRunner {
    fn new(acts: &[Act]) -> Self {
        Self { acts: acts.to_vec(), seen: Vec::new(), pauses: Vec::new(), interrupted_in: None }
    }
}

fn finished(ending: RunEnding, latency: f64, values: Vec<f64>) -> TrialResult {
    let metric = |tag: &str, unit: &str, value: f64| MetricFigures {
        tag: tag.to_owned().into(),
        unit: unit.to_owned().into(),
        stats: Stats { avg: Some(value), max: Some(value), ..Stats::default() },
        intervals: Vec::new(),
    };
    let metrics =
        vec![metric("request_latency", "ms", latency), metric("request_throughput", "requests/sec", 1e3 / latency)];
    let values = vec![(Metric::RequestLatency, values)];
    TrialResult { ending, figures: Figures { metrics }, values, is_written: true }
}

impl Runner for ScriptedRunner {
    fn run(&mut self, assignment: TrialAssignment) -> Result<TrialResult, TrialError> {
        let act = self.acts[self.seen.len().min(self.acts.len() - 1)].clone();
        self.seen.push(assignment);
        match act {
            Act::Latency(latency) => Ok(finished(RunEnding::COMPLETED, latency, vec![latency])),
            Act::RequestValues(values) => Ok(finished(RunEnding::COMPLETED, 10.0, values)),
            Act::Fails => {
                Ok(finished(RunEnding::because(RunOutcome::NothingSucceeded, "the server said no"), 1.0, Vec::new()))
            }
            Act::LosesServer => Ok(finished(
                RunEnding::because(RunOutcome::Stopped(StopReason::Unreachable), "nobody is there"),
                1.0,
                Vec::new(),
            )),
            Act::IsCancelled => Ok(finished(RunEnding::INTERRUPTED, 1.0, Vec::new())),
            Act::Breaks => Err(TrialError::Broken("it broke".into())),
            Act::CannotStart => Err(TrialError::NotPrepared("no such model".into())),
        }
    }

    fn pause(&mut self, length: Duration) -> Pause {
        self.pauses.push(length);
        if self.interrupted_in == Some(self.pauses.len()) { Pause::Interrupted } else { Pause::Over }
    }
}

struct Played {
    folder: tempfile::TempDir,
    script: ScriptedRunner,
    result: ExperimentResult,
}

fn play(words: &[&str], acts: &[Act]) -> Played {
    play_on(words, ScriptedRunner::new(acts))
}

fn play_on(words: &[&str], mut script: ScriptedRunner) -> Played {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(folder.path(), words);
    let result = run_trials(&experiment, "9.9.9", "id", &mut script).unwrap();
    Played { folder, script, result }
}

impl Played {
    fn folders(&self) -> Vec<PathBuf> {
        let of = |assignment: &TrialAssignment| {
            assignment.config.output.dir.strip_prefix(self.folder.path()).unwrap().to_path_buf()
        };
        self.script.seen.iter().map(of).collect()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&std::fs::read_to_string(self.folder.path().join(name)).unwrap()).unwrap()
    }

    fn has(&self, name: &str) -> bool {
        self.folder.path().join(name).exists()
    }
}

const AGGREGATE: &str = "aggregate/profile_export_aiperf_aggregate.json";

#[test]
fn trials_have_a_folder_each_and_an_aggregate_beside_them() {
    let played = play(&["--num-profile-runs=3"], &[Act::Latency(10.0), Act::Latency(12.0), Act::Latency(14.0)]);
    let folders = ["profile_runs/run_0001", "profile_runs/run_0002", "profile_runs/run_0003"].map(PathBuf::from);
    assert_eq!(played.folders(), folders);
    assert!(played.result.is_enough());
    let aggregate = played.json(AGGREGATE);
    assert_eq!(aggregate["metrics"]["request_latency_avg"]["mean"], 12.0);
    assert_eq!(aggregate["metrics"]["request_latency_avg"]["std"], 2.0);
    assert!(aggregate["metadata"].get("variation_label").is_none());
    let place = &played.script.seen[1].place;
    assert_eq!((place.trial, place.label.as_str(), place.variation.label.as_str()), (1, "run_0002", "base"));
    assert_eq!(played.script.seen[0].place.sweep_id, place.sweep_id);
    assert_eq!(played.script.seen[1].name, "Run 2 of 3");
    assert!(!played.has("aggregate/profile_export_aiperf_collated.json"));
}

#[test]
fn points_of_a_sweep_have_a_folder_each() {
    let played = play(&["--concurrency=1,2", "--isl=8,9"], &[Act::Latency(10.0)]);
    let folders = ["isl_8__concurrency_1", "isl_8__concurrency_2", "isl_9__concurrency_1", "isl_9__concurrency_2"];
    assert_eq!(played.folders(), folders.map(PathBuf::from));
    assert!(played.has("sweep_aggregate/profile_export_aiperf_sweep.csv"));
    assert!(played.has("aggregate/isl_9__concurrency_2/profile_export_aiperf_aggregate.json"));
    assert_eq!(played.script.seen[3].config.random_seed, Some(45));
    assert_eq!(played.script.seen[3].name, "Run 4 of 4 (isl 9, concurrency 2)");
}

#[test]
fn repeated_order_runs_all_points_before_any_is_repeated() {
    let words = ["--concurrency=1,2", "--num-profile-runs=2"];
    let played = play(&words, &[Act::Latency(10.0)]);
    let folders = [
        "profile_runs/trial_0001/concurrency_1",
        "profile_runs/trial_0001/concurrency_2",
        "profile_runs/trial_0002/concurrency_1",
        "profile_runs/trial_0002/concurrency_2",
    ];
    assert_eq!(played.folders(), folders.map(PathBuf::from));
    assert!(played.has("aggregate/sweep_aggregate/profile_export_aiperf_sweep.json"));
    assert!(played.has("aggregate/concurrency_2/profile_export_aiperf_aggregate.csv"));
}

#[test]
fn independent_order_finishes_a_point_before_the_next() {
    let words = ["--concurrency=1,2", "--num-profile-runs=2", "--parameter-sweep-mode=independent"];
    let played = play(&words, &[Act::Latency(10.0)]);
    let folders = [
        "concurrency_1/profile_runs/trial_0001",
        "concurrency_1/profile_runs/trial_0002",
        "concurrency_2/profile_runs/trial_0001",
        "concurrency_2/profile_runs/trial_0002",
    ];
    assert_eq!(played.folders(), folders.map(PathBuf::from));
    assert!(played.has("sweep_aggregate/profile_export_aiperf_sweep.json"));
    assert!(played.has("concurrency_2/aggregate/profile_export_aiperf_aggregate.json"));
}

#[test]
fn pauses_are_those_of_the_loop_that_goes_on() {
    let words = [
        "--concurrency=1,2",
        "--num-profile-runs=2",
        "--profile-run-cooldown-seconds=5",
        "--parameter-sweep-cooldown-seconds=3",
    ];
    let seconds = |played: &Played| played.script.pauses.iter().map(Duration::as_secs).collect::<Vec<_>>();
    assert_eq!(seconds(&play(&words, &[Act::Latency(1.0)])), [3, 5, 3]);
    let independent: Vec<&str> = words.into_iter().chain(["--parameter-sweep-mode=independent"]).collect();
    assert_eq!(seconds(&play(&independent, &[Act::Latency(1.0)])), [5, 3, 5]);
    assert_eq!(seconds(&play(&["--num-profile-runs=2"], &[Act::Latency(1.0)])), [0_u64; 0]);
}

#[test]
fn only_the_first_trial_of_a_point_is_warmed_up_unless_told_otherwise() {
    let warmups = |words: &[&str]| {
        let played = play(words, &[Act::Latency(1.0)]);
        played.script.seen.iter().map(|assignment| assignment.config.phases.has_warmup()).collect::<Vec<_>>()
    };
    assert_eq!(warmups(&["--num-profile-runs=3", "--warmup-request-count=2"]), [true, false, false]);
    let all = ["--num-profile-runs=2", "--warmup-request-count=2", "--profile-run-disable-warmup-after-first=false"];
    assert_eq!(warmups(&all), [true, true]);
    let swept = ["--num-profile-runs=2", "--warmup-request-count=2", "--concurrency=1,2"];
    assert_eq!(warmups(&swept), [true, true, false, false]);
}

#[test]
fn a_failed_trial_is_counted_listed_and_left_out() {
    let acts = [Act::Fails, Act::Latency(10.0), Act::Breaks, Act::Latency(20.0)];
    let played = play(&["--num-profile-runs=4"], &acts);
    assert!(played.result.is_enough());
    let metadata = played.json(AGGREGATE)["metadata"].clone();
    assert_eq!((&metadata["num_profile_runs"], &metadata["num_successful_runs"]), (&4.into(), &2.into()));
    assert_eq!(metadata["run_labels"], serde_json::json!(["run_0002", "run_0004"]));
    assert_eq!(metadata["failed_runs"][0]["label"], "run_0001");
    assert_eq!(metadata["failed_runs"][0]["error"], "the server said no");
    assert_eq!(metadata["failed_runs"][1]["error"], "it broke");
    assert_eq!(played.json(AGGREGATE)["metrics"]["request_latency_avg"]["mean"], 15.0);
}

#[test]
fn one_success_is_too_little_for_an_aggregate() {
    let played = play(&["--num-profile-runs=3"], &[Act::Latency(1.0), Act::Fails]);
    assert!(!played.result.is_enough() && !played.has("aggregate"));
    assert_eq!(played.result.runs, 3);
}

#[test]
fn a_point_without_numbers_stays_in_the_table_of_the_sweep() {
    let played = play(&["--concurrency=1,2,3"], &[Act::Latency(10.0), Act::Fails, Act::Latency(5.0)]);
    let sweep = played.json("sweep_aggregate/profile_export_aiperf_sweep.json");
    assert_eq!(sweep["per_combination_metrics"][1]["metrics"], serde_json::json!({}));
    assert_eq!(sweep["failed_runs"][0]["label"], "concurrency_2/run_0001");
    assert_eq!(sweep["best_configurations"]["best_throughput"]["parameters"]["concurrency"], 3);
    assert_eq!(sweep["pareto_optimal"], serde_json::json!([]), "a point without percentiles cannot be judged");
}

#[test]
fn a_first_run_that_cannot_be_prepared_ends_everything_and_a_later_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(folder.path(), &["--num-profile-runs=3"]);
    let error = run_trials(&experiment, "9.9.9", "id", &mut ScriptedRunner::new(&[Act::CannotStart])).unwrap_err();
    assert_eq!(error.to_string(), "no such model");
    let played = play(&["--num-profile-runs=3"], &[Act::Latency(1.0), Act::CannotStart, Act::Latency(1.0)]);
    assert_eq!((played.result.runs, played.result.successful), (3, 2));
}

#[test]
fn an_interrupted_run_ends_the_series_and_keeps_what_was_measured() {
    let acts = [Act::Latency(10.0), Act::Latency(12.0), Act::IsCancelled, Act::Latency(1.0)];
    let played = play(&["--num-profile-runs=5"], &acts);
    assert!(played.result.was_interrupted);
    assert_eq!(played.result.runs, 3);
    let aggregate = played.json(AGGREGATE);
    assert_eq!(aggregate["metadata"]["was_cancelled"], true);
    assert_eq!(aggregate["metadata"]["failed_runs"][0]["label"], "run_0003");
    assert_eq!(aggregate["metrics"]["request_latency_avg"]["mean"], 11.0);
}

#[test]
fn an_interrupted_pause_ends_the_series() {
    let mut script = ScriptedRunner::new(&[Act::Latency(10.0)]);
    script.interrupted_in = Some(2);
    let played = play_on(&["--num-profile-runs=5", "--profile-run-cooldown-seconds=60"], script);
    assert!(played.result.was_interrupted);
    assert_eq!((played.result.runs, played.result.successful), (2, 2));
}

#[test]
fn trials_end_when_the_metric_has_settled() {
    let words = ["--num-profile-runs=9", "--convergence-metric=request_latency", "--convergence-mode=cv"];
    let acts = [Act::Latency(10.0), Act::Latency(20.0), Act::Fails, Act::Latency(15.0)];
    // Two apart, a failure, then alike until the deviation is below a twentieth... which takes all nine here.
    let played = play(&words, &acts);
    assert_eq!(played.result.runs, 9);
    let convergence = &played.json(AGGREGATE)["metadata"]["convergence"];
    assert_eq!(convergence["converged"], false);
    let played = play(&words, &[Act::Latency(10.0), Act::Fails, Act::Latency(10.1)]);
    assert_eq!(played.result.runs, 3, "a failed trial settles nothing");
    let convergence = &played.json(AGGREGATE)["metadata"]["convergence"];
    assert_eq!((&convergence["converged"], &convergence["max_runs"]), (&true.into(), &9.into()));
    assert!(played.has("aggregate/profile_export_aiperf_collated.json"));
    assert!(played.script.seen.iter().all(|assignment| assignment.keeps_values));
}

#[test]
fn distributions_settle_when_the_last_run_looks_like_the_earlier_ones() {
    let words = ["--num-profile-runs=6", "--convergence-metric=request_latency", "--convergence-mode=distribution"];
    let low: Vec<f64> = (0..50).map(f64::from).collect();
    let high: Vec<f64> = low.iter().map(|value| value + 100.0).collect();
    let played = play(&words, &[Act::RequestValues(low.clone()), Act::RequestValues(high), Act::RequestValues(low)]);
    assert!(played.result.runs > 2, "the second run looks like no other");
}

#[test]
fn each_point_of_an_independent_sweep_settles_by_itself() {
    let words = [
        "--num-profile-runs=5",
        "--concurrency=1,2",
        "--parameter-sweep-mode=independent",
        "--convergence-metric=request_latency",
        "--convergence-mode=cv",
    ];
    let acts = [Act::Latency(10.0), Act::Latency(10.0), Act::Latency(30.0), Act::Latency(40.0), Act::Latency(35.0)];
    let played = play(&words, &acts);
    let of_first = played.folders().iter().filter(|folder| folder.starts_with("concurrency_1")).count();
    assert_eq!(of_first, 2);
    assert!(played.result.runs > 4);
}

#[test]
fn a_rule_about_something_that_runs_do_not_have_is_refused() {
    let refused = |words: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let all: Vec<&str> = words.iter().copied().chain(["--num-profile-runs=3"]).collect();
        let experiment = experiment(folder.path(), &all);
        run_trials(&experiment, "9.9.9", "id", &mut ScriptedRunner::new(&[Act::Latency(1.0)])).unwrap_err().to_string()
    };
    assert!(
        refused(&["--convergence-metric=latency"]).contains("no metric has this name; did you mean request_latency?")
    );
    let rate = ["--convergence-metric=request_throughput", "--convergence-stat=p99"];
    assert!(refused(&rate).contains("has no p99"));
    let mode = ["--convergence-metric=request_throughput", "--convergence-mode=distribution"];
    assert!(refused(&mode).contains("values of requests"));
}

#[test]
fn no_further_runs_are_made_without_a_server() {
    let acts = [Act::Latency(10.0), Act::Latency(10.0), Act::LosesServer, Act::Latency(10.0)];
    let played = play(&["--num-profile-runs=5"], &acts);
    assert_eq!((played.result.runs, played.result.successful), (3, 2));
    assert!(played.result.server_lost && !played.result.was_interrupted);
    assert!(played.has(AGGREGATE), "what was measured is summed up");
}

/// Asks for these concurrencies, one after the other, until a point is slow.
struct ScriptedSource {
    left: Vec<u32>,
    base: aiperf_config::Config,
    told: Vec<super::MeasuredCell>,
}

impl super::CellSource for ScriptedSource {
    fn next_cell(&mut self) -> Result<Option<aiperf_config::Cell>, Box<dyn std::error::Error + Send + Sync>> {
        let is_slow = |cell: &super::MeasuredCell| cell.cell.value("request_latency", "avg") > Some(15.0);
        if self.told.last().is_some_and(is_slow) || self.left.is_empty() {
            return Ok(None);
        }
        let level = self.left.remove(0);
        let name = format!("search_iter_{:04}", self.told.len());
        let values = vec![("phases.profiling.concurrency".to_owned(), Value::from(level))];
        let variation = Some(aiperf_config::CellVariation { label: name.clone(), folder: name, values });
        Ok(Some(aiperf_config::Cell { config: self.base.clone(), variation }))
    }

    fn tell(&mut self, result: &super::MeasuredCell) {
        self.told.push(result.clone());
    }
}

#[test]
fn a_search_is_told_each_point_before_it_is_asked_for_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let mut experiment = experiment(dir.path(), &["--concurrency=1,2", "--num-profile-runs=2"]);
    let base = experiment.cells[0].config.clone();
    experiment.cells.clear();
    let mut source = ScriptedSource { left: vec![1, 2, 4, 8], base, told: Vec::new() };
    let acts = [10.0, 12.0, 20.0, 22.0].map(Act::Latency);
    let mut script = ScriptedRunner::new(&acts);
    let result = super::run_search(&experiment, "9.9.9", "id", &mut script, &mut source).unwrap();
    assert_eq!((result.runs, result.cells.len(), source.told.len()), (4, 2, 2), "the second point was slow");
    assert_eq!(source.told[0].trials.len(), 2);
    assert_eq!(source.told[1].cell.parameter("concurrency"), Some(&Value::from(2)));
    assert_eq!(source.told[1].cell.value("request_latency", "avg"), Some(21.0));
    assert!(script.seen[2].config.output.dir.ends_with("search_iter_0001"));
}
