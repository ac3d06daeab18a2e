//! User-centric load: who sends when, by the ids that the server saw.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::support::{Log, Program, assert_order, sim};

/// User and turn of each step of the grid must arrive in this order, none before its step.
fn assert_grid(log: &Log, step_s: f64, expected: &[u32]) {
    let names: Vec<String> = expected.iter().map(ToString::to_string).collect();
    let seen: Vec<(String, f64)> = log.iter().map(|entry| (entry.session().to_owned(), entry.arrival)).collect();
    assert_order(&names, &seen);
    let sessions = log.sessions();
    for (step, name) in names.iter().enumerate() {
        let turn = names[..step].iter().filter(|earlier| *earlier == name).count();
        let user = sessions.iter().find(|session| session[0].session() == name).unwrap();
        let due = step as f64 * step_s;
        assert!(user[turn].arrival >= due, "turn {turn} of user {name} came at {}, due {due}", user[turn].arrival);
    }
}

#[test]
fn eight_users_at_four_a_second_start_staggered_and_are_followed_by_new_ones() {
    let sim = sim("ttft=0&itl=0&osl=2");
    let words = "--user-centric-rate 4 --num-users 8 --session-turns-mean 4 --request-count 28 --export-level raw";
    let artifacts = Program::against(&sim, words).succeed();
    let log = Log::of(&sim, &artifacts);
    let expected = [[9, 4, 7, 2, 5, 8, 3, 6], [9, 4, 7, 10, 5, 8, 11, 6], [9, 12, 7, 10, 13, 8, 11, 14]].concat();
    let expected = [expected.as_slice(), &[9, 12, 15, 10]].concat();
    assert_grid(&log, 0.25, &expected);
    // Turns of a user follow its answers, and each knows what was said.
    for session in log.sessions() {
        for (turn, entry) in session.iter().enumerate() {
            assert_eq!(entry.messages().len(), 2 * turn + 1);
            assert!(turn == 0 || entry.arrival >= session[turn - 1].end);
        }
    }
    let mut due = artifacts.due();
    // A client that is late sends turns of open sessions before it starts new ones.
    due.sort_by(f64::total_cmp);
    assert!(due.iter().enumerate().all(|(step, due)| *due >= step as f64 * 0.25 - 1e-6), "{due:?}");
    assert_eq!(artifacts.counted("sent"), 28);
}

#[test]
fn users_with_conversations_from_a_file_keep_their_rhythm_and_not_the_pauses_of_the_file() {
    let sim = sim("ttft=0&itl=0&osl=2");
    let conversation = |name: &str| {
        let turns: Vec<Value> = (0..3).map(|turn| json!({"text": format!("{name}{turn}"), "delay": 600_000})).collect();
        json!({"session_id": name, "turns": turns})
    };
    let rows = ["x", "y", "z"].map(conversation);
    let words = "--user-centric-rate 2 --num-users 2 --request-count 9 --custom-dataset-type multi_turn";
    let artifacts = Program::replaying(&sim, &rows, words).succeed();
    let log = Log::of(&sim, &artifacts);
    assert_grid(&log, 0.5, &[3, 2, 3, 4, 3, 4, 5, 4, 5]);
    // Conversations are dealt out by user id: user 2 has the first, though user 3 starts before.
    let starts: Vec<String> = log.sessions().iter().map(|session| session[0].prompt()).collect();
    assert_eq!(starts, ["y0", "x0", "z0", "x0"]);
}

#[test]
fn a_user_who_finds_the_ceiling_reached_waits() {
    let sim = sim("ttft=500&itl=0&osl=1");
    let words = "--user-centric-rate 8 --num-users 4 --session-turns-mean 2 --request-count 8 --concurrency 2";
    let artifacts = Program::against(&sim, words).with("--export-level raw").succeed();
    let log = Log::of(&sim, &artifacts);
    assert_eq!((log.len(), log.most_in_flight()), (8, 2));
    assert!(artifacts.counted("arrivals_delayed") > 0);
    assert_eq!(artifacts.counted("arrivals_dropped"), 0);
}

#[test]
fn a_late_answer_shifts_the_rhythm_of_its_own_user_only() {
    // Every fifth reply takes longer than the pause between two turns.
    let sim = sim("ttft=0&itl=0&osl=2&stall_every=5&stall_ms=1300");
    let words = "--streaming --user-centric-rate 4 --num-users 3 --session-turns-mean 4 --request-count 18";
    let artifacts = Program::against(&sim, words).with("--export-level raw").succeed();
    let log = Log::of(&sim, &artifacts);
    assert_eq!(log.iter().filter(|entry| entry.truth.stalled).count(), 3);
    let start = artifacts.accounting("profiling")["start_ns"].as_u64().unwrap();
    let (records, due) = (artifacts.profiled(), artifacts.due());
    let mut last: HashMap<&str, (f64, f64)> = HashMap::new();
    let mut shifted = 0;
    for (record, due) in records.iter().zip(due) {
        let user = record.word("x_correlation_id");
        let ended = (record.number("request_end_ns") - start) as f64 / 1e9;
        if let Some((last_due, last_end)) = last.insert(user, (due, ended)) {
            let expected = last_end.max(last_due + 0.75);
            assert!((due - expected).abs() < 1e-6, "user {user} was due at {due}, not {expected}");
            shifted += u32::from(last_end > last_due + 0.75);
        }
        let entry = log.iter().find(|entry| entry.id() == record.word("x_request_id")).unwrap();
        assert!(entry.arrival >= due && entry.session() == user);
    }
    assert!(shifted > 0, "nobody was late");
}
