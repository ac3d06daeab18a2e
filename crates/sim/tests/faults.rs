//! Each fault reaches the client as it would from a real server, and the truth names it.

mod client;

use aiperf_clock::Mono;
use aiperf_sim::TruthOutcome;
use client::{Response, SimClient, start, tokens};

fn one(query: &str, rest: &str) -> (Response, TruthOutcome) {
    let sim = start(&format!("ttft=0&itl=0&{query}"));
    let response = SimClient::connect(&sim).chat(rest);
    let truth = sim.truth();
    assert_eq!(truth.len(), 1);
    (response, truth[0].outcome)
}

const STREAM: &str = r#""stream":true,"max_tokens":20"#;
const WHOLE: &str = r#""max_tokens":20"#;

#[test]
fn an_error_status_comes_with_an_error_object() {
    for rest in [STREAM, WHOLE] {
        let (response, outcome) = one("error_rate=1&error_status=503", rest);
        assert_eq!((response.status, outcome), (503, TruthOutcome::ErrorStatus));
        assert_eq!(response.json()["error"]["code"], 503);
    }
}

#[test]
fn every_nth_request_fails_in_order_of_arrival() {
    let sim = start("ttft=0&itl=0&error_every=3");
    let mut client = SimClient::connect(&sim);
    let statuses: Vec<u16> = (0..6).map(|_| client.chat(WHOLE).status).collect();
    assert_eq!(statuses, [200, 200, 500, 200, 200, 500]);
    assert_eq!(sim.truth()[2].status, 500);
}

#[test]
fn a_dropped_connection_ends_without_a_byte() {
    for rest in [STREAM, WHOLE] {
        let (response, outcome) = one("drop_every=1", rest);
        assert_eq!((response.complete, response.status, outcome), (false, 0, TruthOutcome::Dropped));
    }
}

#[test]
fn an_empty_reply_has_a_frame_and_no_content() {
    let (response, outcome) = one("empty_every=1&reasoning=4", STREAM);
    assert_eq!((response.status, outcome), (200, TruthOutcome::Empty));
    assert!(response.done());
    assert_eq!(response.text("content").0, "");
    let reasons: Vec<_> = response.chunks().iter().map(|chunk| chunk["choices"][0]["finish_reason"].clone()).collect();
    assert!(reasons.contains(&"stop".into()), "{reasons:?}");
    let (whole, outcome) = one("empty_every=1&tools=always", WHOLE);
    assert_eq!((whole.status, outcome), (200, TruthOutcome::Empty));
    assert!(whole.json()["choices"][0]["message"]["content"].is_null());
    assert!(whole.json()["choices"][0]["message"].get("tool_calls").is_none());
}

#[test]
fn a_reset_breaks_the_connection_part_way() {
    let (response, outcome) = one("reset_rate=1", STREAM);
    assert_eq!((response.error, outcome), (Some(std::io::ErrorKind::ConnectionReset), TruthOutcome::Reset));
    assert!(!response.complete);
    let (whole, outcome) = one("reset_rate=1", WHOLE);
    assert_eq!(
        (whole.complete, whole.error, outcome),
        (false, Some(std::io::ErrorKind::ConnectionReset), TruthOutcome::Reset)
    );
}

#[test]
fn a_cut_stream_ends_cleanly_without_finish_or_done() {
    let (response, outcome) = one("cut_rate=1", STREAM);
    assert_eq!(outcome, TruthOutcome::Cut);
    assert!(response.complete && !response.done());
    let count = response.text("content").1.len();
    assert!((1..20).contains(&count), "{count}");
    assert!(response.chunks().iter().all(|chunk| chunk["choices"][0]["finish_reason"].is_null()));
    let (whole, _) = one("cut_rate=1", WHOLE);
    assert!(!whole.complete && whole.error.is_none());
}

#[test]
fn an_error_object_comes_inside_a_reply_of_status_200() {
    let (response, outcome) = one("inband_rate=1", STREAM);
    assert_eq!((response.status, outcome), (200, TruthOutcome::InbandError));
    assert!(response.done());
    assert_eq!(response.chunks().last().unwrap()["error"]["code"], 500);
    let (whole, _) = one("inband_rate=1", WHOLE);
    assert_eq!((whole.status, &whole.json()["error"]["code"]), (200, &500.into()));
}

#[test]
fn a_malformed_event_is_not_json_and_the_rest_still_comes() {
    let (response, outcome) = one("malformed_rate=1", STREAM);
    assert_eq!(outcome, TruthOutcome::Malformed);
    assert!(response.done());
    let bad = response.events.iter().filter(|(_, event)| serde_json::from_str::<serde_json::Value>(event).is_err());
    assert_eq!(bad.count(), 2, "the bad one and [DONE]");
    assert_eq!(tokens(&response.text("content").0), 20);
    let (whole, _) = one("malformed_rate=1", WHOLE);
    assert!(whole.complete && serde_json::from_slice::<serde_json::Value>(&whole.body).is_err());
}

#[test]
fn a_stall_pauses_between_two_chunks() {
    let sim = start("ttft=0&itl=0&stall_rate=1&stall_ms=150");
    assert!(SimClient::connect(&sim).chat(STREAM).done());
    let truth = sim.truth();
    assert!(truth[0].stalled && truth[0].outcome == TruthOutcome::Completed);
    let gaps: Vec<u64> = truth[0].chunks.windows(2).map(|pair| pair[1].since(pair[0]).0).collect();
    assert!(*gaps.iter().max().unwrap() >= 100_000_000, "{gaps:?}");
}

#[test]
fn a_standstill_holds_up_the_whole_server() {
    let begin = Mono::now();
    let sim = start("ttft=0&itl=0&stall_at=0&stall_for=0.3");
    assert!(SimClient::connect(&sim).chat(STREAM).done());
    assert!(sim.truth()[0].chunks[0].since(begin).0 >= 300_000_000);
    let again = Mono::now();
    sim.reset();
    assert!(SimClient::connect(&sim).chat(STREAM).done());
    assert!(sim.truth()[0].chunks[0].since(again).0 >= 300_000_000, "a reset brings the standstill back");
}

#[test]
fn the_same_seed_strikes_the_same_requests() {
    let struck = |query: &str| {
        let sim = start(query);
        let mut client = SimClient::connect(&sim);
        (0..60).map(|n| client.chat(&format!(r#""max_tokens":1,"user":"{n}""#)).status).collect::<Vec<_>>()
    };
    let first = struck("ttft=0&itl=0&error_rate=0.3&seed=5");
    assert_eq!(first, struck("ttft=0&itl=0&error_rate=0.3&seed=5&reset_rate=0&stall_rate=0.5&stall_ms=0"));
    assert_ne!(first, struck("ttft=0&itl=0&error_rate=0.3&seed=6"));
    let failures = first.iter().filter(|status| **status == 500).count();
    assert!((6..32).contains(&failures), "{failures}");
}
