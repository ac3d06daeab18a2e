//! The self-test as a user runs it. How good the times are depends on the machine, so that only what is said of them is
//! looked at.

use std::fs;
use std::path::Path;

use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Ended, Program, wait_for};

const LOAD: &str = "selftest --streams 3 --tokens-per-second 200 --ttft 20 --osl 6 --duration 0.5";

fn selftest(state: &TempDir, words: &str) -> Ended {
    Program::new(LOAD).with(words).env("XDG_STATE_HOME", state.path()).run()
}

fn kept(state: &TempDir) -> Value {
    serde_json::from_slice(&fs::read(state.path().join("aiperf/selftest.json")).unwrap()).unwrap()
}

#[test]
fn a_selftest_prints_its_table_and_its_verdict_and_keeps_them() {
    let state = tempfile::tempdir().unwrap();
    let ended = selftest(&state, "");
    let text = &ended.stdout;
    for word in ["Time to First Token", "Inter Chunk Latency", "Send Time", "p99", "3 streams", "0 lost, 0 extra"] {
        assert!(text.contains(word), "{word:?} is not in {text}\n{}", ended.stderr);
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80 || line.starts_with("Kept in")), "{text}");
    let failed = text.contains("Verdict: FAIL");
    assert!(failed || text.contains("Verdict: PASS") || text.contains("Verdict: WARN"), "{text}");
    assert_eq!(ended.code, Some(i32::from(failed)), "{}", ended.stderr);
    let test = &kept(&state)["tests"][0];
    assert_eq!(test["load"]["streams"], 3);
    assert!(test["errors"]["request_latency"]["count"].as_u64().unwrap() > 3);
    assert!(!ended.artifacts.exists(), "nothing is left in the working folder");
}

#[test]
fn a_limit_that_nothing_meets_turns_the_verdict_bad() {
    let state = tempfile::tempdir().unwrap();
    let ended = selftest(&state, "--max-ttft-error-ms 0.000001 --format json");
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(report["verdict"], "FAIL");
    assert_eq!((&report["requests"]["lost"], &report["requests"]["extra"]), (&0.into(), &0.into()));
    assert_eq!(report["limits"]["time_to_first_token"]["p99"], 0.000_001);
    assert!(report["problems"].to_string().contains("is above its limit of 0.000001 ms"), "{report}");
    assert_eq!(kept(&state)["tests"][0]["verdict"], "FAIL");
}

#[test]
fn a_rate_is_tested_against_its_schedule() {
    let state = tempfile::tempdir().unwrap();
    let words = "selftest --request-rate 40 --ttft 5 --osl 3 --duration 0.7 --format json --export-level summary";
    let ended = Program::new(words).env("XDG_STATE_HOME", state.path()).run();
    let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{}", ended.stderr));
    assert_eq!(report["asked"]["request_rate"], 40.0);
    assert!(report["limits"].get("schedule_lag").is_some());
    assert!(report["errors"]["schedule_lag"]["count"].as_u64().unwrap() > 0);
}

#[test]
fn later_runs_cite_the_test_and_say_when_they_went_beyond_it() {
    let state = tempfile::tempdir().unwrap();
    let profile = |words: &str| {
        Program::profile("--url sim:?ttft=5&itl=1 --streaming --osl 4 --request-count 12")
            .with(words)
            .env("XDG_STATE_HOME", state.path())
            .run()
    };
    let before = profile("--concurrency 2");
    assert!(before.artifacts.summary().get("selftest").is_none() && !before.stdout.contains("certified"));

    selftest(&state, "");
    // However this machine did, from here on it passed, for any rate.
    let mut contents = kept(&state);
    let test = &mut contents["tests"][0];
    (test["verdict"], test["load"]["streams"]) = ("PASS".into(), 3.into());
    (test["load"]["chunks_per_second"], test["load"]["requests_per_second"]) = (1e9.into(), 1e9.into());
    fs::write(state.path().join("aiperf/selftest.json"), contents.to_string()).unwrap();

    let within = profile("--concurrency 2");
    let summary = within.artifacts.summary();
    assert_eq!(summary["selftest"]["covers_this_run"], true, "{summary}");
    assert_eq!(summary["selftest"]["certified"]["streams"], 3);
    assert!(within.stdout.contains("This machine was certified on"), "{}", within.stdout);
    assert!(!summary["validity"].to_string().contains("beyond_certified_load"));

    let beyond = profile("--concurrency 6");
    let summary = beyond.artifacts.summary();
    assert_eq!(summary["selftest"]["covers_this_run"], false);
    let notes = summary["validity"].as_array().unwrap();
    let note = notes.iter().find(|note| note["code"] == "beyond_certified_load").unwrap();
    assert_eq!((&note["subject"], &note["threshold"]), (&"in_flight".into(), &3.0.into()));
    assert_eq!(note["severity"], "info", "a machine that was never tested passes --strict, too");
    assert!(beyond.stdout.contains("aiperf selftest --streams"), "{}", beyond.stdout);
}

#[test]
fn a_selftest_that_is_stopped_leaves_neither_a_result_nor_a_simulator() {
    let folder = tempfile::tempdir().unwrap();
    let running = Program::new("selftest --streams 2 --duration 600 --artifact-dir")
        .word(folder.path().join("kept"))
        .env("XDG_STATE_HOME", folder.path())
        .start();
    let truth = folder.path().join("kept/truth.jsonl");
    wait_for("the first requests", || fs::metadata(&truth).ok().filter(|file| file.len() > 0));
    assert!(is_served(&truth));
    running.signal(Signal::TERM);
    let ended = running.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(!folder.path().join("aiperf/selftest.json").exists());
    assert!(!is_served(&truth));
}

/// Whether a simulator runs that writes to this file.
fn is_served(truth: &Path) -> bool {
    let wanted = truth.to_str().unwrap();
    let commands = fs::read_dir("/proc").unwrap().flatten();
    let lines = commands.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.into_iter().any(|line| line.split(|byte| *byte == 0).any(|word| word == wanted.as_bytes()))
}

#[test]
fn a_load_that_is_none_is_refused_by_name() {
    for (words, named) in [
        ("--streams 0", "--streams \"0\""),
        ("--request-rate 5", "--streams and --request-rate"),
        ("--ttft slow", "--ttft \"slow\""),
        ("--format xml", "--format \"xml\""),
    ] {
        Program::new(if words == "--request-rate 5" { "selftest --streams 5" } else { "selftest" })
            .with(words)
            .run()
            .was_refused_with(&[named]);
    }
}
