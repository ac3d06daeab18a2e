//! A chat as a user has it, at a pipe: what is printed, what the server was sent, and how a turn that fails ends.

use std::io::Write;
use std::net::TcpListener;
use std::process::{Command, Stdio};

use aiperf_sim::Sim;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{AfterReply, Ended, Program, TestReply, TestServer, in_one, requests, sim, wait_for};

fn talk(url: &str) -> Program {
    Program::new(&format!("chat --model test-model --url {url}"))
}

/// The roles and texts of the messages that the server saw, request by request.
fn dialogues(sim: &Sim) -> Vec<Vec<(String, String)>> {
    let message = |message: &Value| {
        let text = |key: &str| message[key].as_str().unwrap().to_owned();
        (text("role"), text("content"))
    };
    requests(sim).iter().map(|body| body["messages"].as_array().unwrap().iter().map(message).collect()).collect()
}

fn roles(dialogue: &[(String, String)]) -> Vec<&str> {
    dialogue.iter().map(|(role, _)| role.as_str()).collect()
}

/// Milliseconds after a label.
fn millis(ended: &Ended, label: &str) -> f64 {
    let line =
        ended.stdout.lines().find_map(|line| line.strip_prefix(label)).unwrap_or_else(|| panic!("{}", ended.stdout));
    line.trim().strip_suffix(" ms").unwrap().parse().unwrap()
}

#[test]
fn one_message_gets_an_answer_and_figures_that_fit_what_the_server_did() {
    let sim = sim("ttft=30&itl=2&osl=12");
    let ended = talk(&sim.url()).with("--quick").word("Hello there").run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.stderr, "");
    let truth = &sim.truth()[0];
    let (prompt, output) = (truth.prompt_tokens.unwrap(), truth.output_tokens);
    assert_eq!(output, 12);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines[0].split_whitespace().count(), 12, "{}", ended.stdout);
    let labels: Vec<&str> = lines[1..].iter().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(labels, ["TTFT", "TPS", "ITL", "Latency", "Tokens"]);
    assert!(lines[2].ends_with(" s)") && lines[2].contains("(12 tokens in "), "{}", lines[2]);
    assert_eq!(lines[5], format!("Tokens: {prompt} in, 12 out (counted by the server)"));
    let spent = |end: usize| truth.chunks[end].since(truth.arrival).as_millis_f64();
    assert!(millis(&ended, "TTFT:") >= spent(0) - 0.01);
    assert!(millis(&ended, "Latency:") >= spent(11) - 0.01);
    let body = &requests(&sim)[0];
    assert_eq!(body["stream_options"], json!({"include_usage": true}));
    assert_eq!((&body["model"], body.get("max_completion_tokens")), (&json!("test-model"), None));
}

#[test]
fn a_talk_remembers_what_was_said_unless_it_shall_not() {
    let sim = sim("ttft=0&itl=0&osl=3");
    let lines = "one\n\n  \ntwo\nthree";
    let ended = talk(&sim.url()).with("--system-prompt Brief").input(lines).run();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert_eq!(ended.stdout.matches("Latency: ").count(), 3);
    let lines_of_turns: Vec<&str> = ended.stdout.lines().collect();
    let said: Vec<&str> =
        lines_of_turns.windows(2).filter(|pair| pair[1].starts_with("TTFT: ")).map(|pair| pair[0]).collect();
    let dialogues = dialogues(&sim);
    assert_eq!(roles(&dialogues[0]), ["system", "user"]);
    assert_eq!(roles(&dialogues[2]), ["system", "user", "assistant", "user", "assistant", "user"]);
    let texts: Vec<&str> = dialogues[2].iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["Brief", "one", said[0], "two", said[1], "three"]);
    let truth = sim.truth();
    assert!(truth.iter().all(|request| request.correlation_id == truth[0].correlation_id));

    sim.reset();
    assert_eq!(talk(&sim.url()).with("--no-history").input(lines).run().code, Some(0));
    assert!(self::dialogues(&sim).iter().all(|dialogue| roles(dialogue) == ["user"]));
}

#[test]
fn a_turn_that_fails_is_told_and_forgotten_and_the_talk_goes_on() {
    let sim = sim("ttft=0&itl=0&osl=3&error_every=2&error_status=503");
    let ended = talk(&sim.url()).input("one\ntwo\nthree\n").run();
    assert_eq!(ended.code, Some(1));
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    assert!(ended.stderr.starts_with("error: the server answered 503 "), "{}", ended.stderr);
    assert_eq!(ended.stdout.matches("TTFT: ").count(), 2);
    let dialogues = dialogues(&sim);
    assert_eq!(roles(&dialogues[2]), ["user", "assistant", "user"]);
    assert_eq!((dialogues[2][0].1.as_str(), dialogues[2][2].1.as_str()), ("one", "three"));
}

#[test]
fn every_spelling_of_the_address_leads_to_the_chat_and_the_key_goes_along() {
    let sim = sim("ttft=0&itl=0&osl=2");
    for path in ["", "/", "/v1", "/v1/chat/completions"] {
        let program = talk(&format!("{}{path}", sim.url())).with("--quick hi").env("OPENAI_API_KEY", "sk-1");
        assert_eq!(program.run().code, Some(0), "{path}");
    }
    for request in sim.truth() {
        assert_eq!(request.path, "/v1/chat/completions");
        assert!(
            request.headers.contains(&("Authorization".to_owned(), "Bearer sk-1".to_owned())),
            "{:?}",
            request.headers
        );
    }
}

#[test]
fn reasoning_is_shown_apart_and_counted() {
    let ended = talk("sim:?ttft=0&itl=0&osl=5&reasoning=2").with("--quick hi").run();
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert!(lines[0].starts_with("[reasoning] ") && lines[1].starts_with("[answer] "), "{}", ended.stdout);
    assert!(ended.stdout.contains("5 out, 2 of them reasoning"), "{}", ended.stdout);
}

/// A server that answers each request with these events and closes the connection.
fn server_of_events(events: &'static str) -> TestServer {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    TestServer::start(move |_, _| TestReply::new(format!("{head}{events}")).then(AfterReply::Close))
}

#[test]
fn where_the_server_reports_no_usage_tokens_are_counted_here() {
    let events =
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hello world\"},\"finish_reason\":\"stop\"}]}\n\n";
    let ended = talk(&server_of_events(events).url()).with("--tokenizer builtin --quick hi").run();
    assert!(
        ended.stdout.contains("Tokens: 1 in, 2 out (counted by aiperf: the server reports no usage)"),
        "{}",
        ended.stdout
    );
    let ended = talk(&server_of_events(events).url()).with("--tokenizer ./nowhere --quick hi").run();
    assert_eq!(ended.code, Some(0));
    assert!(ended.stdout.contains("Tokens: not counted: the server reports no usage, and "), "{}", ended.stdout);
}

#[test]
fn a_talk_with_nobody_says_so() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    talk(&format!("http://127.0.0.1:{port}"))
        .with("--quick hi")
        .run()
        .was_refused_with(&["cannot connect", "127.0.0.1"]);
    Program::new("chat").run().was_refused_with(&["--model NAME"]);
    talk("h:1").with("--url h:2").run().was_refused_with(&["--url", "more than once"]);
    talk("http://a:1,http://b:2").with("--quick hi").run().was_refused_with(&["--url", "one server"]);
    talk("h:1").with("stray").run().was_refused_with(&["stray"]);
}

#[test]
fn a_server_that_keeps_silent_is_given_up() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let ended = talk(&url).with("--quick hi").env("AIPERF_CHAT_READ_TIMEOUT", "0.05").run();
    ended.was_refused_with(&["no data from the server", "AIPERF_CHAT_READ_TIMEOUT"]);
}

#[test]
fn words_are_shown_as_they_come_and_ctrl_c_ends_a_talk_at_a_pipe() {
    let sim = sim("ttft=0&itl=0&osl=8&stall_every=1&stall_ms=100000");
    let mut running = talk(&sim.url()).with("--quick hi").start();
    wait_for("the first words", || (!running.stdout().is_empty() || running.has_ended()).then_some(()));
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(!ended.stdout.contains("TTFT"), "{}", ended.stdout);
}

#[test]
fn a_key_that_the_server_repeats_is_not_shown() {
    let server = TestServer::start(|_, _| in_one("401 Unauthorized", "", b"bad key sk-abcdef-1234"));
    let ended = talk(&server.url()).with("--api-key sk-abcdef-1234 --quick hello").run();
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("bad key <redacted>") && !ended.stderr.contains("sk-abc"), "{}", ended.stderr);
}

#[test]
fn a_reader_that_goes_away_ends_the_talk_without_a_word() {
    let sim = sim("ttft=1&itl=1&osl=4");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut child = Command::new(env!("CARGO_BIN_EXE_aiperf"))
        .args(["chat", "--model", "test-model", "--url", &sim.url()])
        .stdin(Stdio::piped())
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"one\ntwo\nthree\n").unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
    assert_eq!(requests(&sim).len(), 1, "nobody would have read the others");
}
