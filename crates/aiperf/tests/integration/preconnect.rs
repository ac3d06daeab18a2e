//! Connections that are opened before a phase starts (`--preconnect`), as the server and the records saw them.

use crate::support::{Log, Program, Record, http2_server, sim};

fn trace(record: &Record, name: &str) -> Option<u64> {
    record.0["trace_data"][name].as_u64()
}

#[test]
fn the_first_requests_find_open_connections_whose_times_are_on_record() {
    let sim = sim("ttft=5&itl=0&osl=2");
    let words =
        "--concurrency 6 --request-count 12 --workers-max 2 --preconnect --export-http-trace --export-level raw";
    let artifacts = Program::against(&sim, words).succeed();
    let log = Log::of(&sim, &artifacts);
    let connections = log.iter().map(|entry| entry.truth.connection).collect::<std::collections::HashSet<_>>();
    assert_eq!((log.len(), connections.len()), (12, 6), "no request opened another connection");
    let records = artifacts.records();
    let phase = artifacts.accounting("profiling")["start_ns"].as_u64().unwrap();
    let mut opened = 0;
    for record in &records {
        // Opening it is not part of any request.
        assert!(record.metric("http_req_connecting").abs() < f64::EPSILON);
        assert!(record.metric("client_send_delay") >= 0.0);
        if let Some(connected) = trace(record, "tcp_connect_end_ns") {
            assert!(trace(record, "tcp_connect_start_ns").unwrap() <= connected && connected <= phase);
            assert_eq!(trace(record, "connection_reused_ns"), None, "its first request");
            opened += 1;
        } else {
            assert!(trace(record, "connection_reused_ns").is_some());
        }
    }
    assert_eq!(opened, 6);
    assert!(artifacts.text("logs/aiperf.log").contains("opened 6 connections ahead"));
}

#[test]
fn without_the_option_the_first_requests_open_their_connections() {
    let sim = sim("ttft=5&itl=0&osl=2");
    let words = "--concurrency 4 --request-count 4 --export-http-trace";
    let artifacts = Program::against(&sim, words).succeed();
    for record in artifacts.records() {
        let start = record.number("request_start_ns");
        assert!(trace(&record, "tcp_connect_start_ns").unwrap() >= start);
        assert!(record.metric("http_req_connecting") > 0.0);
    }
}

#[test]
fn a_phase_uses_the_connections_of_the_phase_before() {
    let sim = sim("ttft=5&itl=0&osl=2");
    let words = "--concurrency 3 --request-count 6 --warmup-request-count 3 --workers-max 1 --preconnect";
    let artifacts = Program::against(&sim, words).succeed();
    let truth = sim.truth();
    let connections = truth.iter().map(|truth| truth.connection).collect::<std::collections::HashSet<_>>();
    assert_eq!((truth.len(), connections.len()), (9, 3));
    assert!(artifacts.text("logs/aiperf.log").contains("Phase profiling: opened 0 connections ahead"));
}

#[test]
fn a_server_that_cannot_be_reached_fails_the_requests_and_not_the_preparation() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let ended = Program::profile(&format!("--url http://{address}"))
        .with("--model m --tokenizer builtin --isl 20 --concurrency 2 --request-count 2 --preconnect --unreachable-timeout 1")
        .run();
    assert_eq!(ended.code, Some(1));
    let log = ended.artifacts.text("logs/aiperf.log");
    assert!(log.contains("--preconnect: 2 connections could not be opened"), "{log}");
}

#[test]
fn a_worker_opens_one_http_2_connection_ahead() {
    let server = http2_server();
    let words = "--model m --tokenizer builtin --isl 20 --streaming --http-version 2 --workers-max 1 --request-count 6 \
                 --concurrency 3 --preconnect --export-http-trace";
    let artifacts = Program::profile(&format!("--url http://{}", server.addr)).with(words).succeed();
    assert_eq!(server.connections(), 1);
    let opened = artifacts.records().iter().filter(|record| trace(record, "tcp_connect_start_ns").is_some()).count();
    assert_eq!(opened, 1, "the first request has the times of the connection");
}
