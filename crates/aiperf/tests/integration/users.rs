//! User-centric load: who sends when, by the ids that the server saw.

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
