//! Requests that the client gives up on purpose: what the server sees of it, and what the records say.

use std::net::TcpListener;

use aiperf_sim::TruthOutcome;
use serde_json::json;

use crate::support::{Log, Program, Record, sim, together, truth_of};

const NEVER: &str = "ttft=600000&itl=0&osl=2";

#[test]
fn a_cancelled_request_closes_its_connection_after_the_delay() {
    let sim = sim(NEVER);
    let words = "--streaming --concurrency 2 --request-count 5 --request-cancellation-rate 100 --request-cancellation-delay 0.3";
    let ended = Program::against(&sim, words).with("--export-level raw").run();
    assert_eq!(ended.code, Some(1), "nothing succeeded");
    assert!(ended.stderr.contains("Lower --request-cancellation-rate"), "{}", ended.stderr);
    assert_eq!(truth_of(&sim, 5).len(), 5);
    let log = Log::of(&sim, &ended.artifacts);
    assert!(log.iter().all(|entry| entry.truth.outcome == TruthOutcome::ClientGone));
    assert!(log.iter().all(|entry| entry.truth.connection_request == 0), "a closed connection was used again");
    for record in ended.artifacts.records() {
        assert_eq!(record.error(), (Some(499), "RequestCancellationError"));
        assert!(record.was_cancelled());
        let sent = record.number("request_start_ns");
        assert!(record.number("cancellation_time_ns") >= sent + 300_000_000);
    }
    // Given up on purpose is completed with an error, not cut off by the end of the run.
    let counts = ended.artifacts.accounting("profiling");
    assert_eq!((&counts["completed"], &counts["errors"], &counts["cancelled"]), (&5.into(), &5.into(), &0.into()));
}

#[test]
fn without_a_delay_the_request_is_sent_whole_and_then_given_up() {
    let sim = sim(NEVER);
    let ended = Program::against(&sim, "--concurrency 3 --request-count 6 --request-cancellation-rate 100").run();
    assert_eq!(ended.code, Some(1));
    let truth = truth_of(&sim, 6);
    assert!(truth.iter().all(|truth| truth.outcome == TruthOutcome::ClientGone && truth.body.is_some()), "{truth:?}");
}

#[test]
fn a_share_of_the_requests_is_given_up_and_a_seed_repeats_the_choice() {
    let chosen = |workers: &str| {
        let sim = sim("ttft=400&itl=0&osl=1");
        let words = "--concurrency 10 --request-count 30 --request-cancellation-rate 50 --random-seed 21";
        let artifacts = Program::against(&sim, words).with(workers).with("--export-level raw").succeed();
        let gone = truth_of(&sim, 30).iter().filter(|truth| truth.outcome == TruthOutcome::ClientGone).count();
        let records = artifacts.records();
        assert_eq!(records.iter().filter(|record| record.was_cancelled()).count(), gone);
        assert!((5..=25).contains(&gone), "{gone} of 30");
        assert_eq!(artifacts.average("request_count") as usize, 30 - gone);
        records.iter().map(Record::was_cancelled).collect::<Vec<_>>()
    };
    let [by_one, by_two] = together(["--workers-max 1", "--workers-max 2"], chosen);
    assert_eq!(by_one, by_two);
}

#[test]
fn a_warmup_is_never_given_up() {
    let sim = sim("ttft=500&itl=0&osl=1");
    let words = "--concurrency 3 --warmup-request-count 3 --request-count 3 --request-cancellation-rate 100 --request-cancellation-delay 0";
    let ended = Program::against(&sim, words).run();
    assert_eq!(ended.code, Some(1));
    let outcomes: Vec<TruthOutcome> = truth_of(&sim, 6).iter().map(|truth| truth.outcome).collect();
    assert_eq!(outcomes[..3], [TruthOutcome::Completed; 3]);
    assert_eq!(outcomes[3..], [TruthOutcome::ClientGone; 3]);
}

#[test]
fn a_session_goes_on_after_a_turn_that_was_given_up() {
    let sim = sim(NEVER);
    let words = "--num-sessions 2 --session-turns-mean 3 --request-cancellation-rate 100 --export-level raw";
    let ended = Program::against(&sim, words).run();
    truth_of(&sim, 6);
    let log = Log::of(&sim, &ended.artifacts);
    let sessions = log.sessions();
    assert_eq!(sessions.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3]);
    for session in sessions {
        // No reply came, so that there is none in the history.
        let roles: Vec<String> = session[2].messages().into_iter().map(|(role, _)| role).collect();
        assert_eq!(roles, ["user", "user", "user"]);
    }
}

#[test]
fn a_request_over_its_time_is_closed_at_the_server_and_the_next_one_goes_out() {
    let sim = sim(NEVER);
    let ended = Program::against(&sim, "--request-count 2 --request-timeout-seconds 0.4 --export-level raw").run();
    assert_eq!(ended.code, Some(1));
    truth_of(&sim, 2);
    let log = Log::of(&sim, &ended.artifacts);
    assert!(log.iter().all(|entry| entry.truth.outcome == TruthOutcome::ClientGone));
    assert!(log.0[1].arrival >= 0.4, "the first one had not had its time");
    for record in ended.artifacts.records() {
        assert_eq!(record.error().1, "TimeoutError");
        assert!(record.number("request_end_ns") >= record.number("request_start_ns") + 400_000_000);
    }
    assert_ne!(log.0[0].truth.connection, log.0[1].truth.connection);
}

/// A server that takes connections and never reads from them.
fn deaf_server() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    (listener, url)
}

#[test]
fn a_request_that_cannot_be_sent_is_not_waited_for_to_be_cancelled() {
    let (_listener, url) = deaf_server();
    let image = format!("data:image/png;base64,{}", "A".repeat(16 << 20));
    let content = json!([{"type": "text", "text": "hi"}, {"type": "image_url", "image_url": {"url": image}}]);
    let row = json!({"model": "m", "messages": [{"role": "user", "content": content}]}).to_string();
    let words = format!("--url {url} --model m --tokenizer builtin --input-file rows.jsonl --request-count 1");
    let ended = Program::profile(&words)
        .with("--custom-dataset-type raw_payload --request-cancellation-rate 100 --request-cancellation-delay 0")
        .file("rows.jsonl", &row)
        // The least that it may be.
        .env("AIPERF_HTTP_REQUEST_CANCELLATION_SEND_TIMEOUT", "10")
        .run();
    assert_eq!(ended.code, Some(1));
    let records = ended.artifacts.records();
    assert_eq!(records[0].error(), (Some(0), "RequestSendTimeout"));
    assert!(!records[0].was_cancelled());
}
