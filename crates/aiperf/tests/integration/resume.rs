//! Sweeps and repeated runs that were interrupted, and go on with `--resume`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aiperf_seed::Seed;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Ended, Program, Running, sim, wait_for};

const SPEED: &str = "ttft=1&itl=0&osl=2";
const SWEEP: &str = "aggregate/sweep_aggregate/profile_export_aiperf_sweep.json";
/// 12 cells with 2 trials each.
const TWELVE: &str = "--concurrency 1,2,3,4 --osl 1,2,3 --request-count 2 --num-profile-runs 2 --no-gpu-telemetry";

fn resume(folder: &Path) -> Program {
    Program::new("profile --resume").word(folder.as_os_str())
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// All files below a folder with this name; those of earlier attempts are left out.
fn named(folder: &Path, name: &str) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(dir) = folders.pop() {
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.ends_with("previous") {
                folders.push(path);
            } else if path.file_name().is_some_and(|own| own == name) {
                found.insert(path.strip_prefix(folder).unwrap().to_owned());
            }
        }
    }
    found
}

fn marks(folder: &Path) -> usize {
    named(folder, ".aiperf_trial.json").len()
}

/// Kills the program when as many more runs are complete, and a little later. It may have ended before.
fn kill_after(mut running: Running, folder: &Path, more: usize, later: Duration) -> Ended {
    let goal = marks(folder) + more;
    wait_for("the runs to go on", || {
        let is_there = folder.join(".aiperf_plan.json").exists() && marks(folder) >= goal;
        (is_there || running.has_ended()).then_some(())
    });
    std::thread::sleep(later);
    if !running.has_ended() {
        running.signal(Signal::KILL);
    }
    running.end()
}

#[test]
fn a_sweep_that_is_killed_20_times_ends_as_one_that_was_not() {
    let sim = sim(SPEED);
    let whole = Program::against(&sim, TWELVE).succeed();
    let mut instants = Seed::fixed(23).stream("kills");
    let mut instant = || (instants.next_u64() % 2, Duration::from_micros(instants.next_u64() % 60_000));
    let running = Program::against(&sim, TWELVE).start();
    let folder = running.out();
    let (more, later) = instant();
    // Its folder lives as long as this value.
    let first = kill_after(running, &folder, more as usize, later);
    let folder = first.artifacts.path("");
    let mut kills = usize::from(first.code.is_none());
    while kills < 20 {
        let (more, later) = instant();
        let ended = kill_after(resume(&folder).start(), &folder, more as usize, later);
        if ended.code.is_some() {
            assert_eq!(ended.code, Some(0), "{}", ended.stderr);
            break;
        }
        kills += 1;
    }
    let before = marks(&folder);
    let ended = resume(&folder).run();
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains(&format!("{before} of 24 runs were kept")), "{before}: {}", ended.stdout);
    let (sweep, expected) = (read(&folder.join(SWEEP)), whole.json(SWEEP));
    let points = |sweep: &Value| -> Vec<Value> {
        let points = sweep["per_combination_metrics"].as_array().unwrap();
        points.iter().map(|point| point["parameters"].clone()).collect()
    };
    assert_eq!(points(&sweep), points(&expected));
    for key in ["num_profile_runs", "num_successful_runs", "failed_runs", "metadata"] {
        assert_eq!(sweep[key], expected[key], "{key}");
    }
    assert_eq!(sweep["num_profile_runs"], 24);
    let summaries = named(&folder, "profile_export_aiperf.json");
    assert_eq!(summaries, named(&whole.path(""), "profile_export_aiperf.json"));
    assert_eq!(summaries.len(), 24);
    for run in summaries.iter().filter_map(|summary| summary.parent()) {
        let same = |name: &str| {
            let (one, other) = (read(&folder.join(run).join(name)), whole.json(run.join(name).to_str().unwrap()));
            (one, other)
        };
        let (one, other) = same("inputs.json");
        assert_eq!(one, other, "{}: the same data in the same order", run.display());
        let (one, other) = same("run_config.json");
        for key in ["variation", "trial", "random_seed", "label"] {
            assert_eq!(one[key], other[key], "{}: {key}", run.display());
        }
    }
    let ids: BTreeSet<String> = summaries
        .iter()
        .map(|summary| read(&folder.join(summary.with_file_name("run_config.json")))["sweep_id"].to_string())
        .collect();
    assert_eq!(ids.len(), 1, "all runs belong to one sweep");
    let checked = Program::new("validate").word(folder.as_os_str()).run();
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
    assert!(checked.stdout.contains("24 runs"), "{}", checked.stdout);
}

#[test]
fn a_changed_command_is_refused_with_what_changed_and_the_same_one_keeps_all_runs() {
    let sim = sim(SPEED);
    let words = "--concurrency 1,2 --request-count 2 --no-gpu-telemetry";
    let artifacts = Program::against(&sim, words).succeed();
    let folder = artifacts.path("");
    let again = |words: &str| {
        let words = format!("--url {} --model test-model --tokenizer builtin --isl 20 {words}", sim.url());
        Program::new(&format!("profile --no-server-metrics {words} --resume")).word(folder.as_os_str()).run()
    };
    let before = sim.truth().len();
    let changed = again("--concurrency 1,2 --request-count 3 --no-gpu-telemetry");
    assert_eq!(changed.code, Some(1), "{}", changed.stdout);
    for part in ["differs from the one that began there", "config.phases[0].requests: 2 -> 3"] {
        assert!(changed.stderr.contains(part), "{part:?} is not in {}", changed.stderr);
    }
    let longer = again("--concurrency 1,2,4 --request-count 2 --no-gpu-telemetry");
    assert!(longer.stderr.contains("cells[2]"), "{}", longer.stderr);
    let same = again(words);
    assert_eq!(same.code, Some(0), "{}", same.stderr);
    assert!(same.stdout.contains("2 of 2 runs were kept"), "{}", same.stdout);
    assert_eq!(sim.truth().len(), before, "nothing was sent");
}

#[test]
fn a_run_whose_files_were_damaged_is_made_again_and_the_old_files_are_moved_aside() {
    let sim = sim(SPEED);
    let artifacts = Program::against(&sim, "--concurrency 1,2 --request-count 2 --no-gpu-telemetry").succeed();
    let records = artifacts.path("concurrency_2/profile_export.jsonl");
    let text = fs::read_to_string(&records).unwrap();
    fs::write(&records, text.lines().next().unwrap()).unwrap();
    let ended = resume(&artifacts.path("")).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("Run 2 of 2 (concurrency 2) is made again"), "{}", ended.stderr);
    assert!(ended.stdout.contains("1 of 2 runs were kept"), "{}", ended.stdout);
    assert_eq!(fs::read_to_string(&records).unwrap().lines().count(), 2);
    assert!(artifacts.path("concurrency_2/previous/profile_export.jsonl").exists());
}

#[test]
fn repeated_runs_that_were_interrupted_go_on_with_what_convergence_knows() {
    // The third run stands still for good.
    let sim = sim("ttft=1&itl=0&osl=2&stall_every=9&stall_ms=600000");
    let words = "--streaming --request-count 4 --num-profile-runs 4 --convergence-metric request_latency \
                 --convergence-threshold 0.0001 --no-gpu-telemetry";
    let running = Program::against(&sim, words).start();
    let log = running.out().join("profile_runs/run_0003/logs/aiperf.log");
    wait_for("the third run to stand still", || {
        fs::read_to_string(&log).ok()?.contains("Phase profiling started").then_some(())
    });
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(ended.stderr.contains("aiperf profile --resume "), "{}", ended.stderr);
    // The server is another one now, at another address: that is a change.
    let folder = ended.artifacts.path("");
    let other = crate::support::sim(SPEED);
    let words = format!(
        "profile --url {} --model test-model --tokenizer builtin --isl 20 --no-server-metrics {words} --resume",
        other.url()
    );
    let refused = Program::new(&words).word(folder.as_os_str()).run();
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("config.endpoint.urls[0]"), "{}", refused.stderr);
    // The run that stood still was the only one that did.
    let again = resume(&folder).start();
    wait_for("the fourth run", || again_reached(&folder).then_some(()));
    drop(again);
    let metadata = read(&folder.join("aggregate/profile_export_aiperf_aggregate.json"))["metadata"].clone();
    assert_eq!(metadata["run_labels"], json!(["run_0001", "run_0002"]), "that of the first attempt");
}

/// Whether a resumed command has begun the run that was interrupted, with the first two kept.
fn again_reached(folder: &Path) -> bool {
    let run = folder.join("profile_runs/run_0003");
    run.join("previous/logs/aiperf.log").exists() && run.join("logs/aiperf.log").exists()
}

#[test]
fn there_must_be_a_plan_to_resume() {
    let empty = tempfile::tempdir().unwrap();
    let ended = resume(empty.path()).run();
    ended.was_refused_with(&["--resume", "has no plan of a sweep", ".aiperf_plan.json"]);
    let sim = sim(SPEED);
    let ended = Program::against(&sim, "--request-count 2 --fail-fast").run();
    ended.was_refused_with(&["--fail-fast needs a sweep"]);
}
