//! Limits and rates that grow to their target.

use std::time::Duration;

use aiperf_clock::Nanos;
use aiperf_config::{Arrival, GracePeriod, Pace, PhaseConfig, Ramp, RampShape, RateCurve};
use aiperf_seed::Seed;

use crate::schedule::step_times;
use crate::scheduler::testing::{
    DispatchLog, SimulatedReply, Simulation, closed_loop, conversation, duration, linear, profiling, requests,
};

fn held_sessions(ramp: Option<Ramp>) -> DispatchLog {
    let phase = PhaseConfig {
        concurrency_ramp: ramp,
        grace: GracePeriod::Limited(Duration::ZERO),
        ..closed_loop(5, requests(5))
    };
    Simulation::new(vec![conversation(1)]).phase(phase).replies(|_| SimulatedReply::never()).run()
}

const fn seconds(ramp: u64, shape: RampShape) -> Ramp {
    Ramp { duration: Duration::from_secs(ramp), shape }
}

#[test]
fn a_linear_ramp_opens_one_more_slot_at_even_times() {
    assert_eq!(held_sessions(Some(linear(8_000))).sent_ms(), [0, 2_000, 4_000, 6_000, 8_000]);
}

#[test]
fn an_exponential_ramp_opens_its_slots_late() {
    assert_eq!(held_sessions(Some(seconds(8, RampShape::Exponential))).sent_ms(), [0, 4_000, 5_656, 6_928, 8_000]);
}

#[test]
fn a_poisson_ramp_opens_its_slots_when_its_stream_says() {
    let ramp = seconds(8, RampShape::Poisson);
    let log = held_sessions(Some(ramp));
    let sent: Vec<Nanos> = log.dispatched[1..].iter().map(|sent| sent.at).collect();
    assert_eq!(sent, step_times(5, ramp, Seed::fixed(1)));
}

#[test]
fn without_a_ramp_all_slots_are_open_from_the_start() {
    assert_eq!(held_sessions(None).sent_ms(), [0; 5]);
}

#[test]
fn the_ceiling_of_a_rate_grows_with_its_ramp() {
    let pace = Pace::Rate { rate: RateCurve::constant(1.0), arrival: Arrival::Constant, ceiling: Some(3) };
    let phase = PhaseConfig {
        concurrency_ramp: Some(linear(4_000)),
        grace: GracePeriod::Limited(Duration::ZERO),
        ..profiling(pace, duration(5_500))
    };
    let log = Simulation::new(vec![conversation(1)]).phase(phase).replies(|_| SimulatedReply::never()).run();
    assert_eq!(log.sent_ms(), [1_000, 2_000, 4_000]);
    assert_eq!(log.counts().arrivals_dropped, 2);
}

#[test]
fn the_prefill_limit_grows_with_its_ramp() {
    let phase = PhaseConfig {
        prefill_limit: Some(3),
        prefill_ramp: Some(linear(4_000)),
        grace: GracePeriod::Limited(Duration::ZERO),
        ..closed_loop(10, duration(5_000))
    };
    let log = Simulation::new(vec![conversation(1)]).phase(phase).replies(|_| SimulatedReply::never()).run();
    assert_eq!(log.sent_ms(), [0, 2_000, 4_000]);
}

#[test]
fn a_rate_ramp_sends_the_area_under_it_and_then_keeps_its_rate() {
    let curve = RateCurve { ramp: Some(linear(10_000)), ..RateCurve::constant(100.0) };
    let pace = Pace::Rate { rate: curve, arrival: Arrival::Constant, ceiling: None };
    let log = Simulation::new(vec![conversation(1)]).phase(profiling(pace, requests(605))).run();
    // From 1 to 100 a second within 10 s: (1 + 100) / 2 * 10 requests.
    assert!(log.dispatched[504].due.0.abs_diff(10_000_000_000) < 1_000, "{:?}", log.dispatched[504]);
    assert!(log.dispatched[604].due.0.abs_diff(11_000_000_000) < 1_000, "{:?}", log.dispatched[604]);
}

#[test]
fn a_slot_that_is_open_is_used_again_while_others_are_still_closed() {
    let phase = PhaseConfig { concurrency_ramp: Some(linear(1_000)), ..closed_loop(2, requests(5)) };
    let log = Simulation::new(vec![conversation(1)]).phase(phase).replies_after(400).run();
    assert_eq!(log.sent_ms(), [0, 400, 800, 1_000, 1_200]);
}

#[test]
fn the_shape_of_a_rate_ramp_decides_when_requests_are_due() {
    let due = |shape: RampShape| -> Vec<Nanos> {
        let curve = RateCurve { ramp: Some(seconds(10, shape)), ..RateCurve::constant(100.0) };
        let pace = Pace::Rate { rate: curve, arrival: Arrival::Constant, ceiling: None };
        let log = Simulation::new(vec![conversation(1)]).phase(profiling(pace, requests(1_200))).run();
        log.dispatched.iter().map(|sent| sent.due).collect()
    };
    let in_five_seconds = |due: &[Nanos]| due.iter().filter(|due| due.0 < 5_000_000_000).count();
    // From 1 to 100 a second: the area under a line, and under a parabola.
    assert_eq!(in_five_seconds(&due(RampShape::Linear)), 128);
    assert_eq!(in_five_seconds(&due(RampShape::Exponential)), 46);
    let steps = due(RampShape::Poisson);
    assert_eq!(steps[1_199].0 - steps[1_198].0, 10_000_000, "it reaches its target");
    assert!(steps.windows(2).filter(|pair| pair[1].0 - pair[0].0 > 11_000_000).count() > 20, "and begins below it");
}
