//! Ctrl-C, a polite kill and a hard one, in the middle of a run: nothing that was measured is lost.

use std::fs;

use aiperf_sim::Sim;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Artifacts, Ended, Program, Record, Running, sim, wait_for};

/// Every third reply stands still for good: with four places, eight requests finish and then all wait.
fn stuck_run() -> (Sim, Running) {
    let sim = sim("ttft=2&itl=0&osl=2&stall_every=3&stall_ms=600000");
    let words = "--streaming --concurrency 4 --request-count 1000 --num-dataset-entries 10";
    let running = Program::against(&sim, words).start();
    wait_for("eight requests to finish", || (sim.truth().len() >= 8).then_some(()));
    (sim, running)
}

fn check_cancelled(ended: &Ended) {
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(ended.stderr.contains("Stopping"), "{}", ended.stderr);
    assert!(ended.stdout.contains("INCOMPLETE RESULTS"), "{}", ended.stdout);
    assert!(ended.stdout.contains("cancelled early"), "{}", ended.stdout);
    let summary = ended.artifacts.summary();
    assert_eq!((&summary["was_cancelled"], &summary["is_complete"]), (&true.into(), &false.into()));
    assert!(summary["incomplete_reason"].is_string());
    let marker = ended.artifacts.json(".aiperf_results_ready.json");
    assert_eq!((&marker["ready"], &marker["was_cancelled"]), (&true.into(), &true.into()));
}

fn cut_off(artifacts: &Artifacts) -> usize {
    let cut: Vec<_> = artifacts.records().into_iter().filter(Record::was_cancelled).collect();
    for record in &cut {
        assert_eq!(record.error(), (Some(499), "RequestCancellationError"));
        assert!(record.0["error"]["message"].as_str().unwrap().contains("interrupted"), "{record:?}");
    }
    cut.len()
}

#[test]
fn the_first_interrupt_keeps_what_finished_and_marks_it_cancelled() {
    for signal in [Signal::INT, Signal::TERM] {
        let (sim, running) = stuck_run();
        running.signal(signal);
        let ended = running.end();
        check_cancelled(&ended);
        let artifacts = &ended.artifacts;
        let cut = cut_off(artifacts);
        // The twelfth request may not have been on its way yet.
        assert!((3..=4).contains(&cut), "{cut}");
        assert_eq!(artifacts.records().len(), 8 + cut);
        assert_eq!(artifacts.average("request_count") as u32, 8);
        assert_eq!(sim.truth().iter().filter(|truth| truth.outcome == aiperf_sim::TruthOutcome::Completed).count(), 8);
    }
}

#[test]
fn an_interrupt_before_anything_finished_still_leaves_the_files() {
    let sim = sim("ttft=600000");
    let running = Program::against(&sim, "--streaming --concurrency 2").start();
    // The records file is there before the first request is sent, the log says when the phase has begun.
    wait_for("the run to begin", || {
        fs::read_to_string(running.out().join("logs/aiperf.log"))
            .ok()?
            .contains("Phase profiling started")
            .then_some(())
    });
    running.signal(Signal::INT);
    let ended = running.end();
    check_cancelled(&ended);
    assert!(cut_off(&ended.artifacts) <= 2);
    assert!(!ended.artifacts.has_metric("request_latency"));
}

#[test]
fn an_interrupt_in_the_warmup_ends_the_run() {
    let sim = sim("ttft=1&itl=0&osl=2&stall_every=2&stall_ms=600000");
    let running = Program::against(&sim, "--streaming --warmup-request-count 5 --request-count 5").start();
    wait_for("a request to finish", || (!sim.truth().is_empty()).then_some(()));
    running.signal(Signal::INT);
    let ended = running.end();
    check_cancelled(&ended);
    let artifacts = &ended.artifacts;
    assert!(artifacts.records().iter().all(|record| record.word("phase_name") == "warmup"));
    assert_eq!(artifacts.json("phase_manifest.json")["phases"][0]["was_cancelled"], true);
    assert_eq!(artifacts.summary()["warmup_metrics"]["request_count"]["avg"], 1.0);
}

#[test]
fn the_second_interrupt_ends_at_once() {
    let (_sim, running) = stuck_run();
    // A pipe without a reader in place of the first summary file holds the program up between the two.
    let pipe = running.out().join("profile_export_aiperf.csv.part");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    running.signal(Signal::INT);
    wait_for("the first interrupt to be heard", || running.stderr().contains("Stopping").then_some(()));
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(ended.stderr.contains("Ended at once"), "{}", ended.stderr);
    let kept = ended.artifacts.records().len();
    assert!(kept >= 8, "{kept}");
    assert!(ended.stderr.contains(&format!("holds all {kept} finished requests")), "{}", ended.stderr);
    assert!(!ended.artifacts.names().contains(&".aiperf_results_ready.json".to_owned()));
}

#[test]
fn a_hard_kill_leaves_the_records_that_were_written() {
    let sim = sim("ttft=1&itl=0&osl=2");
    let words = "--streaming --concurrency 4 --request-count 10000000 --num-dataset-entries 10 --export-level raw";
    let running = Program::against(&sim, words).start();
    let files = ["profile_export.jsonl", "profile_export_raw.jsonl"];
    for name in files {
        let path = running.out().join(name);
        wait_for("records on the disk", || fs::read_to_string(&path).ok()?.contains('\n').then_some(()));
    }
    running.signal(Signal::KILL);
    let ended = running.end();
    assert_eq!(ended.code, None);
    for name in files {
        let text = ended.artifacts.text(name);
        let (whole, _rest) = text.rsplit_once('\n').unwrap();
        for line in whole.lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            assert!(record["metadata"]["x_request_id"].is_string());
        }
    }
}
