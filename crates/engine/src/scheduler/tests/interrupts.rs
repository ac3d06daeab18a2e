//! Runs that are stopped from outside.

use aiperf_clock::Nanos;
use aiperf_config::Pace;
use aiperf_protocol::{RequestOutcome, RunOutcome, StopReason};

use crate::scheduler::testing::{
    Simulation, closed_loop, conversation, duration, ms, profiling, rate, requests, warmup,
};

#[test]
fn an_interrupt_cuts_off_what_is_in_flight_and_ends_the_phase_at_once() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(3, requests(100)))
        .replies_after(1_000)
        .stop_at(1_500, StopReason::Interrupt)
        .run();
    assert_eq!(log.cuts, [(ms(1_500), RunOutcome::Stopped(StopReason::Interrupt))]);
    let outcome = log.outcome();
    assert_eq!(outcome.ended_by, RunOutcome::Stopped(StopReason::Interrupt));
    assert_eq!((outcome.counts.sent, outcome.counts.completed, outcome.counts.cut), (6, 3, 3));
    assert_eq!((outcome.counts.sessions_completed, outcome.counts.sessions_cut), (3, 3));
    assert_eq!(log.span_ms(0), (0, 1_500));
}

#[test]
fn a_stop_that_comes_before_the_first_request_keeps_all_from_being_sent() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(3, requests(100)))
        .stop_at(0, StopReason::Interrupt)
        .run();
    assert_eq!(log.dispatched, []);
    assert_eq!(log.outcome().ended_by, RunOutcome::Stopped(StopReason::Interrupt));
}

#[test]
fn a_stopped_phase_is_followed_by_no_other() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(warmup(Pace::Concurrency(1), requests(100)))
        .phase(closed_loop(1, requests(100)))
        .stop_at(55, StopReason::FailedRequests)
        .run();
    assert_eq!(log.outcomes.len(), 1);
    assert_eq!(log.cuts, [(ms(55), RunOutcome::Stopped(StopReason::FailedRequests))]);
}

#[test]
fn each_reason_to_stop_is_on_the_requests_that_it_cuts_off() {
    let reasons = [
        (StopReason::Interrupt, RunOutcome::Stopped(StopReason::Interrupt)),
        (StopReason::FailedRequests, RunOutcome::Stopped(StopReason::FailedRequests)),
        (StopReason::FailedWarmup, RunOutcome::Stopped(StopReason::FailedWarmup)),
        (StopReason::Unreachable, RunOutcome::Stopped(StopReason::Unreachable)),
        (StopReason::Defect, RunOutcome::Stopped(StopReason::Defect)),
    ];
    for (stop, cut) in reasons {
        let log = Simulation::new(vec![conversation(1)]).phase(closed_loop(1, requests(9))).stop_at(5, stop).run();
        assert_eq!(log.cuts, [(ms(5), cut)]);
        assert_eq!(log.outcome().ended_by, RunOutcome::Stopped(stop));
    }
}

#[test]
fn an_interrupt_ends_an_unlimited_grace_period() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(1, duration(100)))
        .replies_after(60_000)
        .stop_at(30_000, StopReason::Interrupt)
        .run();
    assert_eq!(log.dispatched[0].end, Some((ms(30_000), RequestOutcome::CutOff)));
    assert_eq!(log.outcome().ended_by, RunOutcome::Stopped(StopReason::Interrupt));
    assert!(!log.outcome().grace_exceeded);
}

#[test]
fn a_request_that_waits_for_its_due_time_is_cut_off_then() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(profiling(rate(1.0 / 0.100_5), requests(2)))
        .stop_at(100, StopReason::Interrupt)
        .run();
    assert_eq!((log.sent_ms(), log.counts().cut), (vec![99], 1));
    assert_eq!(log.dispatched[0].end, Some((Nanos(100_500_000), RequestOutcome::CutOff)), "at its due time");
}
