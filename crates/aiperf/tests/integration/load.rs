//! How requests are paced and when the run stops, by the server's own count.

use aiperf_sim::{Sim, TruthOutcome};

use crate::support::{Program, Record, by_request_id, sim};

fn most_in_flight(sim: &Sim) -> u32 {
    sim.truth().iter().map(|truth| truth.in_flight).max().unwrap()
}

#[test]
fn a_closed_loop_fills_its_concurrency_and_never_exceeds_it() {
    for workers in ["--workers-max 1", "--workers-max 3"] {
        let sim = sim("ttft=uniform:100,200&itl=0&osl=1");
        let artifacts = Program::against(&sim, "--concurrency 4 --request-count 14").with(workers).succeed();
        assert_eq!(most_in_flight(&sim), 4);
        assert_eq!((sim.truth().len(), artifacts.records().len()), (14, 14));
    }
}

#[test]
fn a_constant_rate_sends_all_requests_none_before_its_time() {
    let sim = sim("ttft=0&itl=0&osl=1");
    let artifacts = Program::against(&sim, "--request-rate 100 --arrival-pattern constant --request-count 40")
        .with("--warmup-request-count 1 --warmup-concurrency 1")
        .succeed();
    let start = artifacts.json("phase_manifest.json")["phases"][1]["start_ns"].as_u64().unwrap();
    let records: Vec<_> = artifacts.records().into_iter().filter(|r| r.word("phase_name") == "profiling").collect();
    assert_eq!(records.len(), 40);
    assert_eq!(sim.truth().len(), 41);
    for (index, record) in records.iter().enumerate() {
        let due = start + index as u64 * 10_000_000;
        assert!(record.number("credit_issued_ns") >= due, "request {index} was sent too early");
        assert!(record.number("request_start_ns") >= record.number("credit_issued_ns"));
    }
    assert!(records.is_sorted_by_key(|record| record.number("credit_issued_ns")));
}

#[test]
fn random_arrivals_send_all_requests_too() {
    for pattern in ["poisson", "gamma --arrival-smoothness 4"] {
        let sim = sim("ttft=0&itl=0&osl=1");
        let words = format!("--request-rate 300 --request-count 30 --random-seed 1 --arrival-pattern {pattern}");
        let artifacts = Program::against(&sim, &words).succeed();
        assert_eq!((sim.truth().len(), artifacts.records().len()), (30, 30));
    }
}

#[test]
fn a_rate_with_a_ceiling_keeps_below_it() {
    let sim = sim("ttft=60&itl=0&osl=1");
    let words = "--request-rate 200 --arrival-pattern constant --concurrency 3 --request-count 12";
    let artifacts = Program::against(&sim, words).succeed();
    assert!(most_in_flight(&sim) <= 3);
    assert_eq!(artifacts.records().len(), 12);
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
fn count_and_duration_together_stop_at_whichever_comes_first() {
    let sim = sim("ttft=0&itl=0&osl=1");
    let artifacts = Program::against(&sim, "--request-count 5 --benchmark-duration 50 --concurrency 2").succeed();
    assert_eq!(artifacts.records().len(), 5);
    assert_eq!(sim.truth().len(), 5);
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
fn a_grace_period_lets_requests_finish() {
    let sim = sim("ttft=700&itl=0&osl=2");
    let words = "--streaming --concurrency 3 --benchmark-duration 0.4 --benchmark-grace-period 45";
    let artifacts = Program::against(&sim, words).succeed();
    let records = artifacts.records();
    assert!(records.len() >= 3 && records.iter().all(|record| !record.failed()), "{records:?}");
    assert!(sim.truth().iter().all(|truth| truth.outcome == TruthOutcome::Completed));
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
