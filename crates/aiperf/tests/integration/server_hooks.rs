//! Calls to the servers around a run: caches that are emptied before it, profilers that run while it is measured.

use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::process::Signal;

use crate::support::{Program, TestReply, TestServer, chat_reply, in_one, sim, wait_for};

const WORDS: &str = "--model m --tokenizer builtin --isl 64 --concurrency 1";

fn reply() -> TestReply {
    in_one("200 OK", "Content-Type: application/json\r\n", chat_reply().as_bytes())
}

#[test]
fn a_cache_is_emptied_before_anything_is_sent_and_a_profiler_runs_for_the_measured_part() {
    let sim = sim("ttft=1&itl=1&osl=2");
    // Two ways to one server, which is called once, at its root.
    let url = format!("{}/v1", sim.url());
    let words = format!("--url {url},{} {WORDS} --request-count 3 --warmup-request-count 2", sim.url());
    let hooks = "--reset-kv-cache --server-profiler --api-key sk-1 --header X-A:b";
    let artifacts = Program::profile(&words).with(hooks).succeed();
    let truth = sim.truth();
    let paths: Vec<&str> = truth.iter().map(|request| request.path.as_str()).collect();
    let chat = "/v1/chat/completions";
    assert_eq!(paths, ["/reset_prefix_cache", chat, chat, "/start_profile", chat, chat, chat, "/stop_profile"]);
    for request in truth.iter().filter(|request| request.path != chat) {
        let header = |name: &str| request.headers.iter().find(|h| h.0.eq_ignore_ascii_case(name)).map(|h| h.1.as_str());
        assert_eq!((request.method.as_str(), request.body.as_deref()), ("POST", Some("")));
        assert_eq!((header("authorization"), header("x-a")), (Some("Bearer sk-1"), Some("b")));
        assert_eq!(header("content-length"), Some("0"));
    }
    let log = artifacts.text("logs/aiperf.log");
    assert!(
        log.contains("Reset the prefix cache of")
            && log.contains("Started the profiler")
            && log.contains("Stopped the profiler"),
        "{log}"
    );
}

#[test]
fn a_reset_makes_the_server_forget() {
    let sim = sim("ttft=1&itl=1&osl=2&cache=100&cache_block=4");
    let words = format!("--url {} {WORDS} --request-count 1 --random-seed 7", sim.url());
    let cached = |words: &str| {
        Program::profile(words).succeed();
        sim.truth().iter().rfind(|r| r.path.ends_with("completions")).unwrap().cached_tokens.unwrap_or(0)
    };
    assert_eq!(cached(&words), 0);
    assert!(cached(&words) > 0);
    assert_eq!(cached(&format!("{words} --reset-kv-cache-timeout-seconds 5")), 0);
}

#[test]
fn a_busy_server_is_asked_again_and_a_refusal_is_final() {
    let calls = AtomicUsize::new(0);
    let busy = TestServer::start(move |_, asked| match asked.target.as_str() {
        "/forget" if calls.fetch_add(1, Ordering::SeqCst) == 0 => in_one("503 Service Unavailable", "", b""),
        _ => reply(),
    });
    let words = |server: &TestServer| format!("--url {} {WORDS} --request-count 1", server.url());
    Program::profile(&words(&busy)).with("--reset-kv-cache-path /forget").succeed();
    let targets: Vec<String> = busy.received().into_iter().map(|asked| asked.target).collect();
    assert_eq!(targets, ["/forget", "/forget", "/v1/chat/completions"]);

    let without = TestServer::start(|_, _| in_one("404 Not Found", "", b""));
    let ended = Program::profile(&words(&without)).with("--reset-kv-cache").run();
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("--reset-kv-cache: POST"), "{}", ended.stderr);
    assert!(ended.stderr.contains("/reset_prefix_cache answered 404 Not Found"), "{}", ended.stderr);
    assert_eq!(without.received().len(), 1);
}

#[test]
fn a_server_that_is_silent_is_asked_once_to_empty_its_cache() {
    // Nobody takes the connections: the kernel holds them open.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let words = format!("--url http://{} {WORDS} --request-count 1", listener.local_addr().unwrap());
    let ended = Program::profile(&words).with("--reset-kv-cache-timeout-seconds 0.2").run();
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("did not answer within 0.2 s"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("asking again"), "{}", ended.stderr);
}

#[test]
fn a_profiler_that_does_not_start_ends_the_run_and_one_that_does_not_stop_is_a_warning() {
    let running = sim("ttft=1&itl=1&osl=2");
    let broken = TestServer::start(|_, _| in_one("500 Internal Server Error", "", b""));
    let words = format!("--url {},{} {WORDS} --request-count 2 --server-profiler", running.url(), broken.url());
    let ended = Program::profile(&words).run();
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("--server-profiler: POST"), "{}", ended.stderr);
    assert!(ended.stderr.contains("answered 500"), "{}", ended.stderr);
    // The one that had been started is stopped.
    let paths: Vec<String> = running.truth().iter().map(|request| request.path.clone()).collect();
    assert_eq!(paths, ["/start_profile", "/stop_profile"]);

    let stuck = TestServer::start(|_, asked| match asked.target.as_str() {
        "/halt" => in_one("500 Internal Server Error", "", b""),
        _ => reply(),
    });
    let words = format!("--url {} {WORDS} --request-count 1 --server-profiler-stop-path /halt", stuck.url());
    let ended = Program::profile(&words).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("/halt answered 500") && ended.stderr.contains("by hand"), "{}", ended.stderr);
}

#[test]
fn a_profiler_is_stopped_when_the_run_is_interrupted() {
    let sim = sim("ttft=20&itl=1&osl=2");
    let words = format!("--url {} {WORDS} --benchmark-duration 600 --server-profiler", sim.url());
    let running = Program::profile(&words).start();
    wait_for("a request", || sim.truth().iter().any(|request| request.path.ends_with("completions")).then_some(()));
    running.signal(Signal::INT);
    assert_eq!(running.end().code, Some(130));
    assert_eq!(sim.truth().last().unwrap().path, "/stop_profile");
}
