//! Which worker and which server get a session.

use crate::plan::EngineError;
use crate::scheduler::Placement;
use crate::scheduler::testing::{
    SimulatedReply, Simulation, closed_loop, conversation, ms, profiling, rate, requests, sessions,
};

#[test]
fn a_session_goes_to_the_worker_with_the_fewest_requests_in_flight() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(3, requests(6)))
        .replies(|sent| SimulatedReply::after(ms(if sent.worker == 0 { 100 } else { 10 })))
        .with(|simulation| simulation.workers = 3)
        .run();
    let workers: Vec<usize> = log.dispatched.iter().map(|sent| sent.worker).collect();
    assert_eq!(workers, [0, 1, 2, 1, 2, 1], "the first worker is busy for long");
}

#[test]
fn a_small_load_stays_with_the_first_worker_and_a_large_one_is_spread() {
    let workers = |concurrency, count| {
        let log = Simulation::new(vec![conversation(1)])
            .phase(closed_loop(concurrency, requests(count)))
            .with(|simulation| (simulation.workers, simulation.placement) = (3, Placement::FillWorkers))
            .run();
        let of = |worker| log.dispatched.iter().filter(|sent| sent.worker == worker).count();
        [of(0), of(1), of(2)]
    };
    assert_eq!(workers(16, 160), [160, 0, 0]);
    assert_eq!(workers(20, 20), [16, 4, 0]);
    assert_eq!(workers(60, 60), [20, 20, 20], "when all are full, the least busy one");
}

#[test]
fn a_schedule_is_kept_by_all_workers() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(profiling(rate(1_000.0), requests(90)))
        .with(|simulation| (simulation.workers, simulation.placement) = (3, Placement::FillWorkers))
        .run();
    let of = |worker| log.dispatched.iter().filter(|sent| sent.worker == worker).count();
    assert_eq!([of(0), of(1), of(2)].map(|count| count > 20), [true; 3]);
}

#[test]
fn servers_take_sessions_in_turn() {
    let log = Simulation::new(vec![conversation(2)])
        .phase(closed_loop(1, sessions(6)))
        .with(|simulation| simulation.targets = 3)
        .run();
    let targets: Vec<usize> = log.dispatched.iter().map(|sent| sent.target).collect();
    assert_eq!(targets, [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2], "all turns of a session go to one server");
}

#[test]
fn a_run_whose_workers_are_gone_ends_with_an_error() {
    let (log, result) = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(2, requests(10)))
        .with(|simulation| simulation.lasts = Some(5))
        .try_run();
    assert!(matches!(result, Err(EngineError::WorkersGone)));
    assert_eq!(log.dispatched.len(), 5);
}

#[test]
fn a_run_that_nothing_comes_back_to_ends_with_an_error() {
    let (_, result) = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(2, requests(10)))
        .replies(|_| SimulatedReply::never())
        .try_run();
    assert!(matches!(result, Err(EngineError::WorkersGone)), "instead of sleeping for good");
}
