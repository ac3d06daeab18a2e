//! What ends sending: requests, sessions, duration, whichever comes first.

use aiperf_clock::Nanos;
use aiperf_config::StopConditions;
use aiperf_protocol::RunOutcome;

use crate::scheduler::testing::{
    SimulatedReply, Simulation, closed_loop, conversation, duration, profiling, rate, requests, sessions,
};

#[test]
fn exactly_as_many_requests_are_sent_as_asked_for_even_in_the_middle_of_sessions() {
    let log = Simulation::new(vec![conversation(4)]).phase(closed_loop(3, requests(8))).run();
    let counts = log.counts();
    assert_eq!((counts.sent, counts.completed, counts.sessions_sent), (8, 8, 3));
    assert_eq!(counts.sessions_completed, 0, "no session has sent its fourth turn");
    assert_eq!(log.outcome().ended_by, RunOutcome::Completed);
}

#[test]
fn a_session_limit_starts_no_more_and_lets_all_finish() {
    let log = Simulation::new(vec![conversation(3)]).phase(closed_loop(2, sessions(5))).run();
    let counts = log.counts();
    assert_eq!((counts.sessions_sent, counts.sessions_completed, counts.sent), (5, 5, 15));
}

#[test]
fn a_duration_ends_sending_and_what_is_in_flight_finishes() {
    let log = Simulation::new(vec![conversation(1)]).phase(closed_loop(1, duration(100))).replies_after(30).run();
    assert_eq!(log.sent_ms(), [0, 30, 60, 90]);
    assert_eq!(log.span_ms(0), (0, 120));
    assert_eq!(log.outcome().ended_by, RunOutcome::DurationOver);
}

#[test]
fn a_slot_that_is_free_at_the_deadline_is_not_used() {
    let log = Simulation::new(vec![conversation(1)]).phase(closed_loop(1, duration(100))).replies_after(50).run();
    assert_eq!(log.sent_ms(), [0, 50]);
}

#[test]
fn no_arrival_that_is_due_at_the_deadline_is_sent() {
    let log = Simulation::new(vec![conversation(1)]).phase(profiling(rate(10.0), duration(1_000))).run();
    assert_eq!(log.due_ms(), (1..10).map(|n| n * 100).collect::<Vec<_>>());
}

#[test]
fn a_reply_just_before_the_deadline_sends_nothing_that_is_due_at_it() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(profiling(rate(10.0), duration(1_000)))
        .replies(|_| SimulatedReply::after(Nanos(899_500_000)))
        .run();
    assert_eq!(log.dispatched[0].end_at(), Some(Nanos(999_500_000)), "within the last millisecond");
    assert_eq!(log.due_ms(), (1..10).map(|n| n * 100).collect::<Vec<_>>());
}

#[test]
fn the_condition_that_is_reached_first_ends_the_phase() {
    let run = |stop: StopConditions| {
        Simulation::new(vec![conversation(1)]).phase(closed_loop(1, stop)).run().outcome().clone()
    };
    let first = run(StopConditions { requests: Some(3), ..duration(1_000) });
    assert_eq!((first.ended_by, first.counts.sent), (RunOutcome::Completed, 3));
    let first = run(StopConditions { requests: Some(1_000), ..duration(45) });
    assert_eq!((first.ended_by, first.counts.sent), (RunOutcome::DurationOver, 5));
    let first = run(StopConditions { requests: Some(4), ..sessions(2) });
    assert_eq!((first.ended_by, first.counts.sent), (RunOutcome::Completed, 2));
}

#[test]
fn a_turn_whose_pause_outlasts_the_duration_is_not_sent() {
    let log = Simulation::new(vec![conversation(2).delay(1, 500)]).phase(closed_loop(1, duration(100))).run();
    assert_eq!(log.sent_ms(), [0]);
    let counts = log.counts();
    assert_eq!((counts.sessions_sent, counts.sessions_completed, counts.sessions_cut), (1, 0, 0));
}
