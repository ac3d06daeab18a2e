//! Requests that the client gives up on purpose.

use std::time::Duration;

use aiperf_config::{Cancellation, PhaseConfig};
use aiperf_protocol::RequestOutcome;
use aiperf_seed::Seed;

use crate::scheduler::testing::{DispatchLog, SimulatedReply, Simulation, closed_loop, conversation, ms, requests};

fn run(percent: f64, reply: impl Fn(u64) -> u64 + 'static) -> DispatchLog {
    let cancellation = Some(Cancellation { percent, delay: Duration::from_millis(50) });
    Simulation::new(vec![conversation(1)])
        .phase(PhaseConfig { cancellation, ..closed_loop(2, requests(200)) })
        .replies(move |sent| SimulatedReply::after(ms(reply(sent.number))))
        .run()
}

fn chosen(log: &DispatchLog) -> Vec<bool> {
    log.dispatched.iter().map(|sent| sent.cancel_after == Some(ms(50))).collect()
}

#[test]
fn a_request_that_takes_longer_than_the_delay_is_given_up() {
    let log = run(100.0, |_| 200);
    assert!(chosen(&log).iter().all(|chosen| *chosen));
    assert!(log.dispatched.iter().all(|sent| sent.end == Some((sent.at + ms(50), RequestOutcome::Failed))));
    assert_eq!(log.counts().completed, 200, "it comes back by itself and frees its slot");
}

#[test]
fn a_request_that_is_answered_in_time_is_not_given_up() {
    let log = run(100.0, |_| 20);
    assert!(log.dispatched.iter().all(|sent| sent.end == Some((sent.at + ms(20), RequestOutcome::Success))));
}

#[test]
fn the_seed_chooses_which_requests_are_given_up() {
    let mut draws = Seed::fixed(1).stream("timing.request.cancellation");
    let expected: Vec<bool> = (0..200).map(|_| draws.unit() * 100.0 < 30.0).collect();
    let log = run(30.0, |_| 200);
    assert_eq!(chosen(&log), expected);
    assert_eq!(chosen(&run(30.0, |number| 1 + number * 7 % 90)), expected, "whatever the server does");
    let share = expected.iter().filter(|chosen| **chosen).count();
    assert!((40..80).contains(&share), "{share} of 200");
}

#[test]
fn nothing_is_given_up_unless_asked_for() {
    let log = Simulation::new(vec![conversation(1)]).phase(closed_loop(2, requests(50))).run();
    assert!(log.dispatched.iter().all(|sent| sent.cancel_after.is_none()));
}
