//! `aiperf compare` and `aiperf gate` on runs against the simulator, and on folders that the reference left.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Artifacts, Ended, Program, sim, wait_for};

const LOAD: &str = "--streaming --osl 4 --concurrency 8";

fn run(server: &str, requests: u32) -> Artifacts {
    let sim = sim(server);
    Program::against(&sim, LOAD).with(&format!("--request-count {requests}")).succeed()
}

fn compare(a: &Path, b: &Path, words: &str) -> Ended {
    Program::new("compare").word(a).word(b).with(words).run()
}

fn gate(a: &Path, b: &Path, words: &str) -> Ended {
    Program::new("gate --baseline").word(a).word(b).with(words).run()
}

fn recorded(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../artifact/tests/fixtures").join(name)
}

/// A copy of a run in which first tokens took this long, give or take a fifth, whatever else the machine had to do meanwhile.
fn with_first_tokens(run: &Artifacts, milliseconds: f64) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for file in [".aiperf_run.json", "profile_export_aiperf.json"] {
        let _ = fs::copy(run.path(file), copy.path().join(file));
    }
    let records = run.records().into_iter().enumerate().map(|(index, mut record)| {
        let noise =
            (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let value = milliseconds * (0.8 + 0.4 * (noise >> 11) as f64 / (1_u64 << 53) as f64);
        for metric in ["time_to_first_token", "request_latency"] {
            record.0["metrics"][metric]["value"] = value.into();
        }
        format!("{}\n", record.0)
    });
    fs::write(copy.path().join("profile_export.jsonl"), records.collect::<String>()).unwrap();
    copy
}

#[test]
fn a_server_that_became_slower_does_not_pass() {
    let run = run("ttft=lognormal:20,4&itl=1", 240);
    let (before, after) = (with_first_tokens(&run, 20.0), with_first_tokens(&run, 40.0));
    let (a, b) = (before.path().to_owned(), after.path().to_owned());
    let ended = compare(&a, &b, "");
    assert_eq!(ended.code, Some(0), "a comparison is no gate: {}", ended.stderr);
    let line =
        |text: &str, start: &str| text.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned();
    assert!(line(&ended.stdout, "Time to First Token avg").contains("worse"), "{}", ended.stdout);
    let judged = gate(&a, &b, "");
    assert_eq!(judged.code, Some(2), "{}{}", judged.stdout, judged.stderr);
    assert!(judged.stdout.contains("gate: regression: time_to_first_token:avg"), "{}", judged.stdout);
    let other_way = gate(&b, &a, "--metric time_to_first_token,request_latency --format json");
    assert_eq!(other_way.code, Some(0), "{}", other_way.stdout);
    let page: Value = serde_json::from_str(&other_way.stdout).unwrap();
    assert_eq!(page["gate"]["outcome"], "pass");
    assert_eq!(page["comparisons"][0]["metrics"][0]["verdict"], "better");
    assert_eq!(page["comparisons"][0]["workload_differences"], Value::Array(Vec::new()));
    // Nobody minds a change that is within the threshold.
    let lenient = gate(&b, &a, "--metric time_to_first_token:avg:90%");
    assert_eq!(lenient.code, Some(0), "{}", lenient.stdout);
}

/// A run of 1,000 requests of which eight finish before this signal.
fn broken_off(signal: Signal) -> Artifacts {
    let sim = sim("ttft=2&itl=0&osl=2&stall_every=3&stall_ms=600000");
    let running = Program::against(&sim, "--streaming --concurrency 4 --request-count 1000").start();
    let artifacts = running.out();
    wait_for("eight requests to finish", || (sim.truth().len() >= 8).then_some(()));
    let written = || fs::read_to_string(artifacts.join("profile_export.jsonl")).unwrap_or_default().lines().count();
    if signal == Signal::KILL {
        wait_for("records to be written", || (written() >= 8).then_some(()));
    }
    running.signal(signal);
    running.end().artifacts
}

#[test]
fn a_gate_gives_no_verdict_on_a_cancelled_run() {
    let good = run("ttft=5&itl=1", 40);
    let cut = broken_off(Signal::INT);
    let (a, b) = (good.path(""), cut.path(""));
    for ended in [gate(&a, &b, "--on-unclear pass"), compare(&a, &b, "")] {
        assert_eq!(ended.code, Some(4), "{}{}", ended.stdout, ended.stderr);
        let words = "no verdict: the candidate was interrupted after 8 of 1,000 requests";
        assert!(ended.stdout.contains(words), "{}", ended.stdout);
        assert!(!ended.stdout.contains("worse  "), "{}", ended.stdout);
    }
    let page = gate(&a, &b, "--format json");
    let page: Value = serde_json::from_str(&page.stdout).unwrap();
    assert_eq!((&page["gate"]["outcome"], &page["gate"]["exit_code"]), (&"no verdict".into(), &4.into()));
    assert!(page["no_verdict"].as_str().unwrap().contains("interrupted after 8"), "{page}");
    let as_baseline = gate(&b, &a, "--format junit");
    assert_eq!(as_baseline.code, Some(4));
    assert!(
        as_baseline.stdout.contains("<error type=\"no verdict\" message=\"no verdict: the baseline was interrupted")
    );
    let allowed = gate(&a, &b, "--allow-incomplete");
    assert!(matches!(allowed.code, Some(0 | 2 | 3)), "{}", allowed.stdout);
    assert!(
        allowed.stdout.contains("warning: candidate: incomplete: the candidate was interrupted"),
        "{}",
        allowed.stdout
    );
}

#[test]
fn a_gate_gives_no_verdict_on_a_killed_run_nor_on_what_report_made_of_it() {
    let good = run("ttft=5&itl=1", 40);
    let killed = broken_off(Signal::KILL);
    let (a, b) = (good.path(""), killed.path(""));
    let ended = gate(&a, &b, "");
    assert_eq!(ended.code, Some(4), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("no verdict: the candidate has no summary"), "{}", ended.stdout);
    Program::new("report").word(&b).run();
    let rebuilt = gate(&a, &b, "");
    assert_eq!(rebuilt.code, Some(4), "{}{}", rebuilt.stdout, rebuilt.stderr);
    assert!(rebuilt.stdout.contains("no verdict: the candidate"), "{}", rebuilt.stdout);
}

#[test]
fn a_few_requests_of_one_server_cannot_tell() {
    let (before, after) = (run("ttft=lognormal:10,2&itl=1", 12), run("ttft=lognormal:10,2&itl=1&seed=7", 12));
    let (a, b) = (before.path(""), after.path(""));
    let ended = gate(&a, &b, "--metric time_to_first_token,request_latency");
    assert_eq!(ended.code, Some(3), "{}{}", ended.stdout, ended.stderr);
    assert!(
        ended.stdout.contains("gate: inconclusive: time_to_first_token:avg, request_latency:avg"),
        "{}",
        ended.stdout
    );
    let lenient = gate(&a, &b, "--metric time_to_first_token --on-unclear pass");
    assert_eq!(lenient.code, Some(0), "{}", lenient.stdout);
    let compared = compare(&a, &b, "");
    assert_eq!(compared.code, Some(0));
    assert!(compared.stdout.contains("has too few requests for an interval"), "{}", compared.stdout);
    assert!(!compared.stdout.contains("worse  "), "{}", compared.stdout);
}

#[test]
fn another_workload_is_pointed_out() {
    let sim = sim("ttft=1&itl=0");
    let profile = |words: &str| Program::against(&sim, "--request-count 40 --streaming").with(words).succeed();
    let (before, after) = (profile("--concurrency 2 --osl 4"), profile("--concurrency 4 --osl 8"));
    let ended = compare(&before.path(""), &after.path(""), "--format markdown");
    for words in ["concurrency: 2 in the baseline, 4 in the candidate", "output sequence length: 4.0 tokens"] {
        assert!(ended.stdout.contains(words), "{words} is not in {}", ended.stdout);
    }
}

#[test]
fn folders_of_the_reference_are_compared() {
    let ended = compare(&recorded("timeslices"), &recorded("server_metrics"), "");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("Time to First Token avg (ms)"), "{}", ended.stdout);
    let three = Program::new("compare")
        .word(recorded("timeslices"))
        .word(recorded("server_metrics"))
        .word(recorded("rate_naming"))
        .with("--metric request_latency --confidence-level 0.9")
        .run();
    assert_eq!(three.stdout.matches("\ncandidate  ").count(), 2, "{}", three.stdout);
    assert!(three.stdout.contains("at 95%, so that all verdicts together hold at 90%"), "{}", three.stdout);
}

#[test]
fn a_file_can_be_asked_for_beside_the_console() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gate.xml");
    let words = format!("--metric request_latency --format junit --output {}", file.display());
    let ended = gate(&recorded("timeslices"), &recorded("timeslices"), &words);
    assert!(matches!(ended.code, Some(0 | 3)), "{}", ended.stderr);
    assert!(ended.stdout.contains("gate: "), "{}", ended.stdout);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("<?xml") && text.contains("<testsuites name=\"aiperf gate\" tests=\"1\""), "{text}");
    let nowhere = format!("--format json --output {}", folder.path().join("no/such/file").display());
    let refused = gate(&recorded("timeslices"), &recorded("timeslices"), &nowhere);
    refused.was_refused_with(&["cannot write", "no/such/file"]);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let good = recorded("timeslices");
    compare(&good, Path::new("nowhere"), "").was_refused_with(&["nowhere: this folder does not exist"]);
    compare(&good, Path::new("."), "").was_refused_with(&["it is not an artifact folder"]);
    gate(&good, &good, "--metric input_sequence_length").was_refused_with(&["input_sequence_length:avg has no better"]);
    gate(&good, &good, "--metric goodput").was_refused_with(&["no run has goodput:avg"]);
    gate(&good, &good, "--detect 1%").was_refused_with(&["--detect 1% is not above the threshold"]);
    gate(&good, &good, "--threshold 0.02").was_refused_with(&["--threshold: \"0.02\" is not a percentage"]);
    Program::new("gate").word(&good).run().was_refused_with(&["aiperf gate --baseline A B"]);
    Program::new("compare").word(&good).run().was_refused_with(&["aiperf compare A B"]);
}
