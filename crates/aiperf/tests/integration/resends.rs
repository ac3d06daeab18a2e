//! Requests that are sent again: each is counted, its lost time is told, and the server saw as many as are on record.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Duration;

use crate::support::{
    AfterReply, Artifacts, Ended, Program, TestReply, TestServer, chat_reply, in_one, refusing_http2_server,
};

const STAGES: [&str; 6] = [
    "http_req_blocked",
    "http_req_dns_lookup",
    "http_req_connecting",
    "http_req_sending",
    "http_req_waiting",
    "http_req_receiving",
];

/// Answers the first request of each connection. It keeps the second one for a while and then resets the connection.
fn resetting_server(keeps: Duration) -> TestServer {
    let answered: Mutex<HashSet<usize>> = Mutex::default();
    TestServer::start(move |_, request| {
        if answered.lock().unwrap().insert(request.connection) {
            return in_one("200 OK", "Content-Type: application/json\r\n", chat_reply().as_bytes());
        }
        TestReply { writes: Vec::new(), pause: keeps, after: AfterReply::Reset }
    })
}

fn profile(server: &TestServer, words: &str) -> Ended {
    let url = format!("--url {} --model m --tokenizer builtin --isl 8", server.url());
    Program::profile(&url).with(words).run()
}

fn count(artifacts: &Artifacts, tag: &str) -> usize {
    if artifacts.has_metric(tag) { artifacts.average(tag) as usize } else { 0 }
}

/// Succeeded, failed, resent.
fn counts(artifacts: &Artifacts) -> [usize; 3] {
    ["request_count", "error_request_count", "resent_request_count"].map(|tag| count(artifacts, tag))
}

#[test]
fn a_server_that_resets_every_second_request_sees_as_many_as_are_on_record() {
    let server = resetting_server(Duration::ZERO);
    let ended = profile(&server, "--concurrency 4 --request-count 60 --strict --export-http-trace");
    let artifacts = &ended.artifacts;
    let [succeeded, failed, resent] = counts(artifacts);
    // A machine that is slow to notice a close takes it for a failure.
    assert!(resent > 0, "{}", ended.stdout);
    assert_eq!(succeeded + failed, 60);
    assert_eq!(server.received().len(), succeeded + failed + resent);
    assert_eq!(ended.code, Some(3), "--strict must see it: {}", ended.stderr);
    let summary = artifacts.summary();
    let note = summary["validity"].as_array().unwrap().iter().find(|note| note["code"] == "requests_resent").unwrap();
    assert_eq!(note["severity"], "warning");
    assert!(ended.stdout.contains("Resent Request Count"), "{}", ended.stdout);
    assert!(artifacts.text("profile_export_aiperf.csv").contains("Resent Request Count"));

    let records = artifacts.records();
    let again: Vec<_> = records.iter().filter(|record| !record.failed() && record.meta("resent").is_u64()).collect();
    assert!(!again.is_empty());
    for record in again {
        let (total, lost) = (record.metric("http_req_total"), record.metric("http_req_lost"));
        let sum: f64 = STAGES.iter().map(|stage| record.metric(stage)).sum::<f64>() + lost;
        assert!((total - sum).abs() < 1e-6, "{total} is not {sum}");
        assert!(lost > 0.0 && total <= record.metric("request_latency") + 1e-6);
        let trace = &record.0["trace_data"];
        assert!((trace["lost_ns"].as_f64().unwrap() / 1e6 - lost).abs() < 1e-6, "{trace}");
    }
    assert!(records.iter().all(|record| record.meta("resent").is_u64() || record.value("http_req_lost").is_none()));

    let report = Program::new("report").word(artifacts.path("")).run();
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    assert_eq!(counts(artifacts), [succeeded, failed, resent], "records tell it too");
    assert!(artifacts.notes().contains(&"requests_resent".to_owned()));
    let validated = Program::new("validate").word(artifacts.path("")).run();
    assert_eq!(validated.code, Some(0), "{}{}", validated.stdout, validated.stderr);
}

#[test]
fn without_resends_each_reset_is_a_failed_request() {
    let server = resetting_server(Duration::ZERO);
    let ended = profile(&server, "--concurrency 4 --request-count 40 --no-resend");
    let [succeeded, failed, resent] = counts(&ended.artifacts);
    assert_eq!((succeeded + failed, resent), (40, 0));
    assert!(failed > 0);
    assert_eq!(server.received().len(), 40);
    assert_eq!(ended.artifacts.summary()["input_config"]["endpoint"]["no_resend"], true);
}

#[test]
fn a_server_that_had_a_request_for_a_while_before_it_died_has_failed_it() {
    let server = resetting_server(Duration::from_millis(800));
    let ended = profile(&server, "--concurrency 1 --request-count 4");
    assert_eq!(counts(&ended.artifacts), [2, 2, 0]);
    assert_eq!(server.received().len(), 4);
}

#[test]
fn an_http_2_server_that_refuses_streams_sees_as_many_as_are_on_record() {
    let server = refusing_http2_server();
    let words = format!("--url http://{} --model m --tokenizer builtin --isl 8 --streaming", server.addr);
    let ended = Program::profile(&words).with("--http-version 2 --concurrency 4 --request-count 30").run();
    let [succeeded, failed, resent] = counts(&ended.artifacts);
    assert_eq!(succeeded + failed, 30);
    assert!(resent >= 10, "{resent}");
    assert_eq!(server.requests(), succeeded + failed + resent);

    let server = refusing_http2_server();
    let words = format!("--url http://{} --model m --tokenizer builtin --isl 8 --streaming", server.addr);
    let ended = Program::profile(&words).with("--http-version 2 --concurrency 4 --request-count 30 --no-resend").run();
    assert_eq!(counts(&ended.artifacts), [15, 15, 0]);
    let failed = ended.artifacts.records().into_iter().find(crate::support::Record::failed).unwrap();
    let message = failed.0["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("did not take the request") && message.contains("REFUSED_STREAM"), "{message}");
}
