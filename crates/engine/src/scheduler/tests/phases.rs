//! Several phases of one run: what one leaves to the next, and what not.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aiperf_config::{GracePeriod, Pace, PhaseConfig, PhaseKind};

use crate::phase_hook::PhaseHook;
use crate::plan::EngineError;
use crate::scheduler::testing::{
    CutReply, SimulatedReply, Simulation, chat, closed_loop, conversation, duration, ms, profiling, rate, requests,
    warmup,
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
    fn before(&mut self, phase: PhaseKind) -> Result<(), String> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(format!("before {}", phase.name()));
        if self.refuses == Some(phase) { Err("not now".to_owned()) } else { Ok(()) }
    }

    fn after(&mut self, phase: PhaseKind) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(format!("after {}", phase.name()));
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
