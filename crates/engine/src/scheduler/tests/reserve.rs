//! Credits that workers hold in reserve: counts, limits and ends are as without them.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use aiperf_clock::Nanos;
use aiperf_config::{Cancellation, PhaseConfig, Ramp, RampShape};
use aiperf_protocol::{RequestOutcome, RunOutcome, StopReason};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::scheduler::testing::{
    DispatchLog, REACTION, SimulatedReply, Simulation, assert_invariants, closed_loop, conversation, duration,
    most_at_once, ms, requests, sessions,
};

use crate::sent_journal::SentJournal;

const MICROSECOND: Nanos = Nanos(1_000);

/// A journal of one phase.
#[derive(Debug, Default)]
struct Counted {
    begun: AtomicU64,
    keeps_order: bool,
}

impl SentJournal for Counted {
    fn begin(&self, _: usize) -> u64 {
        self.begun.fetch_add(1, Ordering::Relaxed)
    }

    fn settle(&self, _: usize) {}

    fn keeps_order(&self) -> bool {
        self.keeps_order
    }
}

/// Responses after half a millisecond, so that 32 requests at once are 64,000 per second.
fn quick(phase: PhaseConfig, workers: usize) -> Simulation {
    Simulation::new(vec![conversation(1), conversation(1), conversation(1)])
        .phase(phase)
        .replies(|sent| SimulatedReply::after(Nanos(400_000 + sent.number * 7_919 % 200_000)))
        .with(move |simulation| simulation.workers = workers)
}

/// Requests that began at the very moment at which another one ended on the same worker.
fn successors(log: &DispatchLog) -> usize {
    let ends: HashSet<(usize, Nanos)> =
        log.dispatched.iter().filter_map(|sent| Some((sent.worker, sent.end_at()?))).collect();
    log.dispatched.iter().filter(|sent| ends.contains(&(sent.worker, sent.at))).count()
}

#[test]
fn a_quick_closed_loop_sends_as_many_requests_as_asked_and_never_more_at_once() {
    for (workers, count) in [(1, 5_000), (3, 5_000), (8, 20_000)] {
        let phase = closed_loop(32, requests(count));
        let log = quick(phase.clone(), workers).run();
        assert_eq!((log.counts().sent, log.counts().completed), (count, count));
        assert_eq!(log.counts().sessions_completed, count);
        assert_eq!(log.outcome().ended_by, RunOutcome::Completed);
        assert!(successors(&log) as u64 > count * 9 / 10, "most need no scheduler: {}", successors(&log));
        assert_invariants(&log, &phase);
    }
}

#[test]
fn conversations_are_drawn_in_order_and_none_is_left_out() {
    let log = quick(closed_loop(32, requests(9_999)), 4).run();
    let of = |conversation| log.dispatched.iter().filter(|sent| sent.conversation == conversation).count();
    assert_eq!([of(0), of(1), of(2)], [3_333; 3]);
}

#[test]
fn a_journal_counts_each_request_and_may_ask_for_the_order_of_the_schedule() {
    for keeps_order in [false, true] {
        let journal = Arc::new(Counted { keeps_order, ..Counted::default() });
        let kept = Arc::clone(&journal) as Arc<dyn SentJournal>;
        let log = quick(closed_loop(32, requests(5_000)), 4).with(|simulation| simulation.journal = Some(kept)).run();
        assert_eq!((journal.begun.load(Ordering::Relaxed), log.counts().sent), (5_000, 5_000));
        let mut sent: Vec<(u64, u64)> = log.dispatched.iter().map(|sent| (sent.number, sent.session)).collect();
        sent.sort_unstable();
        let is_in_order = sent.is_sorted_by_key(|(_, session)| *session);
        assert_eq!(is_in_order, keeps_order);
    }
}

#[test]
fn the_number_of_sessions_is_kept() {
    let phase = closed_loop(16, sessions(4_001));
    let log = quick(phase.clone(), 2).run();
    assert_eq!((log.counts().sessions_sent, log.counts().sent), (4_001, 4_001));
    assert_invariants(&log, &phase);
}

#[test]
fn nothing_starts_at_the_deadline_or_after_it() {
    let phase = closed_loop(32, duration(200));
    let log = quick(phase.clone(), 4).run();
    let last = log.dispatched.iter().map(|sent| sent.at).max().unwrap();
    assert!(last < ms(200) && last > ms(199), "{last:?}");
    assert!(successors(&log) > 10_000, "{}", successors(&log));
    assert_eq!(log.outcome().ended_by, RunOutcome::DurationOver);
    assert_invariants(&log, &phase);
}

#[test]
fn a_stop_ends_a_quick_loop_at_once() {
    let phase = closed_loop(32, requests(1_000_000));
    let log = quick(phase.clone(), 4).stop_at(150, StopReason::Interrupt).run();
    let last = log.dispatched.iter().map(|sent| sent.at).max().unwrap();
    assert!(last <= ms(150), "{last:?}");
    assert_invariants(&log, &phase);
}

#[test]
fn an_early_stop_lets_what_is_in_flight_end_and_starts_nothing_more() {
    let phase = closed_loop(32, requests(1_000_000));
    let log = quick(phase.clone(), 4).enough_at(100).run();
    let last = log.dispatched.iter().map(|sent| sent.at).max().unwrap();
    assert!(last <= ms(100) + REACTION, "{last:?}");
    assert_eq!((log.counts().cut, log.outcome().ended_by), (0, RunOutcome::EarlyStop));
    assert_invariants(&log, &phase);
}

#[test]
fn the_next_phase_starts_with_empty_reserves() {
    let log = quick(closed_loop(32, duration(100)), 4).phase(closed_loop(2, requests(50))).run();
    let second: Vec<_> = log.of_phase(1).collect();
    assert_eq!(second.len(), 50);
    let spans = second.iter().map(|sent| (sent.at, sent.end_at().unwrap()));
    assert_eq!(most_at_once(spans), 2);
    assert!(second.iter().map(|sent| sent.number).eq(0..50));
}

#[test]
fn a_failed_request_leaves_its_place_to_the_scheduler() {
    let phase = closed_loop(32, requests(10_000));
    let log = quick(phase.clone(), 4)
        .replies(|sent| {
            let span = Nanos(400_000 + sent.number * 7_919 % 200_000);
            if sent.number % 5 == 0 { SimulatedReply::failed(span) } else { SimulatedReply::after(span) }
        })
        .run();
    let failed = log.dispatched.iter().filter(|sent| sent.end.is_some_and(|(_, end)| end == RequestOutcome::Failed));
    assert_eq!(failed.count(), 2_000);
    assert_eq!(log.counts().sent, 10_000);
    assert_invariants(&log, &phase);
}

#[test]
fn a_server_that_goes_away_gets_no_requests_from_the_reserve() {
    let log = quick(closed_loop(32, duration(2_000)), 4)
        .replies(|sent| {
            if sent.at < ms(100) {
                SimulatedReply::after(Nanos(500_000))
            } else {
                SimulatedReply::unreachable(MICROSECOND)
            }
        })
        .with(|simulation| simulation.timing.unreachable_limit = Some(Duration::from_millis(500)))
        .run();
    let after = log.dispatched.iter().filter(|sent| sent.at >= ms(101)).count();
    assert!(after < 20 * 32, "{after} requests to a server that is away");
    assert_eq!(log.outcome().ended_by, RunOutcome::Stopped(StopReason::Unreachable));
}

#[test]
fn a_worker_that_gets_stuck_does_not_keep_what_others_could_send() {
    // The requests of the first worker take so long that the others must send its share.
    let phase = closed_loop(32, requests(5_000));
    let log = quick(phase.clone(), 4)
        .replies(|sent| {
            let is_stuck = sent.worker == 0 && sent.at >= ms(50);
            SimulatedReply::after(if is_stuck { ms(5_000) } else { Nanos(500_000) })
        })
        .run();
    assert_eq!(log.counts().completed, 5_000);
    let late = log.dispatched.iter().filter(|sent| sent.at > ms(1_000)).count();
    assert_eq!(late, 0, "all were sent before the stuck ones came back");
    assert_invariants(&log, &phase);
}

#[test]
fn a_slow_loop_needs_no_reserve() {
    let log = Simulation::new(vec![conversation(1)]).phase(closed_loop(4, requests(400))).run();
    assert!(log.dispatched.windows(2).all(|pair| pair[0].session < pair[1].session));
    assert_eq!(log.counts().completed, 400);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, rng_seed: RngSeed::Fixed(19), ..ProptestConfig::default() })]

    /// Whatever the limits, the length of responses and the time of a stop.
    #[test]
    fn reserves_change_no_count_and_no_limit(
        concurrency in 1_usize..80,
        workers in 1_usize..9,
        micros in 50_u64..3_000,
        fails in 0_u64..4,
        stop in 0_u8..5,
        cancels in any::<bool>(),
        ramps in any::<bool>(),
    ) {
        let ends = if stop < 2 { requests(3_000) } else { duration(120) };
        let mut phase = closed_loop(concurrency, ends);
        phase.cancellation = cancels.then_some(Cancellation { percent: 10.0, delay: Duration::from_micros(300) });
        phase.concurrency_ramp = ramps.then_some(Ramp { duration: Duration::from_millis(40), shape: RampShape::Linear });
        let mut simulation = quick(phase.clone(), workers).replies(move |sent| {
            let span = Nanos(micros * 1_000 + sent.number * 104_729 % (micros * 1_000));
            if fails > 0 && sent.number % 7 < fails { SimulatedReply::failed(span) } else { SimulatedReply::after(span) }
        });
        simulation = match stop {
            1 | 3 => simulation.stop_at(70, StopReason::Interrupt),
            4 => simulation.enough_at(70),
            _ => simulation,
        };
        let log = simulation.run();
        assert_invariants(&log, &phase);
        if stop == 0 {
            prop_assert_eq!(log.counts().sent, 3_000);
        }
    }
}
