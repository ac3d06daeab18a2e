//! Servers that are not there, or go away: how long they are tried, what is said, and that one that returns is used again.

use std::net::{SocketAddr, TcpListener};

use aiperf_sim::{Sim, SimOptions};

use crate::support::{Ended, Program, Record, sim, wait_for};

/// An address on which nobody listens, and that no other test uses.
fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.7.4:0").unwrap().local_addr().unwrap()
}

fn to(address: SocketAddr, words: &str) -> Program {
    Program::profile(&format!("--url http://{address} --model test-model --tokenizer builtin --isl 8")).with(words)
}

/// It failed with one sentence at the end of stderr, which has these words in it.
fn check_sentence(ended: &Ended, words: &[&str]) {
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let sentence = ended.stderr.lines().last().unwrap();
    assert!(sentence.starts_with("error: ") && !sentence.contains("?."), "{sentence}");
    for word in words {
        assert!(sentence.contains(word), "{word:?} is not in {sentence:?}");
    }
}

#[test]
fn a_dead_server_ends_a_closed_loop_after_few_requests() {
    let words = "--benchmark-duration 600 --concurrency 8 --unreachable-timeout 1";
    let ended = to(free_address(), words).run();
    check_sentence(
        &ended,
        &["the server cannot be reached", "--unreachable-timeout", "refused", "Is the server running"],
    );
    let records = ended.artifacts.records();
    // Eight at first, then one at a time, with pauses that double up to half a second.
    assert!((9..60).contains(&records.len()), "{}", records.len());
    assert!(records.iter().all(Record::failed));
    assert_eq!(ended.artifacts.summary()["is_complete"], false);
}

#[test]
fn a_dead_server_ends_a_warmup_too() {
    let words = "--warmup-request-count 1000 --warmup-concurrency 2 --request-count 5 --unreachable-timeout 1";
    let ended = to(free_address(), words).run();
    check_sentence(&ended, &["the server cannot be reached", "refused"]);
    let records = ended.artifacts.records();
    assert!(records.len() < 60 && records.iter().all(|record| record.word("phase_name") == "warmup"));
}

#[test]
fn a_dead_server_ends_a_schedule_whose_requests_went_out_when_due() {
    let words = "--benchmark-duration 600 --request-rate 40 --arrival-pattern constant --unreachable-timeout 1";
    let ended = to(free_address(), words).run();
    check_sentence(&ended, &["the server cannot be reached"]);
    assert!(ended.artifacts.records().len() >= 40, "the rate is the load that was asked for");
}

#[test]
fn a_server_that_never_was_is_told_of_as_ever_when_the_count_is_reached_first() {
    let ended = to(free_address(), "--request-count 5 --unreachable-timeout 0").run();
    check_sentence(&ended, &["all 5 requests failed", "refused", "--url"]);
}

#[test]
fn a_server_that_returns_is_used_again() {
    let address = free_address();
    let running = to(address, "--request-count 300 --concurrency 2 --unreachable-timeout 100").start();
    wait_for("the run to begin", || running.stderr().contains("Phase profiling started").then_some(()));
    let options = SimOptions::from_query("ttft=0&itl=0&osl=1&model=test-model").unwrap();
    let _sim = Sim::start(options, address).unwrap();
    let ended = running.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let (failed, whole): (Vec<_>, Vec<_>) = ended.artifacts.records().into_iter().partition(Record::failed);
    assert_eq!(failed.len() + whole.len(), 300);
    assert!(whole.len() > failed.len(), "{} failed", failed.len());
}

#[test]
fn a_run_whose_server_is_gone_at_its_end_fails() {
    let mut sim = sim("ttft=1&itl=0&osl=2");
    let words = "--concurrency 2 --benchmark-duration 4 --unreachable-timeout 0";
    let running = Program::against(&sim, words).start();
    wait_for("the run to begin", || (sim.truth().len() >= 20).then_some(()));
    sim.stop().unwrap();
    let ended = running.end();
    check_sentence(&ended, &["the server stopped accepting connections", "s before the end", "refused"]);
    assert!(ended.artifacts.average("request_count") >= 10.0);
    assert_eq!(ended.artifacts.summary()["is_complete"], false);
}

#[test]
fn a_sweep_does_not_go_on_without_its_server() {
    let ended = to(free_address(), "--concurrency 1,2,3 --benchmark-duration 600 --unreachable-timeout 1").run();
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("No further runs are started"), "{}", ended.stderr);
    let summaries = ended.artifacts.names().into_iter().filter(|name| name.ends_with("profile_export_aiperf.json"));
    assert_eq!(summaries.count(), 1);
}
