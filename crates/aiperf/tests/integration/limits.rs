//! Limits within a phase: requests that wait for their first token, and ramps of limits, as the server saw them.

use crate::support::{Entry, Log, Program, sim, together};

/// How many of all requests had arrived and not been answered when each came, itself included.
fn in_prefill(log: &Log) -> Vec<(f64, usize)> {
    let waits = |entry: &Entry, at: f64| entry.arrival <= at && entry.answered.is_none_or(|answered| answered > at);
    log.iter().map(|now| (now.arrival, log.iter().filter(|entry| waits(entry, now.arrival)).count())).collect()
}

/// Steps of a limit that grows from one to `target` in `length_s`: its value after `at` seconds.
fn linear(target: u32, length_s: f64, at: f64) -> u32 {
    (1 + (f64::from(target - 1) * at / length_s) as u32).min(target)
}

#[test]
fn no_more_requests_than_allowed_wait_for_their_first_token() {
    let sim = sim("ttft=100&itl=40");
    let words = "--streaming --concurrency 6 --prefill-concurrency 2 --request-count 12 --osl 10 --export-level raw";
    let artifacts = Program::against(&sim, words).with("--workers-max 2").succeed();
    let log = Log::of(&sim, &artifacts);
    assert_eq!(log.len(), 12);
    assert!(in_prefill(&log).iter().all(|(_, waiting)| *waiting <= 2), "{:?}", in_prefill(&log));
    // A place is free again with the first token, and not only at the end.
    assert!((3..=6).contains(&log.most_in_flight()), "{}", log.most_in_flight());
}

#[test]
fn a_limit_on_prefill_drops_arrivals_of_a_rate() {
    let sim = sim("ttft=150&itl=10");
    let words =
        "--streaming --request-rate 40 --arrival-pattern constant --prefill-concurrency 1 --request-count 5 --osl 3";
    let artifacts = Program::against(&sim, words).with("--export-level raw").succeed();
    let log = Log::of(&sim, &artifacts);
    assert_eq!(log.len(), 5);
    assert!(in_prefill(&log).iter().all(|(_, waiting)| *waiting == 1));
    assert!(artifacts.counted("arrivals_dropped") > 0);
}

#[test]
fn a_failed_request_gives_its_prefill_place_back() {
    let sim = sim("ttft=10&itl=0&osl=2&error_every=2");
    let words = "--streaming --concurrency 3 --prefill-concurrency 1 --request-count 10 --export-level raw";
    let artifacts = Program::against(&sim, words).succeed();
    assert_eq!(Log::of(&sim, &artifacts).len(), 10);
    assert_eq!((artifacts.counted("completed"), artifacts.counted("errors")), (10, 5));
}

#[test]
fn a_concurrency_ramp_lets_in_one_more_at_each_step() {
    let words = "--concurrency 5 --concurrency-ramp-duration 1.6 --request-count 14 --export-level raw";
    let run = |shape: &str| {
        let sim = sim("ttft=700&itl=0&osl=1");
        let artifacts = Program::against(&sim, words).with("--ramp-shape").with(shape).succeed();
        let log = Log::of(&sim, &artifacts);
        assert_eq!((log.len(), log.most_in_flight()), (14, 5), "{shape}");
        log
    };
    let [linear_log, exponential, random] = together(["linear", "exponential", "poisson --random-seed 5"], run);
    for entry in linear_log.iter() {
        assert!(entry.truth.in_flight <= linear(5, 1.6, entry.arrival), "{entry:?}");
    }
    for entry in exponential.iter() {
        // Progress is the square of the time.
        let progress = (entry.arrival / 1.6).min(1.0);
        assert!(entry.truth.in_flight <= 1 + (4.0 * progress * progress + 1e-9) as u32, "{entry:?}");
    }
    assert!(random.0[1].arrival > 0.0 && random.iter().all(|entry| entry.truth.in_flight <= 5));
}
