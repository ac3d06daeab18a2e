//! Lines of requests of one recorded session that wait for each other, by the log of the server.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::agentic_replay::{call, places, recording, replayed};
use crate::support::{Entry, Log, sim};

const FROM_THE_BEGINNING: &str = "--concurrency 1 --trajectory-start-max-ratio 0 --num-sessions 1";

fn find<'l>(log: &'l Log, places: &HashMap<String, (String, String, u64)>, name: &str, turn: u64) -> &'l Entry {
    log.iter().find(|entry| places[entry.id()].1 == name && places[entry.id()].2 == turn).unwrap()
}

/// The second request of its agent has a pause of a tenth of a second; but when it was recorded, the main line had had its
/// second answer.
fn with_order() -> Value {
    let mut session = recording("one");
    let mut slow = call(0.2, 140, 5, &[50, 51]);
    slow["api_time"] = json!(0.9);
    session["requests"][1]["requests"] = json!([slow, call(1.2, 210, 5, &[50, 51, 52])]);
    session["requests"][2] = call(1.0, 300, 7, &[1, 2, 3, 4]);
    session["requests"][3] = call(3.0, 420, 6, &[1, 2, 3, 4, 5, 6]);
    session
}

#[test]
fn what_was_sent_after_an_answer_to_another_line_still_is() {
    let sim = sim("ttft=5&itl=0");
    let (artifacts, log) = replayed(&sim, &[with_order()], FROM_THE_BEGINNING);
    let places = places(&artifacts);
    let (agent, main) = (find(&log, &places, "one::sa:a1", 1), find(&log, &places, "one", 1));
    assert!(agent.arrival >= main.end, "it cannot have known of that answer");
}

#[test]
fn a_line_that_ends_early_leaves_the_order_of_the_others() {
    let sim = sim("ttft=5&itl=0&context=600");
    let mut session = with_order();
    let mut refused = session["requests"][1].clone();
    refused["agent_id"] = json!("a2");
    refused["requests"] = json!([call(0.15, 640, 5, &[60, 61]), call(0.9, 700, 5, &[60, 61, 62])]);
    session["requests"].as_array_mut().unwrap().push(refused);
    let (artifacts, log) = replayed(&sim, &[session], FROM_THE_BEGINNING);
    assert_eq!(log.len(), 6, "one request of the agent whose prompts are too long");
    let places = places(&artifacts);
    let (agent, main) = (find(&log, &places, "one::sa:a1", 1), find(&log, &places, "one", 1));
    assert!(agent.arrival >= main.end, "it cannot have known of that answer");
}

#[test]
fn a_recording_whose_times_cannot_be_is_played_to_its_end() {
    let sim = sim("ttft=5&itl=0");
    let instant = |at: f64, input: u64, ids: &[u64]| {
        let mut call = call(at, input, 3, ids);
        call["api_time"] = Value::Null;
        call
    };
    let mut at_once = recording("at_once");
    at_once["requests"][1]["requests"] = json!([instant(0.4, 140, &[50, 51]), instant(0.8, 210, &[50, 51, 52])]);
    at_once["requests"][2] = instant(0.4, 300, &[1, 2, 3, 4]);
    at_once["requests"][3] = instant(0.8, 420, &[1, 2, 3, 4, 5, 6]);
    // By its duration the agent had ended long before its last request.
    let mut too_short = recording("too_short");
    too_short["requests"][1]["duration_ms"] = json!(20);
    let words = FROM_THE_BEGINNING.replace("sessions 1", "sessions 2");
    let (_, log) = replayed(&sim, &[at_once, too_short], &words);
    assert_eq!(log.len(), 5 + 6);
}

#[test]
fn idle_time_that_is_cut_is_cut_for_turns_that_wait_for_others_too() {
    let sim = sim("ttft=5&itl=0");
    let mut session = recording("one");
    session["requests"][1]["duration_ms"] = Value::Null;
    // It outlives the main line, whose second turn waits for its second answer and is waited for by its third turn.
    session["requests"][1]["requests"] = json!([
        call(0.15, 140, 5, &[50, 51]),
        call(300.0, 210, 5, &[50, 51, 52]),
        call(700.0, 280, 5, &[50, 51, 52, 53])
    ]);
    session["requests"][2] = call(600.0, 300, 7, &[1, 2, 3, 4]);
    session["requests"][3] = call(600.2, 420, 6, &[1, 2, 3, 4, 5, 6]);
    let words = format!("{FROM_THE_BEGINNING} --system-idle-gap-cap-seconds 0.2");
    let (artifacts, log) = replayed(&sim, &[session], &words);
    assert_eq!(log.len(), 6);
    let skipped = artifacts.summary()["agentic_replay"]["idle_seconds_skipped"].as_f64().unwrap();
    assert!((690.0..700.0).contains(&skipped), "{skipped} of 700: what was cut once is not waited for again");
}
