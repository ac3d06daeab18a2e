//! A limit on how many requests wait for their first token.

use aiperf_config::{Pace, PhaseConfig, ScheduleZero, StopConditions};

use crate::scheduler::testing::{
    SimulatedReply, Simulation, closed_loop, conversation, ms, profiling, rate, requests, sessions, warmup,
};

fn limited(limit: usize, phase: PhaseConfig) -> PhaseConfig {
    PhaseConfig { prefill_limit: Some(limit), ..phase }
}

#[test]
fn a_first_token_makes_room_for_the_next_request() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(limited(2, closed_loop(6, requests(6))))
        .replies(|_| SimulatedReply::after(ms(500)).first_token(ms(50)))
        .run();
    assert_eq!(log.sent_ms(), [0, 0, 50, 50, 100, 100]);
}

#[test]
fn a_reply_without_a_token_makes_room_when_it_ends() {
    let log =
        Simulation::new(vec![conversation(1)]).phase(limited(1, closed_loop(3, requests(3)))).replies_after(100).run();
    assert_eq!(log.sent_ms(), [0, 100, 200]);
}

#[test]
fn a_reply_whose_token_was_told_makes_room_only_once() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(limited(2, closed_loop(8, requests(8))))
        .replies(|_| SimulatedReply::after(ms(70)).first_token(ms(50)))
        .run();
    assert_eq!(log.sent_ms(), [0, 0, 50, 50, 100, 100, 150, 150]);
}

#[test]
fn turns_of_open_sessions_go_before_new_sessions() {
    let log = Simulation::new(vec![conversation(2)]).phase(limited(1, closed_loop(2, requests(4)))).run();
    let turns: Vec<(u64, usize)> = log.dispatched.iter().map(|sent| (sent.session, sent.turn)).collect();
    assert_eq!(turns, [(1, 0), (1, 1), (2, 0), (2, 1)]);
}

#[test]
fn a_scheduled_session_that_waits_for_room_is_counted_as_held_back() {
    let pace = Pace::FixedSchedule { zero: ScheduleZero::Earliest, ceiling: None };
    let log = Simulation::new(vec![conversation(1), conversation(1)])
        .phase(limited(1, profiling(pace, StopConditions::default())))
        .with(|simulation| simulation.fixed_schedule = vec![(0, 0.0), (1, 10.0)])
        .replies(|_| SimulatedReply::after(ms(200)).first_token(ms(50)))
        .run();
    assert_eq!((log.due_ms(), log.sent_ms()), (vec![0, 10], vec![0, 50]));
    assert_eq!((log.counts().arrivals_delayed, log.dispatched[1].held_back), (1, true));
}

#[test]
fn an_arrival_that_finds_prefill_full_is_dropped() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(limited(1, profiling(rate(10.0), sessions(2))))
        .replies(|_| SimulatedReply::after(ms(400)).first_token(ms(150)))
        .run();
    assert_eq!(log.sent_ms(), [100, 300], "a limit is asked at the due time, not before");
    assert_eq!(log.counts().arrivals_dropped, 1);
}

#[test]
fn a_new_phase_begins_with_an_empty_prefill() {
    let grace = aiperf_config::GracePeriod::Limited(std::time::Duration::ZERO);
    let first = PhaseConfig { grace, ..warmup(Pace::Concurrency(2), requests(2)) };
    let log = Simulation::new(vec![conversation(1)])
        .phase(limited(2, first))
        .phase(limited(2, closed_loop(2, requests(2))))
        .replies(|sent| if sent.phase == 0 { SimulatedReply::never() } else { SimulatedReply::after(ms(10)) })
        .run();
    assert_eq!(log.sent_ms(), [0, 0, 0, 0]);
}
