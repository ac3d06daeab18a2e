//! A client that is stopped in the middle of a run (a signal, a container's limit on processor time, a paused machine) reads
//! late and says so; the server is not blamed.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Ended, Program, Running, TestServer, chat_events, in_chunks, wait_for};

/// Far longer than the server takes to send a response, and than a stop that counts.
const STOPPED: Duration = Duration::from_millis(1_500);
const AT_ONCE: usize = 4;

fn parts(words: &[&str]) -> Vec<Vec<u8>> {
    chat_events(words).into_iter().map(String::into_bytes).collect()
}

fn program(server: &TestServer, words: &str) -> Program {
    Program::profile(&format!("--url {} --model m --tokenizer builtin --isl 8 --streaming", server.url())).with(words)
}

/// All threads of the program stand still.
fn is_stopped(program: &Running) -> bool {
    let tasks = fs::read_dir(format!("/proc/{}/task", program.id())).unwrap().flatten();
    let states = tasks.map(|task| fs::read_to_string(task.path().join("stat")).unwrap_or_default());
    // The state comes after the name, which stands in parentheses.
    states.into_iter().all(|stat| stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T')))
}

/// The server answers the first requests only when the client has been stopped, and the client goes on long after they were
/// answered: each of them has waited to be read, whatever else the machine does.
fn stopped_while_first_tokens_come() -> Ended {
    let (asked, may_answer) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let server = {
        let (asked, may_answer) = (Arc::clone(&asked), Arc::clone(&may_answer));
        TestServer::start(move |_, _| {
            asked.fetch_add(1, Ordering::SeqCst);
            while !may_answer.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(2));
            }
            in_chunks("", &parts(&["one", " two", " three", " four"]))
        })
    };
    let running = program(&server, &format!("--concurrency {AT_ONCE} --request-count 8")).start();
    wait_for("the first requests", || (asked.load(Ordering::SeqCst) == AT_ONCE).then_some(()));
    running.signal(Signal::STOP);
    wait_for("the client to stand still", || is_stopped(&running).then_some(()));
    may_answer.store(true, Ordering::SeqCst);
    thread::sleep(STOPPED);
    running.signal(Signal::CONT);
    running.end()
}

fn note(summary: &Value, code: &str) -> Option<Value> {
    summary["validity"].as_array().unwrap().iter().find(|note| note["code"] == code).cloned()
}

#[test]
fn a_client_that_was_stopped_tells_of_its_stop_and_of_the_first_tokens_that_it_read_late() {
    let ended = stopped_while_first_tokens_come();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let summary = ended.artifacts.summary();

    let stamps = &summary["timestamps"];
    let count = |name: &str| stamps[name].as_u64().unwrap();
    assert_eq!((count("first_tokens"), count("chunks")), (8, 32), "{stamps}");
    assert!(count("late_first_tokens") >= AT_ONCE as u64, "{stamps}");
    assert!(count("merged_chunks") >= count("late_first_tokens"), "{stamps}");
    let late = note(&summary, "late_first_tokens").unwrap_or_else(|| panic!("{}", summary["validity"]));
    assert_eq!(late["severity"], "warning");
    assert!(late["figure"].as_f64().unwrap() >= 50.0, "{late}");
    assert!(note(&summary, "merged_chunks").is_some(), "{}", summary["validity"]);

    let health = &summary["client_health"];
    assert_eq!(health["saturated"], true, "{health}");
    let stalled = health["limits"].as_array().unwrap().iter().find(|limit| limit["kind"] == "stalled");
    let stalled = stalled.unwrap_or_else(|| panic!("{health}"));
    // Its watch looks every 20 ms.
    assert!(stalled["figure"].as_f64().unwrap() >= STOPPED.as_secs_f64() * 1e3 - 100.0, "{stalled}");
    assert!(stalled["message"].as_str().unwrap().contains("The client was stopped for"), "{stalled}");
    assert!(ended.stdout.contains("[client_saturated]") && ended.stdout.contains("[late_first_tokens]"));

    // Nothing failed, and the server did nothing wrong.
    if let Some(gap) = note(&summary, "littles_law_gap") {
        let advice = gap["advice"].as_str().unwrap();
        assert!(advice.contains("The server is not the cause") && !advice.contains("failed"), "{advice}");
    }
}

#[test]
fn a_server_that_ends_its_streams_late_is_not_told_of_failures_that_never_were() {
    // Long after the last content there are still comments, and then the end.
    let comments = || std::iter::repeat_n(b": wait\n\n".to_vec(), 20);
    let server = TestServer::start(move |_, _| {
        let mut events = parts(&["one", " two"]);
        let done = events.pop().unwrap();
        events.extend(comments());
        events.push(done);
        in_chunks("", &events)
    });
    let artifacts = program(&server, "--concurrency 3 --request-count 6").succeed();
    let summary = artifacts.summary();
    let gap = note(&summary, "littles_law_gap").unwrap_or_else(|| panic!("{}", summary["validity"]));
    let (message, advice) = (gap["message"].as_str().unwrap(), gap["advice"].as_str().unwrap());
    assert!(message.starts_with("Little's law: ") && message.contains(" in flight, observed "), "{message}");
    assert!(advice.contains("[DONE]") && !advice.contains("failed") && !advice.contains("grace"), "{advice}");
}
