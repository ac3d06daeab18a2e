//! Servers that cannot be reached.

use aiperf_protocol::{RunOutcome, StopReason};
use std::time::Duration;

use crate::scheduler::testing::{
    SimulatedReply, Simulation, closed_loop, conversation, duration, ms, profiling, rate, requests, to_ms,
};

#[test]
fn a_closed_loop_tries_a_dead_server_a_few_times_and_gives_up() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(8, requests(100_000)))
        .replies(|_| SimulatedReply::unreachable(ms(0)))
        .run();
    let outcome = log.outcome();
    assert_eq!(outcome.ended_by, RunOutcome::Stopped(StopReason::Unreachable));
    assert!((20..60).contains(&log.dispatched.len()), "{} tries", log.dispatched.len());
    let outage = outcome.outage.unwrap();
    assert_eq!(outage.failures, log.dispatched.len() as u64);
    let lasted = to_ms(outage.last.since(outage.since));
    assert!((10_000..10_600).contains(&lasted), "given up after {lasted} ms");
    assert_eq!(log.cuts.last().map(|cut| cut.1), Some(RunOutcome::Stopped(StopReason::Unreachable)));
}

#[test]
fn the_pause_between_two_tries_grows_to_half_a_second() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(1, requests(100_000)))
        .replies(|_| SimulatedReply::unreachable(ms(0)))
        .run();
    let sent = log.sent_ms();
    let pauses: Vec<u64> = sent.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(pauses.is_sorted() && pauses[0] == 10, "{pauses:?}");
    assert_eq!(pauses.last(), Some(&500));
}

#[test]
fn a_server_that_comes_back_gets_the_whole_load_again() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(4, requests(400)))
        .replies(
            |sent| if sent.at < ms(2_000) { SimulatedReply::unreachable(ms(0)) } else { SimulatedReply::after(ms(10)) },
        )
        .run();
    assert_eq!((log.outcome().ended_by.clone(), log.outcome().outage), (RunOutcome::Completed, None));
    let back = log.dispatched.iter().filter(|sent| sent.at >= ms(2_000)).count();
    let (start, end) = (2_000, log.span_ms(0).1);
    assert!(end - start < 500 + 10 * back as u64 / 4 + 20, "{back} requests took until {end} ms");
}

#[test]
fn a_turn_that_waited_for_the_server_is_due_when_it_is_tried() {
    let log = Simulation::new(vec![conversation(3)])
        .phase(closed_loop(1, requests(3)))
        .replies(
            |sent| if sent.turn == 0 { SimulatedReply::unreachable(ms(300)) } else { SimulatedReply::after(ms(10)) },
        )
        .run();
    let second = &log.dispatched[1];
    assert_eq!((to_ms(second.at), second.due), (600, second.at), "300 ms after an outage of 300 ms");
    assert_eq!(log.sent_ms()[2], 610);
}

#[test]
fn a_schedule_is_kept_through_an_outage() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(profiling(rate(10.0), duration(5_000)))
        .replies(|_| SimulatedReply::unreachable(ms(0)))
        .run();
    assert_eq!(log.due_ms(), (1..50).map(|n| n * 100).collect::<Vec<_>>());
    assert_eq!(log.outcome().ended_by, RunOutcome::DurationOver);
}

#[test]
fn an_outage_without_a_limit_ends_nothing() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(1, duration(60_000)))
        .replies(|_| SimulatedReply::unreachable(ms(0)))
        .with(|simulation| simulation.timing.unreachable_limit = None)
        .run();
    assert_eq!(log.outcome().ended_by, RunOutcome::DurationOver);
    assert!(log.dispatched.len() > 100);
}

#[test]
fn one_of_two_servers_that_is_away_holds_nothing_back() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(1, requests(100)))
        .replies(
            |sent| if sent.target == 1 { SimulatedReply::unreachable(ms(10)) } else { SimulatedReply::after(ms(10)) },
        )
        .with(|simulation| {
            simulation.targets = 2;
            simulation.timing.unreachable_limit = Some(Duration::from_millis(500));
        })
        .run();
    assert_eq!(log.sent_ms(), (0..100).map(|n| n * 10).collect::<Vec<_>>());
    assert_eq!(log.outcome().ended_by, RunOutcome::Completed);
}
