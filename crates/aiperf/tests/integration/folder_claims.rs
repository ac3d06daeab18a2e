//! A folder belongs to one run: what an earlier one left is set aside before the first request, and two cannot write at once.

use std::fs;
use std::path::Path;

use aiperf_sim::Sim;
use rustix::process::Signal;
use tempfile::TempDir;

use crate::support::{Ended, Program, sim, wait_for};

const MUCH: &str = "--request-count 12 --warmup-request-count 2 --export-level raw --slice-duration 0.05 --export-outputs-json \
                    --export-records-parquet --export-genai-perf";

/// A run into a folder that outlives it.
fn into(folder: &Path, sim: &Sim, words: &str) -> Program {
    let base = format!("profile --url {} --model test-model --tokenizer builtin --isl 20 --osl 2", sim.url());
    Program::new(&base).with("--artifact-dir").word(folder).with(words)
}

fn succeed(program: Program) -> Ended {
    let ended = program.run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended
}

fn assert_whole(folder: &Path) {
    let ended = Program::new("validate").word(folder).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stdout);
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn setup() -> (Sim, TempDir) {
    (sim("ttft=1&itl=0&osl=2"), tempfile::tempdir().unwrap())
}

#[test]
fn files_that_the_new_run_does_not_write_do_not_stay_beside_its_summary() {
    let (sim, folder) = setup();
    let first = succeed(into(folder.path(), &sim, MUCH));
    assert!(!first.stderr.contains("earlier run"), "{}", first.stderr);
    let before = names(folder.path());
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    let second = succeed(into(folder.path(), &sim, "--request-count 5"));
    assert!(second.stderr.contains("moved to previous/"), "{}", second.stderr);
    assert_whole(folder.path());
    assert_eq!(names(&folder.path().join("previous")), before);
    assert_whole(&folder.path().join("previous"));
    assert!(folder.path().join("notes.txt").exists());
    for gone in ["profile_export_raw.jsonl", "outputs.json", "profile_export.parquet", "phases", "phase_manifest.json"]
    {
        assert!(!folder.path().join(gone).exists(), "{gone}");
    }
    let third = succeed(into(folder.path(), &sim, "--request-count 5 --overwrite"));
    assert!(third.stderr.contains("deleted (--overwrite)"), "{}", third.stderr);
    assert_eq!(names(&folder.path().join("previous")), before, "what was set aside stays");
    assert!(fs::read_to_string(folder.path().join("logs/aiperf.log")).unwrap().contains("--overwrite"));
}

#[test]
fn old_results_do_not_pass_for_those_of_a_run_that_was_killed() {
    let (sim, folder) = setup();
    succeed(into(folder.path(), &sim, "--request-count 5"));
    let stuck = crate::support::sim("ttft=600000");
    let running = into(folder.path(), &stuck, "--request-count 5").start();
    let note = folder.path().join(".aiperf_run.json");
    wait_for("the run to begin", || note.exists().then_some(()));
    running.signal(Signal::KILL);
    running.end();
    for gone in [".aiperf_results_ready.json", "profile_export_aiperf.json", "profile_export_aiperf.csv"] {
        assert!(!folder.path().join(gone).exists(), "{gone}");
        assert!(folder.path().join("previous").join(gone).exists(), "{gone}");
    }
    assert!(folder.path().join(".aiperf_run.json").exists());
}

#[test]
fn two_runs_at_once_do_not_write_into_one_folder() {
    let (sim, folder) = setup();
    let stuck = crate::support::sim("ttft=1&itl=0&osl=2&stall_every=3&stall_ms=600000");
    let first = into(folder.path(), &stuck, "--request-count 5").start();
    wait_for("two requests", || (stuck.truth().len() >= 2).then_some(()));
    let second = into(folder.path(), &sim, "--request-count 5").run();
    assert_eq!(second.code, Some(1));
    let error = second.stderr.lines().last().unwrap_or_default();
    assert!(
        error.starts_with("error: another aiperf run is writing to") && error.contains("--artifact-dir"),
        "{error}"
    );
    assert!(sim.truth().is_empty(), "nothing was sent");
    let report = Program::new("report").word(folder.path()).run();
    assert_eq!(report.code, Some(1));
    assert!(report.stderr.contains("another aiperf run"), "{}", report.stderr);
    first.signal(Signal::INT);
    assert_eq!(first.end().code, Some(130));
    assert_whole(folder.path());
    assert!(!folder.path().join("previous").exists());
}

#[test]
fn a_sweep_leaves_no_points_and_trials_of_an_earlier_one_beside_its_own() {
    let (sim, folder) = setup();
    succeed(into(folder.path(), &sim, "--request-count 4 --concurrency 1,2 --num-profile-runs 2"));
    succeed(into(folder.path(), &sim, "--request-count 4 --num-profile-runs 3"));
    assert_whole(folder.path());
    assert_eq!(
        names(folder.path()),
        [".aiperf_plan.json", "aggregate", "aiperf_config.yaml", "previous", "profile_runs"]
    );
    assert_eq!(names(&folder.path().join("profile_runs")).len(), 3);
    assert_whole(&folder.path().join("previous"));
    let single = succeed(into(folder.path(), &sim, "--request-count 4"));
    assert!(single.stderr.contains("moved to previous/"), "{}", single.stderr);
    assert!(!folder.path().join("profile_runs").exists());
    assert!(folder.path().join("previous/profile_runs/run_0003").exists());
    assert!(folder.path().join("previous/older/1/profile_runs/trial_0002").exists());
    assert_whole(folder.path());
}

#[test]
fn data_in_the_folder_of_an_earlier_run_can_be_sent_again_from_there() {
    let (sim, folder) = setup();
    succeed(into(folder.path(), &sim, "--request-count 3"));
    let inputs = folder.path().join("inputs.json");
    let words = "--request-count 3 --custom-dataset-type inputs_json --input-file";
    let base = format!("profile --url {} --model test-model --tokenizer builtin --artifact-dir", sim.url());
    let ended = Program::new(&base).word(folder.path()).with(words).word(&inputs).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(inputs.exists());
}
