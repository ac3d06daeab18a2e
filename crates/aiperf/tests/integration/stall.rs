//! A server that stands still for a while. In open loop the client must not hide that by waiting with it.

use std::net::{SocketAddr, TcpListener};

use aiperf_sim::{Sim, SimOptions};
use serde_json::{Value, json};

use crate::support::{Artifacts, Log, Program, Record, sim, wait_for};

const STALL_S: f64 = 3.0;

/// Starts the program, and only when it is ready to send the server, which stands still a second later: however slow the
/// machine, the stall falls into the run.
fn against_stalling_server(program: impl FnOnce(SocketAddr) -> Program) -> (Artifacts, Log, String) {
    // Used by nobody else, so that nobody takes it in between.
    let address = TcpListener::bind("127.0.7.4:0").unwrap().local_addr().unwrap();
    let running = program(address)
        .with("--wait-for-model-timeout 100 --wait-for-model-interval 0.02 --wait-for-model-mode models")
        .start();
    wait_for("the program to be ready", || running.stderr().contains("is not ready").then_some(()));
    let options = format!("ttft=5&itl=0&osl=1&model=m&truth_body=true&stall_at=1&stall_for={STALL_S}");
    let sim = Sim::start(SimOptions::from_query(&options).unwrap(), address).unwrap();
    let ended = running.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let log = Log::of(&sim, &ended.artifacts);
    (ended.artifacts, log, ended.stdout)
}

/// The server kept some request for most of the stall, and few of them felt it.
fn assert_stall_shows_from_due_only(artifacts: &Artifacts, log: &Log) {
    let kept = log.iter().map(|entry| entry.end - entry.arrival).fold(0.0, f64::max);
    assert!(kept > STALL_S - 1.0, "the longest answer took {kept} s");
    let half_ms = STALL_S * 1e3 / 2.0;
    assert!(artifacts.stat("request_latency", "p50") < half_ms / 3.0, "the middle of the service times moved");
    assert!(artifacts.stat("request_latency_from_due", "max") >= 1e3 * kept - 1.0, "the stall is hidden");
    // More than a few requests were due while the server stood still, and each of those shows its wait.
    let (waited, felt): (Vec<Record>, Vec<Record>) = (
        artifacts.profiled().into_iter().filter(|r| r.metric("request_latency_from_due") > half_ms).collect(),
        artifacts.profiled().into_iter().filter(|r| r.metric("request_latency") > half_ms).collect(),
    );
    assert!(waited.len() >= 5 * felt.len().max(1), "{} waited, {} were served so slowly", waited.len(), felt.len());
    assert!(artifacts.stat("request_latency_from_due", "p90") > artifacts.stat("request_latency", "p90"));
    let summary = artifacts.summary();
    let note = summary["validity"].as_array().unwrap().iter().find(|note| note["code"] == "hidden_wait").cloned();
    let note = note.unwrap_or_else(|| panic!("no note about it: {}", summary["validity"]));
    assert_eq!(note["subject"], "request_latency_from_due");
    assert!(note["figure"].as_f64().unwrap() > note["threshold"].as_f64().unwrap());
    assert!(!note["advice"].as_str().unwrap().is_empty());
}

#[test]
fn a_replay_under_a_ceiling_shows_the_wait_that_service_times_hide() {
    // 160 requests in four seconds, one at a time.
    let rows: Vec<String> =
        (0..160).map(|n| json!({"text": format!("r{n}"), "timestamp": 25 * n}).to_string()).collect();
    let (artifacts, log, console) = against_stalling_server(|address| {
        Program::profile("--model m --tokenizer builtin --fixed-schedule --concurrency 1 --input-file rows.jsonl")
            .with(&format!("--custom-dataset-type single_turn --export-level raw --url http://{address}"))
            .file("rows.jsonl", &rows.join("\n"))
    });
    assert_eq!((log.len(), log.most_in_flight()), (160, 1));
    assert_stall_shows_from_due_only(&artifacts, &log);
    let console = console.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(console.contains("request latency as users see it"), "{console}");
    let notes = artifacts.notes();
    assert!(notes.contains(&"concurrency_ceiling_reached".to_owned()), "{notes:?}");
    assert!(artifacts.counted("arrivals_delayed") > 20);
    // What the ceiling held back is not blamed on the client.
    let limits = artifacts.summary()["client_health"]["limits"].clone();
    assert!(!limits.to_string().contains("schedule_lag"), "{limits}");
}

#[test]
fn users_who_find_no_slot_wait_from_when_they_were_due() {
    let (artifacts, log, _) = against_stalling_server(|address| {
        Program::profile("--model m --tokenizer builtin --isl 8 --user-centric-rate 40 --num-users 8 --concurrency 8")
            .with(&format!("--session-turns-mean 2 --request-count 240 --export-level raw --url http://{address}"))
    });
    assert_eq!(log.len(), 240);
    assert!(log.most_in_flight() <= 8);
    let half_ms = STALL_S * 1e3 / 2.0;
    assert!(artifacts.stat("request_latency", "p50") < half_ms / 3.0);
    let kept = log.iter().map(|entry| entry.end - entry.arrival).fold(0.0, f64::max);
    assert!(artifacts.stat("request_latency_from_due", "max") >= 1e3 * kept - 1.0);
    let slow = |tag: &str| artifacts.profiled().iter().filter(|record| record.metric(tag) > half_ms).count();
    assert!(slow("request_latency") <= 8, "no more than had a slot when the server stood still");
    assert!(slow("request_latency_from_due") > 8, "those who came in the meantime waited, too");
    assert!(artifacts.counted("arrivals_delayed") > 8);
}

#[test]
fn a_closed_loop_has_no_due_times_and_still_tells_how_the_client_fared() {
    let sim = sim("ttft=150&itl=5");
    let artifacts = Program::against(&sim, "--streaming --concurrency 2 --request-count 8 --osl 4").succeed();
    for tag in ["schedule_lag", "request_latency_from_due", "time_to_first_token_from_due"] {
        assert!(!artifacts.has_metric(tag), "{tag}");
        assert!(artifacts.records().iter().all(|record| record.value(tag).is_none()), "{tag}");
    }
    let health: Value = artifacts.summary()["client_health"].clone();
    assert!(health["saturated"].is_boolean() && health["limits"].is_array(), "{health}");
    let observed = &health["observed"];
    assert!(observed["samples"].as_u64().unwrap() >= 1, "{observed}");
    for name in
        ["max_worker_lag_ms", "max_schedule_lag_ms", "max_cpu_percent", "max_record_queue_bytes", "max_descriptors"]
    {
        assert!(observed[name].as_f64().is_some_and(|value| value >= 0.0), "{name} in {observed}");
    }
    assert!((1..=2).contains(&observed["max_in_flight"].as_u64().unwrap()), "{observed}");
}

#[test]
fn an_open_loop_counts_first_tokens_from_due_too() {
    let sim = sim("ttft=30&itl=5");
    let words = "--streaming --request-rate 40 --request-count 12 --osl 4 --random-seed 2 --export-level raw";
    let artifacts = Program::against(&sim, words).succeed();
    let log = Log::of(&sim, &artifacts);
    let due = artifacts.due();
    for (record, due) in artifacts.profiled().iter().zip(due) {
        let entry = log.iter().find(|entry| entry.id() == record.word("x_request_id")).unwrap();
        let lag = record.metric("schedule_lag");
        assert!(lag >= 0.0);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-3;
        assert!(close(record.metric("request_latency_from_due"), record.metric("request_latency") + lag), "{record:?}");
        let first = record.metric("time_to_first_token_from_due");
        assert!(close(first, record.metric("time_to_first_token") + lag), "{record:?}");
        // By the server's clock: nobody who came when it was due can have had the token sooner.
        assert!(first >= 1e3 * (entry.answered.unwrap() - due) - 1e-3, "{record:?}");
    }
}
