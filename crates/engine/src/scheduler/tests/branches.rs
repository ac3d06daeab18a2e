//! Conversations that start others: spawns, joins and forks.

use crate::plan::PreparedConversation;
use crate::scheduler::testing::{
    DispatchLog, SentBody, SimulatedReply, Simulation, closed_loop, conversation, duration, ms, sessions, warmup,
};
use aiperf_config::{GracePeriod, Pace, PhaseConfig};
use std::time::Duration;

/// One session; the children of conversation 1 take 100 ms, of conversation 2 200 ms, of all others 10 ms.
fn one_session(conversations: Vec<PreparedConversation>) -> DispatchLog {
    Simulation::new(conversations)
        .phase(closed_loop(1, sessions(1)))
        .replies(|sent| SimulatedReply::after(ms([10, 100, 200].get(sent.conversation).copied().unwrap_or(10))))
        .run()
}

fn leaf() -> PreparedConversation {
    conversation(1).child()
}

#[test]
fn a_join_waits_for_all_children_and_the_turns_before_it_do_not() {
    let log = one_session(vec![conversation(3).spawn(0, &[1, 2], Some(2)), leaf(), leaf()]);
    assert_eq!(log.turns_ms(), [(0, 0, 0), (1, 0, 10), (2, 0, 10), (0, 1, 10), (0, 2, 210)]);
    let branches = log.counts().branches;
    assert_eq!((branches.children_spawned, branches.children_completed), (2, 2));
    assert_eq!((branches.parents_suspended, branches.parents_resumed), (1, 1));
}

#[test]
fn a_join_at_the_next_turn_waits_too() {
    let log = one_session(vec![conversation(2).spawn(0, &[1], Some(1)), leaf()]);
    assert_eq!(log.turns_ms(), [(0, 0, 0), (1, 0, 10), (0, 1, 110)]);
}

#[test]
fn a_join_that_is_reached_after_its_children_have_ended_waits_for_nothing() {
    let log = one_session(vec![conversation(3).spawn(0, &[1], Some(2)).delay(1, 300), leaf()]);
    assert_eq!(log.turns_ms(), [(0, 0, 0), (1, 0, 10), (0, 1, 310), (0, 2, 320)]);
    assert_eq!(log.counts().branches.parents_suspended, 0);
}

#[test]
fn branches_of_several_turns_join_in_one() {
    let log = one_session(vec![conversation(3).spawn(0, &[1], Some(2)).spawn(1, &[2], Some(2)), leaf(), leaf()]);
    assert_eq!(log.turns_ms(), [(0, 0, 0), (1, 0, 10), (0, 1, 10), (2, 0, 20), (0, 2, 220)]);
}

#[test]
fn the_delay_of_a_joining_turn_begins_with_the_end_of_the_last_child() {
    let log = one_session(vec![conversation(2).spawn(0, &[1], Some(1)).delay(1, 50), leaf()]);
    assert_eq!(log.turns_ms(), [(0, 0, 0), (1, 0, 10), (0, 1, 160)]);
}

#[test]
fn a_child_starts_after_the_delay_of_its_first_turn() {
    let log = one_session(vec![conversation(1).spawn(0, &[1], None), leaf().delay(0, 40)]);
    assert_eq!(log.turns_ms(), [(0, 0, 0), (1, 0, 50)]);
    assert_eq!(log.counts().branches.children_delayed, 1);
}

#[test]
fn a_spawn_without_a_join_holds_nobody_up() {
    let log = one_session(vec![conversation(2).spawn(0, &[2], None), leaf(), leaf()]);
    assert_eq!(log.turns_ms(), [(0, 0, 0), (2, 0, 10), (0, 1, 10)]);
}

#[test]
fn children_take_no_session_slot_and_the_phase_waits_for_them() {
    let log = Simulation::new(vec![conversation(1).spawn(0, &[1], None), leaf()])
        .phase(closed_loop(1, sessions(2)))
        .replies(|sent| SimulatedReply::after(ms(if sent.conversation == 0 { 10 } else { 500 })))
        .run();
    assert_eq!(log.turns_ms(), [(0, 0, 0), (1, 0, 10), (0, 0, 10), (1, 0, 20)]);
    assert_eq!(log.span_ms(0), (0, 520));
}

#[test]
fn children_of_children_are_waited_for_at_every_level() {
    let log = one_session(vec![
        conversation(2).spawn(0, &[3], Some(1)),
        leaf(),
        leaf(),
        conversation(2).child().spawn(0, &[2], Some(1)),
    ]);
    assert_eq!(log.turns_ms(), [(0, 0, 0), (3, 0, 10), (2, 0, 20), (3, 1, 220), (0, 1, 230)]);
    assert_eq!(log.dispatched.iter().map(|sent| sent.depth).collect::<Vec<_>>(), [0, 1, 2, 1, 0]);
    assert!(log.dispatched.iter().all(|sent| sent.root == 1));
}

#[test]
fn a_fork_ends_its_parent_and_carries_the_reply_on() {
    let log = one_session(vec![conversation(3).fork(0, &[3, 4], false), leaf(), leaf(), leaf(), leaf()]);
    assert_eq!(log.turns_ms(), [(0, 0, 0), (3, 0, 10), (4, 0, 10)]);
    assert!(log.dispatched[1..].iter().all(|sent| sent.body == SentBody::FromReplies));
    assert_eq!(log.counts().sessions_completed, 1);
}

#[test]
fn a_fork_in_the_background_leaves_its_parent_going() {
    let log = one_session(vec![conversation(2).fork(0, &[1], true), leaf()]);
    assert_eq!(log.turns_ms(), [(0, 0, 0), (1, 0, 10), (0, 1, 10)]);
}

#[test]
fn a_fork_waits_until_the_reply_has_been_read() {
    let log = Simulation::new(vec![conversation(1).fork(0, &[1], false), leaf()])
        .phase(closed_loop(1, sessions(1)))
        .with(|simulation| simulation.record_delay = ms(25))
        .run();
    assert_eq!(log.turns_ms(), [(0, 0, 0), (1, 0, 35)]);
}

#[test]
fn a_failed_child_is_counted_and_its_parent_goes_on() {
    let log = Simulation::new(vec![conversation(2).spawn(0, &[1], Some(1)), leaf()])
        .phase(closed_loop(1, sessions(1)))
        .replies(
            |sent| if sent.conversation == 1 { SimulatedReply::failed(ms(70)) } else { SimulatedReply::after(ms(10)) },
        )
        .run();
    assert_eq!(log.turns_ms(), [(0, 0, 0), (1, 0, 10), (0, 1, 80)]);
    let branches = log.counts().branches;
    assert_eq!((branches.children_errored, branches.children_completed, branches.parents_resumed), (1, 0, 1));
}

#[test]
fn with_fail_fast_a_failed_child_ends_its_whole_family() {
    let log = Simulation::new(vec![
        conversation(3).spawn(0, &[1, 2], Some(1)),
        conversation(2).child(),
        conversation(2).child(),
    ])
    .phase(closed_loop(1, sessions(1)))
    .replies(|sent| match sent.conversation {
        1 => SimulatedReply::failed(ms(20)),
        2 => SimulatedReply::after(ms(50)),
        _ => SimulatedReply::after(ms(10)),
    })
    .with(|simulation| simulation.timing.dag_fail_fast = true)
    .run();
    assert_eq!(log.turns_ms(), [(0, 0, 0), (1, 0, 10), (2, 0, 10)], "nobody sends another turn");
    let branches = log.counts().branches;
    assert_eq!((branches.joins_suppressed, branches.parents_failed_due_to_child_error), (1, 1));
    assert_eq!(log.counts().sessions_completed, 1);
}

#[test]
fn what_a_root_starts_before_its_first_turn_starts_once_in_a_phase() {
    let conversations = vec![conversation(1).spawns_before(&[1]), leaf()];
    let log = Simulation::new(conversations.clone()).phase(closed_loop(1, sessions(2))).run();
    assert_eq!(log.turns_ms(), [(0, 0, 0), (1, 0, 0), (0, 0, 10)]);
    let log = Simulation::new(conversations).phase(warmup(Pace::Concurrency(1), sessions(2))).run();
    assert_eq!(log.turns_ms(), [(0, 0, 0), (0, 0, 10)], "and not in the warm-up");
}

#[test]
fn a_child_without_turns_has_ended_before_anybody_waits_for_it() {
    let log = one_session(vec![conversation(2).spawn(0, &[1], Some(1)), conversation(0).child()]);
    assert_eq!(log.turns_ms(), [(0, 0, 0), (0, 1, 10)]);
    assert_eq!(log.counts().branches.children_errored, 1);
}

#[test]
fn children_that_the_deadline_cuts_off_are_counted_as_truncated() {
    let phase = PhaseConfig { grace: GracePeriod::Limited(Duration::ZERO), ..closed_loop(1, duration(50)) };
    let log = Simulation::new(vec![conversation(2).spawn(0, &[1, 2], Some(1)), leaf(), leaf().delay(0, 200)])
        .phase(phase)
        .replies(|sent| SimulatedReply::after(ms(if sent.conversation == 0 { 10 } else { 500 })))
        .run();
    assert_eq!(log.turns_ms(), [(0, 0, 0), (1, 0, 10)], "one was in flight, the other had not begun");
    let branches = log.counts().branches;
    assert_eq!((branches.children_spawned, branches.children_truncated), (2, 2));
}
