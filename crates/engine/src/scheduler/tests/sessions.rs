//! Sessions of several turns: pauses, live history, and turns that fail.

use crate::scheduler::testing::{
    SentBody, SimulatedReply, Simulation, chat, closed_loop, conversation, ms, requests, sessions,
};

#[test]
fn a_turn_follows_the_end_of_the_reply_by_its_delay() {
    let log = Simulation::new(vec![conversation(3).delay(1, 50).delay(2, 200)])
        .phase(closed_loop(1, sessions(1)))
        .replies_after(30)
        .run();
    assert_eq!(log.sent_ms(), [0, 80, 310]);
}

#[test]
fn a_turn_with_live_history_waits_until_the_reply_has_been_read() {
    let log = Simulation::new(vec![chat(2)])
        .phase(closed_loop(1, sessions(1)))
        .with(|simulation| simulation.record_delay = ms(30))
        .run();
    assert_eq!((log.due_ms(), log.sent_ms()), (vec![0, 10], vec![0, 40]), "it is due when the reply ended");
    let bodies: Vec<SentBody> = log.dispatched.iter().map(|sent| sent.body).collect();
    assert_eq!(bodies, [SentBody::Fixed, SentBody::FromReplies]);
}

#[test]
fn the_time_that_reading_takes_is_part_of_the_delay() {
    let log = Simulation::new(vec![chat(2).delay(1, 50)])
        .phase(closed_loop(1, sessions(1)))
        .with(|simulation| simulation.record_delay = ms(30))
        .run();
    assert_eq!(log.sent_ms(), [0, 60]);
}

#[test]
fn a_session_whose_next_turn_cannot_be_made_ends_there() {
    let log = Simulation::new(vec![chat(3)])
        .phase(closed_loop(1, sessions(2)))
        .replies(
            |sent| if sent.session == 1 { SimulatedReply::unreadable(ms(10)) } else { SimulatedReply::after(ms(10)) },
        )
        .run();
    let turns: Vec<(u64, usize)> = log.dispatched.iter().map(|sent| (sent.session, sent.turn)).collect();
    assert_eq!(turns, [(1, 0), (2, 0), (2, 1), (2, 2)]);
    assert_eq!(log.counts().sessions_completed, 2);
}

#[test]
fn a_failed_turn_does_not_end_its_session() {
    let log = Simulation::new(vec![conversation(3)])
        .phase(closed_loop(1, sessions(1)))
        .replies(|sent| if sent.turn == 1 { SimulatedReply::failed(ms(5)) } else { SimulatedReply::after(ms(10)) })
        .run();
    assert_eq!(log.sent_ms(), [0, 10, 15]);
    assert_eq!((log.counts().completed, log.counts().sessions_completed), (3, 1));
}

#[test]
fn only_the_last_turn_is_marked_as_the_last() {
    let log = Simulation::new(vec![conversation(3)]).phase(closed_loop(2, requests(6))).run();
    assert!(log.dispatched.iter().all(|sent| sent.is_last == (sent.turn == 2)));
}

#[test]
fn sessions_are_drawn_from_the_data_set_in_turn() {
    let log = Simulation::new(vec![conversation(1), conversation(2).child(), conversation(1), conversation(1)])
        .phase(closed_loop(1, sessions(5)))
        .run();
    let drawn: Vec<usize> = log.dispatched.iter().map(|sent| sent.conversation).collect();
    assert_eq!(drawn, [0, 2, 3, 0, 2], "children are not drawn");
}
