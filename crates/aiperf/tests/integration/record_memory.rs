//! Records that lag behind: a closed loop waits and says so, an open loop spills to disk, and neither loses anything.

use serde_json::Value;

use crate::support::{Artifacts, Program, Record, sim};

/// Nothing may wait in memory but one request.
const NONE: &str = "0";
const PLENTY: &str = "1000";

fn run(words: &str, megabytes: &str) -> Artifacts {
    let sim = sim("ttft=1&itl=0");
    let words = format!("--osl 300 --random-seed 5 --record-processors 1 --export-level raw {words}");
    Program::against(&sim, &words).env("AIPERF_RECORD_MEMORY_MB", megabytes).succeed()
}

fn observed(artifacts: &Artifacts, figure: &str) -> u64 {
    let observed = &artifacts.summary()["client_health"]["observed"];
    observed[figure].as_u64().unwrap_or_else(|| panic!("no {figure} in {observed}"))
}

/// The kinds of limits that the run met.
fn limits(artifacts: &Artifacts) -> Vec<String> {
    let summary = artifacts.summary();
    let limits = summary["client_health"]["limits"].as_array().unwrap();
    limits.iter().map(|limit| limit["kind"].as_str().unwrap().to_owned()).collect()
}

fn lengths(records: &[Record]) -> Vec<(u64, [f64; 2])> {
    let lengths = |record: &Record| ["input_sequence_length", "output_sequence_length"].map(|tag| record.metric(tag));
    records.iter().map(|record| (record.number("session_num"), lengths(record))).collect()
}

/// What was sent, and how many events or documents came back, in the order of sending.
fn exchanges(artifacts: &Artifacts) -> Vec<(Value, usize)> {
    let of = |record: Record| (record.0["payload"].clone(), record.0["responses"].as_array().map_or(0, Vec::len));
    artifacts.raw_records().into_iter().map(of).collect()
}

#[test]
fn a_closed_loop_waits_for_its_records_and_says_so() {
    const LOOP: &str = "--concurrency 8 --request-count 60";
    let held = run(LOOP, NONE);
    assert!(observed(&held, "requests_held_back") > 0);
    assert_eq!(observed(&held, "spilled_requests"), 0);
    assert!(limits(&held).contains(&"records_held_back".to_owned()), "{:?}", limits(&held));
    assert!(held.notes().iter().any(|note| note.contains("client_saturated")), "{:?}", held.notes());
    let free = run(LOOP, PLENTY);
    assert_eq!((observed(&free, "requests_held_back"), observed(&free, "spilled_requests")), (0, 0));
    assert!(!limits(&free).contains(&"records_held_back".to_owned()));
    assert_eq!(lengths(&held.profiled()), lengths(&free.profiled()));
    assert_eq!(lengths(&held.profiled()).len(), 60);
}

#[test]
fn an_open_loop_spills_and_its_records_are_the_same() {
    const SCHEDULE: &str = "--request-rate 1000 --request-rate-mode constant --request-count 150";
    for streaming in ["", "--streaming"] {
        let words = format!("{SCHEDULE} {streaming}");
        let spilled = run(&words, NONE);
        assert!(observed(&spilled, "spilled_requests") > 0);
        assert!(observed(&spilled, "spilled_bytes") > 0);
        assert_eq!(observed(&spilled, "requests_held_back"), 0);
        let in_memory = run(&words, PLENTY);
        assert_eq!(observed(&in_memory, "spilled_requests"), 0);
        assert_eq!(lengths(&spilled.profiled()), lengths(&in_memory.profiled()));
        assert_eq!(exchanges(&spilled), exchanges(&in_memory));
        assert_eq!(exchanges(&spilled).len(), 150);
        assert_eq!(spilled.names(), in_memory.names(), "nothing is left behind");
    }
}

#[test]
fn a_stream_that_is_read_while_it_arrives_gives_the_same_record() {
    let sim = sim("ttft=1&itl=0");
    let run = |level: &str| {
        let words =
            format!("--streaming --osl 400 --random-seed 5 --concurrency 2 --request-count 6 --export-level {level}");
        Program::against(&sim, &words).succeed()
    };
    // The raw file needs whole bodies, so that they are read when they are complete.
    let (parts, whole) = (run("records"), run("raw"));
    assert_eq!(lengths(&parts.profiled()), lengths(&whole.profiled()));
    for artifacts in [&parts, &whole] {
        for record in artifacts.profiled() {
            let chunks = record.metric("output_sequence_length");
            assert!(chunks > 300.0 && record.metric("time_to_first_token") > 0.0, "{chunks}");
        }
    }
}
