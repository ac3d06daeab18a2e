//! Requests that are sent again: each is counted, its lost time is told, and the server saw as many as are on record.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rustix::net::sockopt::set_socket_linger;

use crate::support::{Artifacts, Ended, Program, chat_reply, refusing_http2_server};

const STAGES: [&str; 6] = [
    "http_req_blocked",
    "http_req_dns_lookup",
    "http_req_connecting",
    "http_req_sending",
    "http_req_waiting",
    "http_req_receiving",
];

/// Answers the first request of each connection. When the second has come it keeps it for a while, and resets the connection.
struct Resetting {
    addr: SocketAddr,
    requests: Arc<AtomicUsize>,
}

impl Resetting {
    fn start(keeps: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&requests);
        thread::spawn(move || {
            for mut socket in listener.incoming().map_while(Result::ok) {
                let counted = Arc::clone(&counted);
                thread::spawn(move || {
                    socket.set_nodelay(true).unwrap();
                    receive(&socket)?;
                    counted.fetch_add(1, Ordering::SeqCst);
                    let reply = chat_reply();
                    let head = format!(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                        reply.len()
                    );
                    socket.write_all(format!("{head}{reply}").as_bytes()).ok()?;
                    receive(&socket)?;
                    counted.fetch_add(1, Ordering::SeqCst);
                    thread::sleep(keeps);
                    // Without waiting for what was sent, a close is a reset.
                    set_socket_linger(&socket, Some(Duration::ZERO)).ok()
                });
            }
        });
        Self { addr, requests }
    }

    fn profile(&self, words: &str) -> Ended {
        let url = format!("--url http://{} --model m --tokenizer builtin --isl 8", self.addr);
        Program::profile(&url).with(words).run()
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

fn receive(socket: &TcpStream) -> Option<()> {
    let mut reader = BufReader::new(socket);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    reader.read_exact(&mut vec![0; length]).ok()
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
    let server = Resetting::start(Duration::ZERO);
    let ended = server.profile("--concurrency 4 --request-count 60 --strict --export-http-trace");
    let artifacts = &ended.artifacts;
    let [succeeded, failed, resent] = counts(artifacts);
    // A machine that is slow to notice a close takes it for a failure.
    assert!(resent > 0, "{}", ended.stdout);
    assert_eq!(succeeded + failed, 60);
    assert_eq!(server.requests(), succeeded + failed + resent);
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
    let server = Resetting::start(Duration::ZERO);
    let ended = server.profile("--concurrency 4 --request-count 40 --no-resend");
    let [succeeded, failed, resent] = counts(&ended.artifacts);
    assert_eq!((succeeded + failed, resent), (40, 0));
    assert!(failed > 0);
    assert_eq!(server.requests(), 40);
    assert_eq!(ended.artifacts.summary()["input_config"]["endpoint"]["no_resend"], true);
}

#[test]
fn a_server_that_had_a_request_for_a_while_before_it_died_has_failed_it() {
    let server = Resetting::start(Duration::from_millis(800));
    let ended = server.profile("--concurrency 1 --request-count 4");
    assert_eq!(counts(&ended.artifacts), [2, 2, 0]);
    assert_eq!(server.requests(), 4);
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
