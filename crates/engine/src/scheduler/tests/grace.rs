//! How long responses may still come in when sending has stopped.

use std::time::Duration;

use aiperf_clock::Nanos;
use aiperf_config::{GracePeriod, PhaseConfig, StopConditions};
use aiperf_protocol::RunOutcome;

use crate::scheduler::testing::{CutReply, DispatchLog, Simulation, closed_loop, conversation, duration, ms, requests};

const fn limited(millis: u64) -> GracePeriod {
    GracePeriod::Limited(Duration::from_millis(millis))
}

fn run(stop: StopConditions, grace: GracePeriod, reply: u64) -> DispatchLog {
    let phase = PhaseConfig { grace, ..closed_loop(1, stop) };
    Simulation::new(vec![conversation(2)]).phase(phase).replies_after(reply).run()
}

#[test]
fn an_unlimited_grace_period_waits_for_the_last_response() {
    let log = run(duration(100), GracePeriod::Unlimited, 10_000);
    assert_eq!((log.span_ms(0), log.outcome().grace_exceeded), ((0, 10_000), false));
    assert_eq!((log.counts().sent, log.counts().completed), (1, 1));
    assert_eq!(log.cuts, []);
}

#[test]
fn a_response_within_the_grace_period_counts() {
    let log = run(duration(100), limited(500), 400);
    assert_eq!((log.span_ms(0), log.counts().completed, log.outcome().grace_exceeded), ((0, 400), 1, false));
}

#[test]
fn a_response_at_the_last_moment_of_the_grace_period_counts() {
    let log = run(duration(100), limited(500), 600);
    assert_eq!((log.counts().completed, log.counts().cut, log.outcome().grace_exceeded), (1, 0, false));
}

#[test]
fn a_response_after_the_grace_period_is_cut_off() {
    let log = run(duration(100), limited(500), 601);
    assert_eq!(log.cuts, [(ms(600), RunOutcome::DurationOver)]);
    let outcome = log.outcome();
    assert_eq!((outcome.ended_by.clone(), outcome.grace_exceeded), (RunOutcome::DurationOver, true));
    assert_eq!((outcome.counts.cut, outcome.counts.completed, outcome.counts.sessions_cut), (1, 0, 1));
}

#[test]
fn without_a_grace_period_the_deadline_cuts_off() {
    assert_eq!(run(duration(100), limited(0), 101).cuts, [(ms(100), RunOutcome::DurationOver)]);
}

#[test]
fn a_phase_that_ends_by_count_has_its_grace_period_from_its_deadline() {
    let stop = StopConditions { requests: Some(1), ..duration(1_000) };
    assert_eq!(run(stop, limited(500), 1_400).counts().completed, 1);
    assert_eq!(run(stop, limited(500), 1_600).cuts, [(ms(1_500), RunOutcome::Completed)]);
}

#[test]
fn a_phase_without_a_deadline_has_its_grace_period_from_its_last_request() {
    assert_eq!(run(requests(1), limited(500), 1_400).cuts, [(ms(500), RunOutcome::Completed)]);
}

#[test]
fn no_turn_is_sent_in_the_grace_period() {
    let log = run(duration(100), limited(500), 150);
    assert_eq!(log.sent_ms(), [0], "the session has a second turn, due at 150");
}

#[test]
fn requests_that_do_not_come_back_after_the_cut_are_given_up() {
    let phase = |stop| PhaseConfig { grace: limited(500), ..closed_loop(1, stop) };
    let log = Simulation::new(vec![conversation(1)])
        .phase(phase(duration(100)))
        .phase(phase(requests(1)))
        .replies_after(1_000)
        .with(|simulation| {
            simulation.cut_reply = CutReply::Never;
            simulation.timing.cut_drain = Duration::from_secs(3);
        })
        .run();
    assert_eq!(log.cuts[0], (ms(600), RunOutcome::DurationOver));
    assert_eq!(log.span_ms(1).0, 3_600, "the next phase begins when the first has given up waiting");
    let counts = log.outcomes[0].counts;
    assert_eq!((counts.sent, counts.completed, counts.cut), (1, 0, 0));
}

#[test]
fn the_grace_period_is_as_long_for_every_request_in_flight() {
    let phase = PhaseConfig { grace: limited(50), ..closed_loop(3, duration(100)) };
    let log = Simulation::new(vec![conversation(1)])
        .phase(phase)
        .replies(|sent| crate::scheduler::testing::SimulatedReply::after(ms(40 * (sent.number + 1))))
        .run();
    let cut: Vec<u64> = log.dispatched.iter().filter(|sent| sent.end_at() == Some(ms(150))).map(|s| s.number).collect();
    assert!(!cut.is_empty() && log.counts().cut == cut.len() as u64, "{:?}", log.dispatched);
    assert!(log.dispatched.iter().all(|sent| sent.end_at().unwrap_or(Nanos::ZERO) <= ms(150)));
}
