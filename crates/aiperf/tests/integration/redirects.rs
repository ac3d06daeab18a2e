//! Servers that send a request elsewhere.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{
    Authority, Program, ReceivedRequest, TestReply, TestServer, chat_events, chat_reply, in_chunks, in_one,
};

const WORDS: &str = "--model m --tokenizer builtin --isl 20 --request-count 1 --concurrency 1 --api-key sk-mine";

fn reply() -> TestReply {
    in_one("200 OK", "Content-Type: application/json\r\n", chat_reply().as_bytes())
}

fn to(status: u16, place: &str) -> TestReply {
    in_one(&format!("{status} Elsewhere"), &format!("Location: {place}\r\n"), b"go there")
}

/// Answers at `/there`, and sends there from anywhere else.
fn sending(status: u16) -> TestServer {
    TestServer::start(move |_, asked| if asked.target == "/there" { reply() } else { to(status, "/there") })
}

fn program(server: &TestServer) -> Program {
    Program::profile(&format!("--url {} {WORDS}", server.url()))
}

/// Names of the headers, but for those that tell of the body.
fn names(asked: &ReceivedRequest) -> Vec<&str> {
    asked.headers.iter().map(|(name, _)| name.as_str()).filter(|name| *name != "Content-Length").collect()
}

#[test]
fn some_redirects_repeat_the_request_and_some_drop_its_body() {
    for (status, repeats) in [(301, false), (302, false), (303, false), (307, true), (308, true)] {
        let server = sending(status);
        let artifacts = program(&server).succeed();
        let asked = server.received();
        assert_eq!(asked.len(), 2, "{status}");
        assert_eq!(asked[1].method, if repeats { "POST" } else { "GET" }, "{status}");
        assert_eq!(asked[1].body, if repeats { &asked[0].body[..] } else { b"" }, "{status}");
        assert_eq!(asked[1].header("content-length").is_some(), repeats, "{status}");
        assert_eq!(names(&asked[0]), names(&asked[1]), "{status}");
        assert_eq!(asked[1].header("authorization").as_deref(), Some("Bearer sk-mine"), "{status}");
        let record = &artifacts.records()[0];
        let expected = json!([{"status": status, "url": format!("{}/there", server.url())}]);
        assert_eq!(record.meta("redirects"), &expected);
        assert!(!record.failed());
    }
}

#[test]
fn a_request_that_goes_straight_has_no_redirects() {
    let server = TestServer::start(|_, _| reply());
    assert_eq!(program(&server).succeed().records()[0].meta("redirects"), &Value::Null);
}

#[test]
fn keys_stay_with_the_server_that_they_were_meant_for() {
    let other = TestServer::start(|_, _| reply());
    let place = format!("{}/there?sig=abc", other.url());
    let server = TestServer::start(move |_, _| to(307, &place));
    let artifacts = program(&server)
        .with("--header x-api-key:second --header X-Plain:kept")
        .with("--header Cookie:third --export-level raw --export-http-trace")
        .succeed();
    let asked = &other.received()[0];
    assert_eq!(asked.target, "/there?sig=abc");
    assert_eq!(asked.header("host").as_deref(), Some(other.addr.to_string().as_str()));
    for dropped in ["authorization", "x-api-key", "cookie"] {
        assert_eq!(asked.header(dropped), None, "{dropped}");
        assert!(server.received()[0].header(dropped).is_some(), "{dropped}");
    }
    assert_eq!(asked.header("x-plain").as_deref(), Some("kept"));
    let record = &artifacts.records()[0];
    assert_eq!(record.meta("redirects")[0]["url"], format!("{}/there", other.url()));
    assert_eq!(record.0["trace_data"]["remote_port"], other.addr.port());
    assert!(!artifacts.text("profile_export.jsonl").contains("sig=abc"));
}

#[test]
fn time_covers_the_whole_way() {
    let held = Duration::from_millis(80);
    let server = TestServer::start(move |_, asked| {
        if asked.target == "/there" {
            let parts: Vec<Vec<u8>> = chat_events(&["one", " two"]).into_iter().map(String::into_bytes).collect();
            in_chunks("", &parts)
        } else {
            thread::sleep(held);
            to(307, "/there")
        }
    });
    let artifacts = program(&server).with("--streaming --export-http-trace").succeed();
    let record = &artifacts.records()[0];
    assert!(record.metric("time_to_first_token") >= 80.0, "{record:?}");
    // What lies between sending and the answer that counts is waiting.
    assert!(record.0["trace_data"]["waiting_ns"].as_u64().unwrap() >= held.as_nanos() as u64);
    assert_eq!(record.metric("output_sequence_length") as u32, 2);
}

#[test]
fn a_server_that_sends_round_in_circles_is_given_up() {
    let server = TestServer::start(|_, _| to(307, "/again"));
    let ended = program(&server).run();
    assert_eq!(ended.code, Some(1));
    assert_eq!(server.received().len(), 10);
    let record = &ended.artifacts.records()[0];
    assert_eq!(record.error(), (None, "TooManyRedirects"));
    assert_eq!(record.meta("redirects").as_array().unwrap().len(), 9);
}

#[test]
fn a_redirect_to_nowhere_is_a_failure_of_its_own_kind() {
    for (place, kind) in [
        ("Location: ftp://h/x\r\n", (None, "NonHttpUrlRedirectClientError")),
        ("Location: http://[zz/\r\n", (None, "InvalidUrlRedirectClientError")),
        ("", (Some(302), "Found")),
    ] {
        let server = TestServer::start(move |_, _| in_one("302 Found", place, b"nothing"));
        assert_eq!(program(&server).run().artifacts.records()[0].error(), kind);
    }
}

#[test]
fn a_plain_server_may_send_to_a_secure_one() {
    let authority = Authority::new();
    let secure = TestServer::secure(authority.server(), |_, _| reply());
    let place = format!("{}/there", secure.url());
    let server = TestServer::start(move |_, _| to(308, &place));
    let roots = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&roots, authority.pem()).unwrap();
    program(&server).env("SSL_CERT_FILE", roots.path()).succeed();
    assert_eq!(secure.received()[0].method, "POST");
}

#[test]
fn a_session_keeps_its_connection_through_redirects() {
    let server = sending(307);
    let words = "--connection-reuse-strategy sticky-user-sessions --session-turns-mean 3 --export-http-trace";
    let turns = words.to_owned() + " --num-sessions 1";
    let artifacts =
        Program::profile(&format!("--url {} --model m --tokenizer builtin --isl 20 --concurrency 1", server.url()))
            .with(&turns)
            .succeed();
    let records = artifacts.records();
    assert_eq!((records.len(), server.received().len()), (3, 6));
    assert!(records[1].0["trace_data"].get("connection_reused_ns").is_some());
}
