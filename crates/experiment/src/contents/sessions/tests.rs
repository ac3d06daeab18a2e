//! Bodies made once or again, held and let go, always with the same bytes.

use super::testing::sessions;
use super::*;

const PLENTY: usize = usize::MAX;

fn ten(room: usize) -> Sessions {
    sessions(&["--num-dataset-entries=10", "--isl=50"], room).unwrap()
}

fn lines(rows: &[&str]) -> (tempfile::NamedTempFile, String) {
    let file = tempfile::NamedTempFile::with_suffix(".jsonl").unwrap();
    std::fs::write(file.path(), rows.join("\n")).unwrap();
    let option = format!("--input-file={}", file.path().display());
    (file, option)
}

fn held(sessions: &Sessions) -> usize {
    sessions.held.load(Ordering::Relaxed)
}

#[test]
fn a_body_has_the_same_bytes_whenever_and_however_often_it_is_made() {
    let (roomy, cramped) = (ten(PLENTY), ten(0));
    let forwards: Vec<Bytes> = (0..10).map(|index| roomy.fixed(index, 0).unwrap()).collect();
    for _ in 0..2 {
        for index in (0..10).rev() {
            cramped.begin(index, Began::Drawn);
            assert_eq!(cramped.fixed(index, 0).unwrap(), forwards[index]);
            cramped.end(index);
        }
    }
    assert_eq!((0..10).map(|index| roomy.fixed(index, 0).unwrap()).collect::<Vec<_>>(), forwards);
}

#[test]
fn contents_stay_while_there_is_room_and_are_made_once() {
    let sessions = ten(PLENTY);
    for _ in 0..3 {
        for index in 0..10 {
            sessions.begin(index, Began::Drawn);
            sessions.fixed(index, 0).unwrap();
            sessions.end(index);
            sessions.input(index);
        }
    }
    assert_eq!(sessions.made.load(Ordering::Relaxed), 10);
}

#[test]
fn without_room_contents_go_when_their_last_session_is_over() {
    let sessions = ten(0);
    assert_eq!(held(&sessions), 0);
    sessions.begin(4, Began::Drawn);
    sessions.begin(4, Began::Drawn);
    let body = sessions.fixed(4, 0).unwrap();
    assert_eq!(held(&sessions), body.len());
    sessions.end(4);
    assert_eq!(held(&sessions), body.len(), "another session may ask for them");
    sessions.end(4);
    assert_eq!(held(&sessions), 0);
}

#[test]
fn what_is_written_to_the_inputs_file_is_not_held_without_room() {
    let (roomy, cramped) = (ten(PLENTY), ten(0));
    for index in 0..10 {
        let (session, bytes) = cramped.input(index);
        assert_eq!(session.payloads, roomy.input(index).0.payloads);
        assert!(bytes > 0);
    }
    assert_eq!(held(&cramped), 0);
}

#[test]
fn a_run_starts_with_one_conversation_made() {
    assert_eq!(ten(PLENTY).made.load(Ordering::Relaxed), 1);
}

#[test]
fn contents_of_turns_that_follow_are_held_with_the_first_body() {
    let sessions = sessions(&["--num-dataset-entries=2", "--isl=50", "--session-turns-mean=3"], 0).unwrap();
    sessions.begin(1, Began::Drawn);
    let body = sessions.fixed(1, 0).unwrap();
    let made = sessions.made.load(Ordering::Relaxed);
    assert!(held(&sessions) > body.len());
    sessions.conversation(1);
    assert_eq!(sessions.made.load(Ordering::Relaxed), made, "the reply finds them");
    sessions.end(1);
    assert_eq!(held(&sessions), 0);
}

#[test]
fn bodies_of_a_file_are_all_looked_at_before_the_run() {
    let (_file, option) = lines(&[r#"{"text": "good"}"#, r#"{"text": "bad", "image": "https://x/y.png"}"#]);
    let error = sessions(&[&option, "--endpoint-type=completions"], PLENTY).unwrap_err();
    assert!(error.to_string().contains("takes text only"), "{error}");
}

#[test]
fn later_turns_that_stand_alone_let_go_of_earlier_bodies_when_there_is_no_room() {
    let rows: Vec<String> = (0..3).map(|turn| format!(r#"{{"session_id": "s", "text": "turn {turn}"}}"#)).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let (_file, option) = lines(&rows);
    let sessions = sessions(&[&option], 0).unwrap();
    assert_eq!(sessions.len(), 1);
    sessions.begin(0, Began::Drawn);
    for turn in 0..3 {
        let body = sessions.fixed(0, turn).unwrap();
        assert!(String::from_utf8_lossy(&body).contains(&format!("turn {turn}")));
        assert_eq!(held(&sessions), body.len());
    }
    sessions.end(0);
    assert_eq!(held(&sessions), 0);
}
