//! A measured phase that ends because what is known suffices.

use std::time::Duration;

use aiperf_config::{GracePeriod, Pace, PhaseConfig};
use aiperf_protocol::RunOutcome;

use crate::scheduler::testing::{Simulation, closed_loop, conversation, duration, ms, requests, warmup};

fn enough() -> RunOutcome {
    RunOutcome::EarlyStop
}

#[test]
fn enough_ends_sending_and_lets_what_is_in_flight_finish() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(2, requests(1_000)))
        .replies_after(30)
        .enough_at(100)
        .run();
    assert_eq!((log.counts().sent, log.counts().completed), (8, 8));
    assert_eq!((log.outcome().ended_by.clone(), log.span_ms(0)), (enough(), (0, 120)));
}

#[test]
fn the_grace_period_begins_when_enough_is_known_not_at_the_deadline() {
    let grace = GracePeriod::Limited(Duration::from_millis(500));
    let log = Simulation::new(vec![conversation(1)])
        .phase(PhaseConfig { grace, ..closed_loop(1, duration(10_000)) })
        .replies_after(5_000)
        .enough_at(100)
        .run();
    assert_eq!(log.cuts, [(ms(600), RunOutcome::EarlyStop)]);
    assert_eq!((log.outcome().ended_by.clone(), log.outcome().grace_exceeded), (enough(), true));
}

#[test]
fn a_warm_up_cannot_end_early_and_neither_can_what_follows_it() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(warmup(Pace::Concurrency(1), requests(10)))
        .phase(closed_loop(1, requests(10)))
        .enough_at(50)
        .run();
    assert!(log.outcomes.iter().all(|outcome| outcome.ended_by == RunOutcome::Completed && outcome.counts.sent == 10));
}

#[test]
fn enough_that_comes_after_the_deadline_changes_nothing() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(1, duration(100)))
        .replies_after(90)
        .enough_at(150)
        .run();
    assert_eq!((log.outcome().ended_by.clone(), log.counts().sent), (RunOutcome::DurationOver, 2));
}
