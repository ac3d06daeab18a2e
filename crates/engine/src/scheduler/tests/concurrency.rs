//! Closed loop: a fixed number of sessions at a time.

use aiperf_protocol::RunOutcome;

use crate::scheduler::testing::{SimulatedReply, Simulation, closed_loop, conversation, ms, requests, sessions};

#[test]
fn as_many_sessions_as_allowed_start_at_once() {
    let log = Simulation::new(vec![conversation(1)]).phase(closed_loop(4, requests(4))).run();
    assert_eq!(log.sent_ms(), [0, 0, 0, 0]);
    assert_eq!(log.outcome().ended_by, RunOutcome::Completed);
    assert_eq!(log.span_ms(0), (0, 10));
}

#[test]
fn a_free_slot_is_taken_as_soon_as_a_reply_is_back() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(2, requests(6)))
        .replies(|sent| SimulatedReply::after(ms(if sent.number % 2 == 0 { 10 } else { 25 })))
        .run();
    assert_eq!(log.sent_ms(), [0, 0, 10, 20, 25, 35]);
    assert_eq!(log.due_ms(), log.sent_ms(), "a request is due when its slot is free");
}

#[test]
fn a_session_keeps_its_slot_during_its_pauses() {
    let log = Simulation::new(vec![conversation(2).delay(1, 100)]).phase(closed_loop(1, requests(4))).run();
    assert_eq!(log.sent_ms(), [0, 110, 120, 230]);
}

#[test]
fn a_conversation_without_turns_counts_as_a_session_and_holds_no_slot() {
    let log = Simulation::new(vec![conversation(0), conversation(1)]).phase(closed_loop(1, sessions(4))).run();
    assert_eq!(log.turns_ms(), [(1, 0, 0), (1, 0, 10)]);
    let counts = log.counts();
    assert_eq!((counts.sessions_sent, counts.sessions_completed, counts.sent), (4, 4, 2));
}
