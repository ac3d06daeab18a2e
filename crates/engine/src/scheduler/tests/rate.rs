//! Open loop: requests at a rate, whatever the server does.

use std::time::Duration;

use aiperf_clock::Nanos;
use aiperf_config::{Arrival, GracePeriod, Pace, PhaseConfig, RateCurve, RatePoint};
use aiperf_protocol::RunOutcome;
use aiperf_seed::Seed;

use crate::schedule::{ArrivalTimes, RateFunction};
use crate::scheduler::testing::{
    SimulatedReply, Simulation, conversation, duration, profiling, rate, requests, sessions,
};

fn drawn(arrival: Arrival, seed: u64) -> Vec<Nanos> {
    let pace = Pace::Rate { rate: RateCurve::constant(50.0), arrival, ceiling: None };
    let log = Simulation::new(vec![conversation(1)])
        .phase(profiling(pace, requests(300)))
        .with(|simulation| simulation.seed = seed)
        .run();
    log.dispatched.iter().map(|sent| sent.due).collect()
}

fn expected(arrival: Arrival, seed: u64) -> Vec<Nanos> {
    let rate = RateFunction::new(&RateCurve::constant(50.0), Duration::from_millis(100), Seed::fixed(seed));
    ArrivalTimes::new(arrival, rate, Seed::fixed(seed)).take(300).collect()
}

#[test]
fn constant_arrivals_are_due_on_a_grid_and_reach_the_worker_a_millisecond_before() {
    let log = Simulation::new(vec![conversation(1)]).phase(profiling(rate(10.0), requests(5))).run();
    assert_eq!(log.due_ms(), [100, 200, 300, 400, 500]);
    assert_eq!(log.sent_ms(), [99, 199, 299, 399, 499]);
    assert!(log.dispatched.iter().all(|sent| sent.issued == sent.due));
}

#[test]
fn poisson_arrivals_are_due_when_their_stream_says() {
    assert_eq!(drawn(Arrival::Poisson, 3), expected(Arrival::Poisson, 3));
    assert_ne!(drawn(Arrival::Poisson, 3), drawn(Arrival::Poisson, 4));
}

#[test]
fn phases_with_the_same_pattern_draw_arrivals_of_their_own() {
    let pace = Pace::Rate { rate: RateCurve::constant(50.0), arrival: Arrival::Poisson, ceiling: None };
    let phase = || profiling(pace.clone(), requests(300));
    let warmup = crate::scheduler::testing::warmup(pace.clone(), requests(300));
    let log = Simulation::new(vec![conversation(1)])
        .phase(warmup)
        .phase(phase())
        .phase(phase())
        .with(|simulation| simulation.seed = 3)
        .run();
    let gaps = |index: usize| {
        let due: Vec<Nanos> = log.of_phase(index).map(|sent| sent.due).collect();
        due.windows(2).map(|pair| pair[1].0 - pair[0].0).collect::<Vec<u64>>()
    };
    let alone = drawn(Arrival::Poisson, 3);
    // The first profiling phase is the same whatever is around it.
    assert_eq!(gaps(1), alone.windows(2).map(|pair| pair[1].0 - pair[0].0).collect::<Vec<u64>>());
    assert!(gaps(0) != gaps(1) && gaps(1) != gaps(2) && gaps(0) != gaps(2));
}

#[test]
fn gamma_arrivals_are_due_when_their_stream_says() {
    let arrival = Arrival::Gamma { smoothness: 0.5 };
    assert_eq!(drawn(arrival, 3), expected(arrival, 3));
    assert_ne!(drawn(arrival, 3), drawn(Arrival::Poisson, 3));
}

#[test]
fn a_server_that_never_replies_changes_no_due_time() {
    let phase = PhaseConfig { grace: GracePeriod::Limited(Duration::ZERO), ..profiling(rate(100.0), requests(20)) };
    let log = Simulation::new(vec![conversation(1)]).phase(phase).replies(|_| SimulatedReply::never()).run();
    assert_eq!(log.due_ms(), (1..=20).map(|n| n * 10).collect::<Vec<_>>());
    assert_eq!(log.counts().cut, 20);
}

#[test]
fn arrivals_that_find_the_ceiling_reached_are_dropped_and_counted() {
    let pace = Pace::Rate { rate: RateCurve::constant(10.0), arrival: Arrival::Constant, ceiling: Some(1) };
    let log = Simulation::new(vec![conversation(1)]).phase(profiling(pace, duration(1_000))).replies_after(250).run();
    assert_eq!(log.sent_ms(), [100, 400, 700], "with a ceiling a request leaves when it is due, not before");
    assert_eq!(log.counts().arrivals_dropped, 6);
}

#[test]
fn later_turns_wait_for_an_arrival_and_go_before_new_sessions() {
    let log = Simulation::new(vec![conversation(2)]).phase(profiling(rate(10.0), requests(4))).run();
    assert_eq!(log.turns_ms(), [(0, 0, 99), (0, 1, 199), (0, 0, 299), (0, 1, 399)]);
    assert_eq!(log.due_ms(), [100, 200, 300, 400], "the arrival is the due time of the turn");
}

#[test]
fn a_turn_with_a_pause_lets_arrivals_go_to_new_sessions() {
    let log = Simulation::new(vec![conversation(2).delay(1, 150)]).phase(profiling(rate(10.0), requests(4))).run();
    let turns: Vec<(u64, usize)> = log.dispatched.iter().map(|sent| (sent.session, sent.turn)).collect();
    assert_eq!(turns, [(1, 0), (2, 0), (1, 1), (2, 1)]);
}

#[test]
fn a_session_limit_lets_every_session_finish() {
    let log = Simulation::new(vec![conversation(2)]).phase(profiling(rate(10.0), sessions(3))).run();
    assert_eq!(log.due_ms(), [100, 200, 300, 400, 500, 600]);
    assert_eq!((log.counts().sessions_completed, log.outcome().ended_by), (3, RunOutcome::Completed));
}

#[test]
fn a_rate_series_sends_as_many_as_the_area_under_it() {
    let points =
        [(0, 2.0), (2, 10.0), (4, 2.0)].map(|(s, per_second)| RatePoint { at: Duration::from_secs(s), per_second });
    let curve = RateCurve { points: points.to_vec(), ramp: None };
    let pace = Pace::Rate { rate: curve, arrival: Arrival::Constant, ceiling: None };
    let log = Simulation::new(vec![conversation(1)]).phase(profiling(pace, duration(4_001))).run();
    assert_eq!(log.dispatched.len(), 24);
    assert!(log.dispatched[23].due.0.abs_diff(4_000_000_000) < 1_000, "{:?}", log.dispatched[23]);
}

#[test]
fn an_infinite_rate_sends_everything_at_once() {
    let log = Simulation::new(vec![conversation(1)]).phase(profiling(rate(f64::INFINITY), requests(1_000))).run();
    assert!(log.dispatched.iter().all(|sent| sent.at == Nanos::ZERO && sent.due == Nanos::ZERO));
    assert_eq!(log.dispatched.len(), 1_000);
}
