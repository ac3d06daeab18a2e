//! Waiting for a server: one that comes up late, one without the model, and what the probes send.

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};

use aiperf_sim::{Sim, SimOptions};
use rustix::process::Signal;

use crate::support::{Program, TestReply, TestServer, chat_reply, in_one, sim, wait_for};

/// An address on which nobody listens yet. It is one that no other test uses, so that nobody takes it in between.
fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.7.3:0").unwrap().local_addr().unwrap()
}

fn waiting_program(address: SocketAddr, words: &str) -> Program {
    Program::profile("--model test-model --tokenizer builtin --isl 8 --request-count 2 --wait-for-model-timeout 100")
        .with(&format!("--url http://{address} --wait-for-model-interval 0.05"))
        .with(words)
}

#[test]
fn a_server_that_comes_up_late_is_waited_for() {
    for (mode, probes) in [("models", vec!["GET"]), ("inference", vec!["POST"]), ("both", vec!["GET", "POST"])] {
        let address = free_address();
        let running = waiting_program(address, &format!("--wait-for-model-mode {mode}")).start();
        wait_for("the program to find nobody there", || running.stderr().contains("is not ready").then_some(()));
        let options = SimOptions::from_query("ttft=0&itl=0&osl=1&model=test-model&truth_body=true").unwrap();
        let sim = Sim::start(options, address).unwrap();
        let ended = running.end();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let methods: Vec<String> = sim.truth().iter().map(|truth| truth.method.clone()).collect();
        let expected = [probes.as_slice(), &["POST", "POST"]].concat();
        assert_eq!(methods, expected, "{mode}");
        // A probe is not measured, and asks for one token only.
        assert_eq!(ended.artifacts.records().len(), 2);
        if mode == "inference" {
            let body = sim.truth()[0].body.clone().unwrap();
            assert!(body.contains(r#""max_tokens":1"#) && body.contains("test-model"), "{body}");
        }
    }
}

#[test]
fn a_server_without_the_model_ends_the_run_before_anything_is_sent() {
    let sim = sim("ttft=0&itl=0&osl=1&model=other-model");
    let words =
        "--request-count 2 --wait-for-model-mode models --wait-for-model-timeout 0.4 --wait-for-model-interval 0.1";
    let ended = Program::against(&sim, words).run();
    assert_eq!(ended.code, Some(1));
    let last = ended.stderr.lines().last().unwrap();
    assert!(last.starts_with("error: ") && last.contains("test-model") && last.contains(&sim.url()), "{last}");
    assert!(last.contains("Timed out") && last.contains("not yet in /v1/models"), "{last}");
    let truth = sim.truth();
    assert!(truth.len() >= 2 && truth.iter().all(|truth| truth.path == "/v1/models"), "{truth:?}");
}

#[test]
fn a_server_that_never_comes_up_is_named_in_one_sentence() {
    let address = free_address();
    let program = Program::profile("--model m --tokenizer builtin --isl 8 --wait-for-model-timeout 0.3")
        .with(&format!("--url http://{address} --wait-for-model-interval 0.1"));
    let ended = program.run();
    assert_eq!(ended.code, Some(1));
    let last = ended.stderr.lines().last().unwrap();
    assert!(last.starts_with("error: ") && last.contains(&address.to_string()), "{last}");
}

#[test]
fn a_server_that_accepts_and_is_silent_is_waited_for_no_longer_than_asked() {
    // Nobody takes the connections: the kernel holds them open.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("--url http://{}", listener.local_addr().unwrap());
    for mode in ["models", "inference"] {
        let ended = Program::profile("--model m --tokenizer builtin --isl 8 --wait-for-model-timeout 1.5")
            .with(&url)
            .with(&format!("--wait-for-model-interval 0.5 --wait-for-model-mode {mode}"))
            .run();
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        let last = ended.stderr.lines().last().unwrap();
        assert!(last.contains("Timed out after") && last.contains("no answer within 1.5 s"), "{last}");
    }
}

fn list(path: &str, call: usize) -> TestReply {
    match (path, call) {
        ("/v1/models", 0) => in_one("503 Service Unavailable", "", b""),
        ("/v1/models", 1) => in_one("200 OK", "", br#"{"data": []}"#),
        ("/v1/models", _) => in_one("200 OK", "", br#"{"data": [{"id": "m"}]}"#),
        _ => in_one("200 OK", "Content-Type: application/json\r\n", chat_reply().as_bytes()),
    }
}

fn infer(_: &str, call: usize) -> TestReply {
    match call {
        0 => in_one("503 Service Unavailable", "", b""),
        _ => in_one("200 OK", "Content-Type: application/json\r\n", chat_reply().as_bytes()),
    }
}

fn no_list(path: &str, _: usize) -> TestReply {
    match path {
        "/v1/models" => in_one("404 Not Found", "", b""),
        _ => in_one("200 OK", "Content-Type: application/json\r\n", chat_reply().as_bytes()),
    }
}

#[test]
fn a_limit_as_short_as_the_interval_is_used_to_its_end() {
    let address = free_address();
    let running = Program::profile("--model test-model --tokenizer builtin --isl 8 --request-count 1")
        .with(&format!("--url http://{address} --wait-for-model-timeout 6 --wait-for-model-interval 6"))
        .start();
    wait_for("the program to find nobody there", || running.stderr().contains("is not ready").then_some(()));
    let options = SimOptions::from_query("ttft=0&itl=0&osl=1&model=test-model").unwrap();
    let _sim = Sim::start(options, address).unwrap();
    let ended = running.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}

#[test]
fn each_step_of_the_wait_is_a_line_that_scripts_can_look_for() {
    let told = |mode: &str, answer: fn(&str, usize) -> TestReply| {
        let calls = AtomicUsize::new(0);
        let server = TestServer::start(move |_, asked| answer(&asked.target, calls.fetch_add(1, Ordering::SeqCst)));
        let words = format!("--url {} --model m --tokenizer builtin --isl 8 --request-count 1", server.url());
        let wait = format!("--wait-for-model-timeout 100 --wait-for-model-interval 0.05 --wait-for-model-mode {mode}");
        let ended = Program::profile(&words).with(&wait).run();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        ended.stderr
    };
    let models = told("models", list);
    for line in ["returned 503", "not yet in", "Model 'm' ready"] {
        assert!(models.contains(line), "{line:?} is not in {models}");
    }
    let inference = told("inference", infer);
    for line in ["returned 503", "Inference probe ready"] {
        assert!(inference.contains(line), "{line:?} is not in {inference}");
    }
    let fallback = told("models", no_list);
    assert!(fallback.contains("accepting as ready"), "{fallback}");
}

#[test]
fn an_interrupt_ends_the_wait_and_nothing_is_sent() {
    let sim = sim("ttft=0&itl=0&osl=1&model=other-model");
    let words =
        "--concurrency 3 --wait-for-model-mode models --wait-for-model-timeout 1000 --wait-for-model-interval 500";
    let running = Program::against(&sim, words).start();
    wait_for("the program to wait", || running.stderr().contains("is not ready").then_some(()));
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(sim.truth().iter().all(|truth| truth.method == "GET"), "something was sent");
    assert_eq!(ended.artifacts.summary()["was_cancelled"], true);
}

#[test]
fn every_server_is_probed() {
    let servers = [sim("ttft=0&itl=0&osl=1"), sim("ttft=0&itl=0&osl=1")];
    let words = "--request-count 2 --wait-for-model-timeout 60 --wait-for-model-mode inference --url";
    Program::against(&servers[0], words).word(servers[1].url()).succeed();
    for server in &servers {
        assert_eq!(server.truth().len(), 2, "a probe and a request");
    }
}

#[test]
fn a_run_without_a_model_takes_the_one_that_the_server_lists() {
    let server = sim("ttft=0&itl=0&osl=1&model=its-own");
    let ended = Program::profile("--tokenizer builtin --isl 8 --request-count 2 --url").with(&server.url()).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("no model given: using its-own, the only one that"), "{}", ended.stderr);
    assert_eq!(ended.artifacts.summary()["input_config"]["models"]["items"][0]["name"], "its-own");

    let nobody = Program::profile(&format!("--tokenizer builtin --url http://{}", free_address())).run();
    assert_eq!(nobody.code, Some(1));
    assert!(nobody.stderr.contains("cannot be asked for its models"), "{}", nobody.stderr);
}
