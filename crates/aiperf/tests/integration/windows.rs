//! Measuring in windows until they agree: when a run ends, what it says, and what becomes of requests in flight.

use serde_json::Value;

use crate::support::{Program, sim};

#[test]
fn a_run_ends_when_its_last_three_windows_agree() {
    let sim = sim("ttft=5&itl=0&osl=4");
    let words = "--concurrency 4 --streaming --measurement-interval 100 --stability-percentage 400 --max-trials 60";
    let ended = Program::against(&sim, words).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("ends early") || ended.stderr.contains("complete"), "{}", ended.stderr);
    let summary = ended.artifacts.summary();
    assert_eq!((&summary["is_complete"], &summary["was_cancelled"]), (&true.into(), &false.into()));
    let said = &summary["measurement_windows"];
    assert_eq!((&said["stable"], &said["window_ms"]), (&true.into(), &120.0.into()));
    let windows = said["windows"].as_array().unwrap();
    assert!((3..60).contains(&windows.len()), "{said}");
    for pair in windows.windows(2) {
        assert_eq!(pair[0]["end_ns"], pair[1]["start_ns"]);
    }
    // Each is counted by the records that ended in it.
    let records = ended.artifacts.records();
    for window in windows {
        let (start, end) = (window["start_ns"].as_u64().unwrap(), window["end_ns"].as_u64().unwrap());
        let within = |ended: u64| (start..end).contains(&ended);
        let seen = records.iter().filter(|record| within(record.number("request_end_ns"))).count();
        assert_eq!(window["request_count"].as_u64(), Some(seen as u64), "{window}");
    }
    let phase = &summary["input_config"]["phases"][0]["windows"];
    assert_eq!((&phase["interval"], &phase["stability_percentage"]), (&0.1.into(), &400.0.into()));
}

#[test]
fn what_is_in_flight_when_the_windows_agree_may_finish() {
    let sim = sim("ttft=0&itl=150&osl=3");
    let words = "--concurrency 3 --streaming --measurement-interval 200 --stability-percentage 999";
    let artifacts = Program::against(&sim, words).succeed();
    let records = artifacts.records();
    assert!(records.iter().all(|record| !record.failed() && record.0["metadata"]["was_cancelled"] == false));
    let last = artifacts.summary()["measurement_windows"]["windows"].as_array().unwrap().last().cloned().unwrap();
    let after = |record: &&crate::support::Record| record.number("request_end_ns") > last["end_ns"].as_u64().unwrap();
    assert_eq!(records.iter().filter(after).count(), 3);
}

#[test]
fn without_a_grace_period_it_is_cut_off() {
    let sim = sim("ttft=0&itl=20&osl=200");
    let words = "--concurrency 2 --streaming --measurement-interval 200 -s 999 --benchmark-grace-period 0 --request-timeout-seconds 60";
    let ended = Program::against(&sim, words).run();
    // Nothing came to its end, so that the run has nothing to show.
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let cut: Vec<Value> = ended.artifacts.records().into_iter().map(|record| record.0).collect();
    assert_eq!(cut.len(), 2);
    assert!(cut.iter().all(|record| record["metadata"]["was_cancelled"] == true), "{cut:?}");
}

#[test]
fn windows_without_answers_are_named_in_the_error() {
    let sim = sim("ttft=400&itl=0&osl=2");
    let ended = Program::against(&sim, "--measurement-interval 50 --max-trials 3 --concurrency 1").run();
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("longer than a request takes"), "{}", ended.stderr);
}
