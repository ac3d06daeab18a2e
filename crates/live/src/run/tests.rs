use aiperf_clock::Nanos;

use super::*;
use crate::event::LiveEventKind;

#[test]
fn nothing_is_kept_while_nobody_looks() {
    let run = LiveRun::new(RunFacts::default());
    let seen = Observation::new(Mono::from_nanos(1), Mono::from_nanos(2));
    run.push(0, &seen, &RecordValues::compute(&seen));
    run.log("INFO", "nobody reads this");
    let (samples, notes, dropped) = lock(&run.inbox).take();
    assert!(samples.is_empty() && notes.is_empty() && dropped == 0);
    assert!(run.wait_newer(0, Duration::from_millis(1)).is_none());
}

#[test]
fn a_view_gets_snapshots_and_events_and_the_thread_ends_with_it() {
    let run = LiveRun::new(RunFacts::default());
    let view = run.attach().unwrap();
    let first = run.wait_newer(0, Duration::from_secs(20)).unwrap();
    run.log("WARNING", "the first line");
    let second = run.wait_newer(first.seq + 2, Duration::from_secs(20)).unwrap();
    assert_eq!(second.log[0].message, "the first line");
    let events = run.wait_events(0, Duration::from_secs(20));
    assert!(matches!(&events[0].kind, LiveEventKind::Log { line } if line.level == "WARNING"));
    drop(view);
    assert!(!run.is_watched());
    // The thread holds the run until it has seen that nobody looks.
    let mut run = run;
    for _ in 0..2_000 {
        match Arc::try_unwrap(run) {
            Ok(_) => return,
            Err(held) => run = held,
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the thread still runs");
}

#[test]
fn what_does_not_fit_is_dropped_and_counted() {
    let mut inbox = Inbox::default();
    let mut seen = Observation::new(Mono::from_nanos(1), Mono::from_nanos(2));
    let chunk = |nanos| aiperf_protocol::ContentChunk {
        at: Mono::from_nanos(1) + Nanos(nanos),
        has_output: true,
        has_reasoning: false,
        usage_completion_tokens: None,
    };
    seen.chunks = (0..4_096).map(chunk).collect();
    let sample = RequestSample::new(0, &seen, &RecordValues::compute(&seen));
    for _ in 0..3_000 {
        inbox.push(sample.clone());
    }
    let (samples, _, dropped) = inbox.take();
    assert_eq!(samples.len() as u64 + dropped, 3_000);
    assert!(dropped > 500 && samples.len() > 1_000);
}
