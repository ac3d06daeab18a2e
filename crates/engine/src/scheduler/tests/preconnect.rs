//! Connections that are opened before a phase starts.

use aiperf_protocol::{RunOutcome, StopReason};

use crate::request::preconnect::ConnectionsAhead;
use crate::scheduler::testing::{Simulation, closed_loop, conversation, ms, requests};

fn ahead(target: usize, count: usize) -> ConnectionsAhead {
    ConnectionsAhead { target, count }
}

fn with_preconnect(connect_ms: Option<u64>) -> Simulation {
    Simulation::new(vec![conversation(1)]).with(|simulation| {
        simulation.preconnect = true;
        simulation.connect_time = connect_ms.map(ms);
    })
}

#[test]
fn a_phase_starts_when_its_connections_are_open() {
    let log = with_preconnect(Some(70)).phase(closed_loop(3, requests(6))).run();
    assert_eq!(log.preconnects, [(ms(0), 0, vec![ahead(0, 3)])]);
    assert_eq!(log.sent_ms(), [70, 70, 70, 80, 80, 80]);
    assert_eq!(log.span_ms(0), (70, 90), "opening connections is not part of the phase");
}

#[test]
fn each_worker_opens_the_connections_that_its_sessions_take() {
    let log = with_preconnect(Some(1))
        .phase(closed_loop(7, requests(7)))
        .with(|simulation| (simulation.workers, simulation.targets) = (3, 2))
        .run();
    for (_, worker, asked) in &log.preconnects {
        for ahead in asked {
            let taken = log.dispatched.iter().filter(|sent| (sent.worker, sent.target) == (*worker, ahead.target));
            assert_eq!(taken.count(), ahead.count, "worker {worker}, {ahead:?}");
        }
    }
    let asked: usize = log.preconnects.iter().flat_map(|(_, _, asked)| asked).map(|ahead| ahead.count).sum();
    assert_eq!(asked, 7);
}

#[test]
fn no_more_connections_are_opened_than_there_are_requests() {
    let log = with_preconnect(Some(1)).phase(closed_loop(50, requests(4))).run();
    assert_eq!(log.preconnects, [(ms(0), 0, vec![ahead(0, 4)])]);
}

#[test]
fn every_phase_asks_for_its_connections() {
    let log = with_preconnect(Some(5)).phase(closed_loop(2, requests(2))).phase(closed_loop(4, requests(4))).run();
    let asked: Vec<_> = log.preconnects.iter().map(|(at, _, asked)| (*at, asked[0].count)).collect();
    assert_eq!(asked, [(ms(0), 2), (ms(15), 4)]);
}

#[test]
fn a_phase_does_not_wait_for_a_server_that_accepts_nothing() {
    let log = with_preconnect(None).phase(closed_loop(2, requests(2))).run();
    assert_eq!(log.sent_ms(), [10_000, 10_000]);
}

#[test]
fn a_stop_while_connections_are_opened_ends_the_run_without_a_request() {
    let log = with_preconnect(Some(500)).phase(closed_loop(2, requests(2))).stop_at(100, StopReason::Interrupt).run();
    assert!(log.dispatched.is_empty());
    assert_eq!(log.outcome().ended_by, RunOutcome::Stopped(StopReason::Interrupt));
}

#[test]
fn without_the_option_nothing_is_opened_ahead() {
    let log = Simulation::new(vec![conversation(1)]).phase(closed_loop(3, requests(3))).run();
    assert!(log.preconnects.is_empty());
}
