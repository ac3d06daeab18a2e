//! The warmup: its own triggers, pace and grace, and what it leaves to the measured phase, as the server saw it.

use aiperf_sim::TruthOutcome;
use serde_json::{Value, json};

use crate::support::{Artifacts, Entry, Log, Program, sim, truth_of};

const FAST: &str = "ttft=0&itl=0&osl=1";

/// Requests of the warmup and of the measured phase. All of the first must be over before one of the others comes.
fn phases<'a>(log: &'a Log, artifacts: &Artifacts) -> (Vec<&'a Entry>, Vec<&'a Entry>) {
    let sent = artifacts.accounting("warmup")["sent"].as_u64().unwrap() as usize;
    let (warmup, measured) = log.0.split_at(sent);
    let last = warmup.iter().map(|entry| entry.end).fold(f64::NEG_INFINITY, f64::max);
    assert!(measured.iter().all(|entry| entry.arrival >= last), "the phases overlap");
    assert!(measured.iter().all(|entry| entry.arrival >= 0.0));
    assert_eq!(measured.len() as u64, artifacts.counted("sent"));
    (warmup.iter().collect(), measured.iter().collect())
}

fn most_in_flight(entries: &[&Entry]) -> u32 {
    entries.iter().map(|entry| entry.truth.in_flight).max().unwrap()
}

fn texts(entries: &[&Entry]) -> Vec<String> {
    entries.iter().map(|entry| entry.prompt()).collect()
}

fn rows(count: usize) -> Vec<Value> {
    (0..count).map(|n| json!({"text": format!("row {n}")})).collect()
}

#[test]
fn a_warmup_by_requests_has_its_own_concurrency() {
    let sim = sim("ttft=250&itl=0&osl=1");
    let words = "--warmup-request-count 7 --warmup-concurrency 3 --concurrency 1 --request-count 3 --export-level raw";
    let artifacts = Program::against(&sim, words).succeed();
    let log = Log::of(&sim, &artifacts);
    let (warmup, measured) = phases(&log, &artifacts);
    assert_eq!((warmup.len(), measured.len()), (7, 3));
    assert_eq!((most_in_flight(&warmup), most_in_flight(&measured)), (3, 1));
    assert_eq!(artifacts.average("request_count") as u64, 3);
}

#[test]
fn the_data_goes_on_where_the_warmup_left_it() {
    let sim = sim(FAST);
    let artifacts = Program::replaying(&sim, &rows(6), "--warmup-request-count 3 --request-count 4").succeed();
    let log = Log::of(&sim, &artifacts);
    let (warmup, measured) = phases(&log, &artifacts);
    assert_eq!(texts(&warmup), ["row 0", "row 1", "row 2"]);
    assert_eq!(texts(&measured), ["row 3", "row 4", "row 5", "row 0"]);
}

#[test]
fn a_warmup_by_sessions_runs_them_to_their_last_turn() {
    let sim = sim(FAST);
    let words = "--num-warmup-sessions 2 --num-sessions 3 --session-turns-mean 2 --concurrency 2 --export-level raw";
    let artifacts = Program::against(&sim, words).succeed();
    let log = Log::of(&sim, &artifacts);
    let (warmup, measured) = phases(&log, &artifacts);
    assert_eq!((warmup.len(), measured.len()), (4, 6));
    assert!(log.sessions().iter().all(|session| session.len() == 2));
}

#[test]
fn a_warmup_by_time_waits_for_its_answers_unless_its_grace_is_over() {
    let words = "--warmup-duration 0.3 --request-count 1 --export-level raw";
    let patient = sim("ttft=800&itl=0&osl=1");
    let artifacts = Program::against(&patient, words).succeed();
    let log = Log::of(&patient, &artifacts);
    let (warmup, _) = phases(&log, &artifacts);
    assert!(!warmup.is_empty() && warmup.iter().all(|entry| entry.completed()));

    let cut = sim("ttft=800&itl=0&osl=1");
    let artifacts = Program::against(&cut, words).with("--warmup-grace-period 0").succeed();
    // The server may notice that the client is gone after the next request is there.
    truth_of(&cut, 2);
    let log = Log::of(&cut, &artifacts);
    assert_eq!(log.len(), 2);
    assert_eq!((log.0[0].truth.outcome, log.0[1].truth.outcome), (TruthOutcome::ClientGone, TruthOutcome::Completed));
    assert_eq!(artifacts.accounting("warmup")["cancelled"], 1);
    let warmup: Vec<_> =
        artifacts.records().into_iter().filter(|record| record.word("phase_name") == "warmup").collect();
    assert!(warmup.len() == 1 && warmup[0].was_cancelled());
}

#[test]
fn a_warmup_keeps_a_rate_before_a_replay() {
    let sim = sim(FAST);
    let timed: Vec<Value> = (0..4).map(|n| json!({"text": format!("row {n}"), "timestamp": 100 * n})).collect();
    let words = "--fixed-schedule --warmup-request-count 3 --warmup-request-rate 10 --warmup-arrival-pattern constant";
    let artifacts = Program::replaying(&sim, &timed, words).succeed();
    let log = Log::of(&sim, &artifacts);
    let (warmup, measured) = phases(&log, &artifacts);
    let zero = artifacts.accounting("profiling")["start_ns"].as_u64().unwrap();
    let began = artifacts.accounting("warmup")["start_ns"].as_u64().unwrap();
    let warmup_start = -((zero - began) as f64 / 1e9);
    for (n, entry) in warmup.iter().enumerate() {
        assert!(entry.arrival >= warmup_start + (n + 1) as f64 / 10.0 - 1e-6, "too early");
    }
    for (n, entry) in measured.iter().enumerate() {
        assert!(entry.arrival >= n as f64 / 10.0, "too early");
    }
    let mut sent = texts(&measured);
    sent.sort();
    assert_eq!(sent, ["row 0", "row 1", "row 2", "row 3"], "the whole schedule, whatever the warmup took");
}

#[test]
fn the_ceilings_of_the_measured_phase_hold_in_the_warmup_unless_it_has_its_own() {
    let sim = sim("ttft=150&itl=10");
    let words = "--streaming --concurrency 4 --prefill-concurrency 2 --warmup-prefill-concurrency 1 --osl 3";
    let artifacts =
        Program::against(&sim, words).with("--warmup-request-count 5 --request-count 6 --export-level raw").succeed();
    let log = Log::of(&sim, &artifacts);
    let (warmup, measured) = phases(&log, &artifacts);
    let waiting = |entries: &[&Entry]| {
        let waits = |entry: &&&Entry, at: f64| entry.arrival <= at && entry.answered.is_none_or(|first| first > at);
        entries.iter().map(|now| entries.iter().filter(|entry| waits(entry, now.arrival)).count()).max().unwrap()
    };
    assert_eq!(waiting(&warmup), 1);
    assert!(waiting(&measured) <= 2);
    assert!(most_in_flight(&warmup) <= 4);
}
