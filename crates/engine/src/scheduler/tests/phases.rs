//! Several phases of one run: what one leaves to the next, and what not.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aiperf_clock::Nanos;
use aiperf_config::{GracePeriod, Pace, PhaseConfig, PhaseKind};
use aiperf_protocol::StopReason;

use crate::phase_hook::PhaseHook;
use crate::plan::EngineError;
use crate::scheduler::testing::{
    CutReply, DispatchLog, SimulatedReply, Simulation, chat, closed_loop, conversation, duration, ms, profiling, rate,
    requests, to_ms, warmup,
};

#[test]
fn profiling_begins_when_the_last_response_of_the_warm_up_is_back() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(warmup(Pace::Concurrency(2), requests(3)))
        .phase(profiling(rate(10.0), requests(2)))
        .replies(|sent| SimulatedReply::after(ms(if sent.number == 1 { 70 } else { 20 })))
        .run();
    assert_eq!((log.span_ms(0), log.span_ms(1).0), ((0, 70), 70));
    assert_eq!(log.due_ms(), [0, 0, 20, 170, 270], "a schedule counts from the start of its phase");
    let kinds: Vec<PhaseKind> = log.outcomes.iter().map(|outcome| outcome.kind).collect();
    assert_eq!(kinds, [PhaseKind::Warmup, PhaseKind::Profiling]);
}

#[test]
fn each_phase_numbers_its_requests_from_zero_and_goes_on_in_the_data_set() {
    let log = Simulation::new(vec![conversation(1), conversation(1), conversation(1)])
        .phase(warmup(Pace::Concurrency(1), requests(2)))
        .phase(closed_loop(1, requests(3)))
        .run();
    let seen: Vec<(usize, u64, usize)> = log.dispatched.iter().map(|s| (s.phase, s.number, s.conversation)).collect();
    assert_eq!(seen, [(0, 0, 0), (0, 1, 1), (1, 0, 2), (1, 1, 0), (1, 2, 1)]);
    assert_eq!(log.sent, 3, "so does the progress display");
}

#[test]
fn a_request_that_comes_back_after_its_phase_was_given_up_counts_nowhere() {
    let cut_off =
        PhaseConfig { grace: GracePeriod::Limited(Duration::ZERO), ..warmup(Pace::Concurrency(1), duration(100)) };
    let log = Simulation::new(vec![conversation(2)])
        .phase(cut_off)
        .phase(closed_loop(1, requests(1_000)))
        .replies(|sent| if sent.phase == 0 { SimulatedReply::never() } else { SimulatedReply::after(ms(10)) })
        .with(|simulation| simulation.cut_reply = CutReply::After(ms(15_000)))
        .run();
    assert_eq!(log.dispatched[0].end_at(), Some(ms(15_100)), "in the middle of profiling");
    let counts = log.outcomes[1].counts;
    assert_eq!((counts.sent, counts.completed, counts.cut), (1_000, 1_000, 0));
    assert_eq!((counts.sessions_sent, counts.sessions_completed), (500, 500));
}

#[test]
fn a_turn_that_a_finished_phase_left_behind_is_not_sent_by_the_next() {
    let log = Simulation::new(vec![chat(2), conversation(1)])
        .phase(warmup(Pace::Concurrency(1), requests(1)))
        .phase(closed_loop(1, requests(100)))
        .with(|simulation| simulation.record_delay = ms(500))
        .replies_after(10)
        .run();
    assert!(log.of_phase(1).all(|sent| sent.session_phase == 1), "the follow-up came after the warm-up");
}

/// Notes what it is told, and refuses one kind of phase.
struct Recorder {
    calls: Arc<Mutex<Vec<String>>>,
    refuses: Option<PhaseKind>,
}

impl PhaseHook for Recorder {
    fn before(&mut self, phase: &PhaseConfig) -> Result<(), String> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(format!("before {}", phase.name));
        if self.refuses == Some(phase.kind) { Err("not now".to_owned()) } else { Ok(()) }
    }

    fn after(&mut self, phase: &PhaseConfig) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(format!("after {}", phase.name));
    }

    fn between(&mut self, ended: &PhaseConfig, begins: &PhaseConfig) -> Result<(), String> {
        let call = format!("between {} and {}", ended.name, begins.name);
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(call);
        Ok(())
    }
}

fn with_hook(refuses: Option<PhaseKind>) -> (Vec<String>, usize, Result<(), EngineError>) {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let hook = Recorder { calls: Arc::clone(&calls), refuses };
    let (log, result) = Simulation::new(vec![conversation(1)])
        .phase(warmup(Pace::Concurrency(1), requests(2)))
        .phase(closed_loop(1, requests(3)))
        .with(|simulation| simulation.hook = Some(Box::new(hook)))
        .try_run();
    let calls = calls.lock().unwrap_or_else(PoisonError::into_inner).clone();
    (calls, log.dispatched.len(), result)
}

#[test]
fn a_hook_is_called_around_each_phase() {
    let (calls, sent, result) = with_hook(None);
    assert_eq!(calls, ["before warmup", "after warmup", "before profiling", "after profiling"]);
    assert!(result.is_ok() && sent == 5);
}

#[test]
fn a_hook_that_refuses_a_phase_ends_the_run_before_it() {
    let (calls, sent, result) = with_hook(Some(PhaseKind::Profiling));
    assert_eq!(calls, ["before warmup", "after warmup", "before profiling"]);
    assert!(matches!(result, Err(EngineError::Hook(why)) if why == "not now"));
    assert_eq!(sent, 2);
}

fn seamless(phase: PhaseConfig) -> PhaseConfig {
    PhaseConfig { seamless: true, ..phase }
}

#[test]
fn a_seamless_phase_begins_when_the_one_before_it_has_sent_its_last_request() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(2, requests(4)))
        .phase(seamless(profiling(rate(10.0), requests(3))))
        .replies(|sent| SimulatedReply::after(ms(if sent.phase == 0 { 250 } else { 20 })))
        .run();
    let sent: Vec<(usize, u64)> = log.dispatched.iter().map(|sent| (sent.phase, to_ms(sent.due))).collect();
    assert_eq!(sent, [(0, 0), (0, 0), (0, 250), (0, 250), (1, 350), (1, 450), (1, 550)]);
    assert_eq!((log.span_ms(0), log.span_ms(1)), ((0, 500), (250, 570)), "the windows overlap");
    let counts = |phase: usize| (log.outcomes[phase].counts.completed, log.outcomes[phase].counts.sessions_completed);
    assert_eq!((counts(0), counts(1)), ((4, 4), (3, 3)));
}

#[test]
fn a_phase_after_a_seamless_one_waits_for_all_responses_of_both() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(warmup(Pace::Concurrency(1), requests(1)))
        .phase(seamless(closed_loop(2, requests(2))))
        .phase(closed_loop(1, requests(1)))
        .replies(|sent| SimulatedReply::after(ms(if sent.phase == 0 { 900 } else { 100 })))
        .run();
    assert_eq!((log.span_ms(0), log.span_ms(1), log.span_ms(2)), ((0, 900), (0, 200), (900, 1000)));
    let names: Vec<PhaseKind> = log.outcomes.iter().map(|outcome| outcome.kind).collect();
    assert_eq!(names, [PhaseKind::Warmup, PhaseKind::Profiling, PhaseKind::Profiling], "in the order of the plan");
}

#[test]
fn the_grace_period_of_a_phase_cuts_only_its_own_requests_while_the_next_one_sends() {
    let short = PhaseConfig { grace: GracePeriod::Limited(Duration::from_millis(50)), ..closed_loop(2, duration(100)) };
    let log = Simulation::new(vec![conversation(1)])
        .phase(short)
        .phase(seamless(closed_loop(3, requests(3))))
        .replies(|sent| if sent.phase == 0 { SimulatedReply::never() } else { SimulatedReply::after(ms(80)) })
        .run();
    let (first, second) = (&log.outcomes[0], &log.outcomes[1]);
    assert_eq!((first.counts.cut, first.counts.completed, first.grace_exceeded), (2, 0, true));
    assert_eq!((second.counts.cut, second.counts.completed), (0, 3));
    assert_eq!((log.span_ms(0), log.span_ms(1)), ((0, 150), (100, 230)));
}

#[test]
fn a_phase_whose_grace_is_over_leaves_earlier_phases_theirs() {
    let second = PhaseConfig { grace: GracePeriod::Limited(Duration::ZERO), ..closed_loop(2, duration(100)) };
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(1, requests(1)))
        .phase(seamless(second))
        .replies(|sent| SimulatedReply::after(ms(if sent.phase == 0 { 500 } else { 60 })))
        .run();
    assert_eq!((log.outcomes[0].counts.cut, log.outcomes[0].counts.completed), (0, 1));
    assert_eq!((log.outcomes[1].counts.cut, log.outcomes[1].counts.completed), (1, 1));
    assert_eq!(log.span_ms(0), (0, 500));
}

#[test]
fn a_stop_ends_all_phases_that_have_requests_in_flight() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(1, requests(1)))
        .phase(seamless(closed_loop(2, requests(10))))
        .phase(closed_loop(1, requests(10)))
        .replies(|sent| if sent.phase == 0 { SimulatedReply::never() } else { SimulatedReply::after(ms(40)) })
        .stop_at(100, StopReason::Interrupt)
        .run();
    assert_eq!(log.outcomes.len(), 2, "the third never begins");
    assert!(log.outcomes.iter().all(|outcome| outcome.ended_by.is_stopped()));
    assert_eq!((log.outcomes[0].counts.cut, log.outcomes[1].counts.cut), (1, 1));
}

/// The most requests of these phases that were in flight at one time.
fn most_in_flight(log: &DispatchLog, counts: impl Fn(usize) -> bool) -> i32 {
    let mut events: Vec<(Nanos, i32)> = Vec::new();
    for sent in log.dispatched.iter().filter(|sent| counts(sent.phase)) {
        events.extend([(sent.at, 1), (sent.end_at().unwrap(), -1)]);
    }
    events.sort_unstable();
    let mut open = 0;
    let levels = events.into_iter().map(|(_, change)| {
        open += change;
        open
    });
    levels.max().unwrap_or(0)
}

#[test]
fn what_an_earlier_phase_has_in_flight_counts_against_the_limit_of_a_seamless_one() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(4, requests(4)))
        .phase(seamless(closed_loop(6, requests(8))))
        .replies(|sent| SimulatedReply::after(ms(if sent.phase == 0 { 100 } else { 50 })))
        .run();
    assert_eq!(most_in_flight(&log, |_| true), 6);
    let starts: Vec<u64> = log.of_phase(1).map(|sent| to_ms(sent.at)).collect();
    assert_eq!(starts, [0, 0, 50, 50, 100, 100, 100, 100]);
}

#[test]
fn a_lower_limit_waits_until_enough_of_the_earlier_phase_has_come_back() {
    let prefill = PhaseConfig { prefill_limit: Some(1), ..closed_loop(3, requests(3)) };
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(4, requests(4)))
        .phase(seamless(closed_loop(2, requests(2))))
        .phase(seamless(prefill))
        .replies(|sent| SimulatedReply::after(ms(if sent.phase == 0 { 100 + 10 * sent.number } else { 50 })))
        .run();
    let starts = |phase: usize| log.of_phase(phase).map(|sent| to_ms(sent.at)).collect::<Vec<_>>();
    assert_eq!(starts(1), [120, 130]);
    assert_eq!(starts(2), [180, 230, 280], "no first token is known, so one request at a time");
}

#[test]
fn a_quick_seamless_phase_keeps_its_limit_although_workers_hold_credits_in_reserve() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(closed_loop(64, requests(64)))
        .phase(seamless(closed_loop(4, requests(40_000))))
        .replies(|sent| SimulatedReply::after(if sent.phase == 0 { ms(sent.number) } else { Nanos(100_000) }))
        .run();
    assert_eq!(most_in_flight(&log, |phase| phase == 1), 4);
}

#[test]
fn between_seamless_phases_the_hook_is_told_once() {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let hook = Recorder { calls: Arc::clone(&calls), refuses: None };
    let log = Simulation::new(vec![conversation(1)])
        .phase(warmup(Pace::Concurrency(1), requests(2)))
        .phase(seamless(closed_loop(1, requests(3))))
        .phase(closed_loop(1, requests(1)))
        .with(|simulation| simulation.hook = Some(Box::new(hook)))
        .run();
    let calls = calls.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let expected =
        ["before warmup", "between warmup and profiling", "after profiling", "before profiling", "after profiling"];
    assert_eq!(calls, expected);
    assert_eq!(log.dispatched.len(), 6);
}
