//! When a phase stops sending and how it then ends, by what the server got and how it ended.

use std::fs;

use aiperf_sim::TruthOutcome;
use serde_json::{Value, json};

use crate::support::{Entry, Log, Program, Record, sim, truth_of};

const FAST: &str = "ttft=0&itl=0&osl=1";

fn session_lengths(words: &str) -> Vec<usize> {
    let sim = sim(FAST);
    let artifacts = Program::against(&sim, "--session-turns-mean 3 --export-level raw").with(words).succeed();
    let log = Log::of(&sim, &artifacts);
    assert_eq!(artifacts.counted("sent"), log.len() as u64);
    log.sessions().iter().map(Vec::len).collect()
}

#[test]
fn sessions_run_to_their_end_and_requests_are_counted_one_by_one() {
    assert_eq!(session_lengths("--num-sessions 3 --concurrency 1"), [3, 3, 3]);
    assert_eq!(session_lengths("--request-count 4 --concurrency 1"), [3, 1]);
    assert_eq!(session_lengths(""), [3, 3, 3, 1], "ten requests when nothing says when to stop");
}

#[test]
fn the_first_condition_that_is_reached_ends_the_run() {
    assert_eq!(session_lengths("--num-sessions 2 --request-count 100 --benchmark-duration 500"), [3, 3]);
    assert_eq!(session_lengths("--num-sessions 50 --request-count 5 --benchmark-duration 500"), [3, 2]);
    let sim = sim("ttft=100&itl=0&osl=1");
    let words = "--num-sessions 5000 --request-count 5000 --benchmark-duration 0.7 --export-level raw";
    let artifacts = Program::against(&sim, words).succeed();
    let log = Log::of(&sim, &artifacts);
    assert!(log.len() <= 7, "{} one after the other, 0.1 s each", log.len());
    assert!(log.iter().all(Entry::completed));
}

#[test]
fn a_duration_abandons_sessions_between_their_turns() {
    let sim = sim(FAST);
    // Longer than any test waits.
    let words = "--session-turns-mean 2 --session-turn-delay-mean 600000 --concurrency 3 --benchmark-duration 0.5";
    let artifacts = Program::against(&sim, words).with("--export-level raw").succeed();
    let log = Log::of(&sim, &artifacts);
    assert_eq!(log.sessions().iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1]);
    let counts = artifacts.accounting("profiling");
    assert_eq!((&counts["sessions_sent"], &counts["sessions_completed"]), (&3.into(), &0.into()));
    assert_eq!((&counts["sessions_cancelled"], &counts["cancelled"]), (&3.into(), &0.into()));
}

#[test]
fn what_is_in_flight_is_cut_when_the_grace_is_over_and_not_before() {
    let sim = sim("ttft=600000&itl=0&osl=1");
    let words = "--concurrency 2 --benchmark-duration 0.4 --benchmark-grace-period 0.5 --export-level raw";
    let ended = Program::against(&sim, words).run();
    assert_eq!(ended.code, Some(1), "nothing succeeded");
    truth_of(&sim, 2);
    let log = Log::of(&sim, &ended.artifacts);
    assert_eq!(log.len(), 2);
    for entry in log.iter() {
        assert_eq!(entry.truth.outcome, TruthOutcome::ClientGone);
        assert!(entry.end >= 0.9, "cut off after {} s", entry.end);
    }
    assert_eq!(ended.artifacts.counted("cancelled"), 2);
    assert!(ended.artifacts.records().iter().all(Record::was_cancelled));
}

#[test]
fn an_endless_grace_waits_for_every_answer() {
    let sim = sim("ttft=1200&itl=0&osl=1");
    let words = "--concurrency 2 --benchmark-duration 0.3 --benchmark-grace-period inf --export-level raw";
    let artifacts = Program::against(&sim, words).succeed();
    let log = Log::of(&sim, &artifacts);
    assert_eq!(log.len(), 2, "none was sent after the duration");
    assert!(log.iter().all(Entry::completed));
}

#[test]
fn too_many_failures_end_the_run_and_the_files_say_so() {
    let sim = sim("ttft=10&itl=0&osl=1&error_every=2");
    let words = "--concurrency 2 --request-count 400 --failed-request-threshold 0.3 --export-level raw";
    let ended = Program::against(&sim, words).run();
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("--failed-request-threshold"), "{}", ended.stderr);
    let sent = ended.artifacts.counted("sent");
    assert!((10..400).contains(&sent), "{sent}");
    assert_eq!(truth_of(&sim, sent as usize).len() as u64, sent);
    let summary = ended.artifacts.summary();
    assert_eq!((&summary["is_complete"], &summary["was_cancelled"]), (&json!(false), &json!(true)));
    let reason = summary["incomplete_reason"].as_str().unwrap();
    assert!(reason.contains("--failed-request-threshold"), "{reason}");
    assert_eq!(ended.artifacts.records().len() as u64, sent, "nothing that was sent is missing");
    assert!(ended.artifacts.average("request_count") >= 1.0, "what succeeded is in the numbers");

    let rebuilt = tempfile::tempdir().unwrap();
    let folder = ended.artifacts.path("");
    let reported = Program::new("report").word(&folder).with("--output-dir").word(rebuilt.path()).run();
    assert_eq!(reported.code, Some(0), "{}", reported.stderr);
    let made: Value =
        serde_json::from_slice(&fs::read(rebuilt.path().join("profile_export_aiperf.json")).unwrap()).unwrap();
    assert_eq!((&made["was_cancelled"], &made["incomplete_reason"]), (&json!(true), &json!(reason)));
}

#[test]
fn few_failures_do_not_end_the_run() {
    let sim = sim("ttft=0&itl=0&osl=1&error_every=5");
    Program::against(&sim, "--concurrency 2 --request-count 30 --failed-request-threshold 0.25").succeed();
    assert_eq!(sim.truth().len(), 30);
}
