//! Other ways to the server: Unix sockets, HTTP/2, addresses to leave from.

use std::collections::HashSet;
use std::io;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;

use crate::support::{Program, TOKEN_GAP, http2_server, sim};

/// Carries what comes in on a Unix socket to a server and back.
fn forward(listener: UnixListener, to: SocketAddr) {
    let carry = move |mut from: UnixStream| -> io::Result<()> {
        let mut server = TcpStream::connect(to)?;
        server.set_nodelay(true)?;
        let (mut back_from, mut back_to) = (server.try_clone()?, from.try_clone()?);
        thread::spawn(move || {
            let _ = io::copy(&mut back_from, &mut back_to);
            let _ = back_to.shutdown(Shutdown::Both);
        });
        io::copy(&mut from, &mut server)?;
        server.shutdown(Shutdown::Both)
    };
    thread::spawn(move || {
        for from in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || carry(from));
        }
    });
}

#[test]
fn a_unix_socket_is_a_server_like_any_other() {
    let sim = sim("ttft=2&itl=1&osl=4");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server.sock");
    forward(UnixListener::bind(&path).unwrap(), sim.addr());
    let url = format!("unix:{}:/v1", path.display());
    let words =
        "--model m --tokenizer builtin --isl 20 --streaming --request-count 6 --concurrency 2 --export-http-trace";
    let artifacts = Program::profile(&format!("--url {url}")).with(words).succeed();
    assert_eq!(artifacts.average("request_count") as u32, 6);
    assert!(
        sim.truth()
            .iter()
            .all(|truth| truth.headers.iter().any(|h| h.0.eq_ignore_ascii_case("host") && h.1 == "localhost"))
    );
    // No kernel stamps streams of Unix sockets.
    let summary = artifacts.summary();
    assert_eq!(summary["timestamps"]["source"], "user");
    let notes = summary["validity"].as_array().unwrap();
    assert!(notes.iter().any(|note| note["code"] == "user_timestamps" && note["severity"] == "info"), "{notes:?}");
    assert!(artifacts.records()[0].0["trace_data"].get("local_ip").is_none());
}

/// All of 127.0.0.0/8 is this machine's on Linux.
#[test]
#[cfg(target_os = "linux")]
fn connections_leave_from_each_source_address() {
    let sim = sim("ttft=20&itl=1&osl=2");
    let words = "--request-count 8 --concurrency 4 --source-address 127.0.0.2,127.0.0.3 --export-http-trace";
    let artifacts = Program::against(&sim, words).succeed();
    let records = artifacts.records();
    let left_from: HashSet<_> = records.iter().map(|r| r.0["trace_data"]["local_ip"].as_str().unwrap()).collect();
    assert_eq!(left_from, HashSet::from(["127.0.0.2", "127.0.0.3"]));
}

#[test]
fn a_source_address_that_is_not_ours_fails_by_name() {
    let sim = sim("ttft=1&itl=1&osl=2");
    let ended = Program::against(&sim, "--request-count 1 --source-address 192.0.2.1").run();
    assert!(ended.stderr.contains("--source-address 192.0.2.1"), "{}", ended.stderr);
}

#[test]
fn requests_share_a_connection_with_http_2() {
    let server = http2_server();
    let words = "--model m --tokenizer builtin --isl 20 --streaming --http-version 2 --workers-max 1 --request-count 20 \
                 --concurrency 5 --export-http-trace";
    let artifacts = Program::profile(&format!("--url http://{}", server.addr)).with(words).succeed();
    assert_eq!(artifacts.average("request_count") as u32, 20);
    assert_eq!(server.connections(), 1);
    for record in artifacts.records() {
        assert_eq!(record.0["trace_data"]["response_status_code"], 200);
        // The server sends three tokens, and pauses twice.
        assert!(record.metric("time_to_first_token") < record.metric("request_latency"));
        let after_first = record.metric("request_latency") - record.metric("time_to_first_token");
        assert!(after_first >= 1.9 * TOKEN_GAP.as_secs_f64() * 1e3, "{after_first}");
    }
    let timestamps = &artifacts.summary()["timestamps"];
    assert!(timestamps["kernel_reads"].as_u64().unwrap() + timestamps["user_reads"].as_u64().unwrap() >= 60);
}

#[test]
fn a_simulator_is_not_asked_for_http_2() {
    let ended = Program::profile("--url sim: --http-version 2").run();
    assert!(ended.stderr.contains("--http-version") && ended.stderr.contains("HTTP/1.1 only"), "{}", ended.stderr);
}
