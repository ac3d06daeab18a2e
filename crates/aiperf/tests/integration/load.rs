//! How requests are paced and when the run stops, by the server's own count.

use aiperf_sim::{Sim, TruthOutcome};

use crate::support::{Program, Record, by_request_id, sim};

fn most_in_flight(sim: &Sim) -> u32 {
    sim.truth().iter().map(|truth| truth.in_flight).max().unwrap()
}

#[test]
fn a_duration_without_grace_cuts_off_what_is_in_flight_and_says_so() {
    // Every second reply stands still for longer than anyone waits, so that in the end all places are taken by such.
    let sim = sim("ttft=2&itl=0&osl=2&stall_every=2&stall_ms=600000");
    let words = "--streaming --concurrency 4 --benchmark-duration 1.5 --benchmark-grace-period 0";
    let ended = Program::against(&sim, words).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let artifacts = &ended.artifacts;
    let (cut, whole): (Vec<_>, Vec<_>) = artifacts.records().into_iter().partition(Record::failed);
    assert_eq!(cut.len(), 4);
    assert!(!whole.is_empty() && whole.iter().all(|record| !record.was_cancelled()));
    for record in &cut {
        assert!(record.was_cancelled());
        assert_eq!(record.error(), (Some(499), "RequestCancellationError"));
        assert!(record.number("cancellation_time_ns") >= record.number("request_start_ns"));
    }
    let gone = sim.truth().iter().filter(|truth| truth.outcome == TruthOutcome::ClientGone).count();
    assert!(gone <= 4);
    assert_eq!(artifacts.average("request_count") as usize, whole.len());
    let summary = artifacts.summary();
    assert_eq!((&summary["was_cancelled"], &summary["is_complete"]), (&false.into(), &true.into()));
}

#[test]
fn a_batch_limit_of_the_server_shows_in_the_first_tokens_and_not_in_the_count() {
    let sim = sim("ttft=30&itl=1&osl=3&batch=1");
    let artifacts = Program::against(&sim, "--streaming --concurrency 3 --request-count 6").succeed();
    let waited = |truth: &aiperf_sim::TruthRecord| truth.admitted.unwrap().since(truth.arrival).0 as f64 / 1e6;
    let truth = by_request_id(&sim);
    for record in artifacts.records() {
        let truth = &truth[record.word("x_request_id")];
        assert!(record.metric("time_to_first_token") >= waited(truth) + 29.0, "{record:?}");
    }
}

#[test]
fn a_request_over_its_time_is_a_failed_record() {
    let sim = sim("ttft=2&itl=0&osl=2&stall_every=2&stall_ms=600000");
    let artifacts =
        Program::against(&sim, "--streaming --concurrency 4 --request-count 4 --request-timeout-seconds 1.5").succeed();
    let (late, whole): (Vec<_>, Vec<_>) = artifacts.records().into_iter().partition(Record::failed);
    assert_eq!((late.len(), whole.len()), (2, 2));
    for record in &late {
        assert_eq!(record.error(), (None, "TimeoutError"));
        assert!(!record.was_cancelled());
        assert!(record.number("request_end_ns") - record.number("request_start_ns") >= 1_500_000_000);
    }
    assert_eq!(artifacts.average("error_request_count") as u32, 2);
}

#[test]
fn without_a_stop_condition_the_concurrency_is_reached() {
    let sim = sim("ttft=uniform:100,200&itl=0&osl=1");
    Program::against(&sim, "--concurrency 12").succeed();
    assert_eq!((sim.truth().len(), most_in_flight(&sim)), (24, 12));
}
