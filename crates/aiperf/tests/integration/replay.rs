//! Fixed schedule: every conversation once, when its data says, by the log of the server.

use serde_json::{Value, json};

use crate::support::{Entry, Log, Program, assert_order, sim};

const FAST: &str = "ttft=0&itl=0&osl=1";

fn row(name: &str, timestamp: u32) -> Value {
    json!({"session_id": name, "text": name, "timestamp": timestamp})
}

fn sessions_and_times(log: &Log) -> Vec<(String, f64)> {
    log.iter().map(|entry| (entry.session().to_owned(), entry.arrival)).collect()
}

#[test]
fn rows_go_out_in_the_order_of_their_times_none_before_its_own() {
    let sim = sim(FAST);
    let rows = [row("a", 5_000), row("c", 5_700), row("b", 5_300), row("d", 5_900)];
    let artifacts = Program::replaying(&sim, &rows, "--fixed-schedule --custom-dataset-type single_turn").succeed();
    let log = Log::of(&sim, &artifacts);
    assert_order(&["a", "b", "c", "d"].map(|name| format!("fixed-schedule-{name}")), &sessions_and_times(&log));
    // The earliest row is time zero.
    for (name, due) in [("a", 0.0), ("b", 0.3), ("c", 0.7), ("d", 0.9)] {
        assert!(log.saying(name).arrival >= due, "{name} came before its time");
    }
    for (due, expected) in artifacts.due().iter().zip([0.0, 0.3, 0.7, 0.9]) {
        assert!((due - expected).abs() < 1e-6, "{due} is not {expected}");
    }
    let counts = artifacts.accounting("profiling");
    assert_eq!(
        (&counts["sent"], &counts["sessions_completed"], &counts["arrivals_delayed"]),
        (&4.into(), &4.into(), &0.into())
    );
}

#[test]
fn a_window_leaves_out_what_lies_outside_and_begins_at_its_start() {
    let sim = sim(FAST);
    let rows = [
        row("early", 900),
        row("at the start", 1_000),
        row("within", 1_400),
        row("at the end", 1_600),
        row("late", 1_601),
    ];
    let words = "--fixed-schedule --fixed-schedule-start-offset 1000 --fixed-schedule-end-offset 1600";
    let artifacts = Program::replaying(&sim, &rows, words).succeed();
    let log = Log::of(&sim, &artifacts);
    assert_eq!(log.len(), 3);
    for (name, due) in [("at the start", 0.0), ("within", 0.4), ("at the end", 0.6)] {
        assert!(log.saying(name).arrival >= due, "{name} came before its time");
    }
    assert!((artifacts.due()[2] - 0.6).abs() < 1e-6);
}

#[test]
fn later_turns_keep_their_own_times_and_never_overtake_an_answer() {
    let sim = sim("ttft=150&itl=0&osl=1");
    let rows = [
        json!({"session_id": "timed", "turns": [
            {"text": "t0", "timestamp": 100}, {"text": "t1", "timestamp": 700}, {"text": "t2", "timestamp": 710}]}),
        json!({"session_id": "paused", "turns": [
            {"text": "p0", "timestamp": 100}, {"text": "p1", "delay": 300}, {"text": "p2"}]}),
    ];
    let artifacts = Program::replaying(&sim, &rows, "--fixed-schedule --custom-dataset-type multi_turn").succeed();
    let log = Log::of(&sim, &artifacts);
    assert_eq!(log.len(), 6);
    assert!(log.saying("t1").arrival >= 0.6, "before its timestamp");
    assert!(
        log.saying("t2").arrival >= log.saying("t1").end,
        "its time was over, but the answer before it was not there"
    );
    assert!(log.saying("p1").arrival >= log.saying("p0").end + 0.3, "before its delay was over");
    assert!(log.saying("p2").arrival >= log.saying("p1").end);
    // Each carries what was said before.
    assert_eq!(log.saying("t2").messages().len(), 5);
    assert!(log.sessions().iter().all(|session| session.len() == 3));
}

#[test]
fn a_ceiling_makes_due_sessions_wait_in_schedule_order() {
    let sim = sim("ttft=300&itl=0&osl=1");
    let rows: Vec<Value> = (0..5).map(|n| row(&format!("r{n}"), 10 * n)).collect();
    let artifacts = Program::replaying(&sim, &rows, "--fixed-schedule --concurrency 1").succeed();
    let log = Log::of(&sim, &artifacts);
    assert_eq!(log.most_in_flight(), 1);
    let order: Vec<String> = log.iter().map(Entry::prompt).collect();
    assert_eq!(order, ["r0", "r1", "r2", "r3", "r4"]);
    // All but the first; one less where the client slept until the first was answered.
    let (delayed, dropped) = (artifacts.counted("arrivals_delayed"), artifacts.counted("arrivals_dropped"));
    assert!((3..=4).contains(&delayed) && dropped == 0, "{delayed} {dropped}");
    // The schedule did not move: the last one was due long before it could be sent.
    for (n, due) in artifacts.due().iter().enumerate() {
        assert!((due - n as f64 / 100.0).abs() < 1e-6);
    }
    assert!(artifacts.stat("schedule_lag", "max") >= 1e3 * (log.0[3].end - 0.04));
    let notes = artifacts.notes();
    assert!(notes.contains(&"concurrency_ceiling_reached".to_owned()), "{notes:?}");
}

#[test]
fn a_duration_cuts_off_the_tail_of_the_schedule() {
    let sim = sim(FAST);
    let rows = [row("now", 0), row("soon", 50), row("much later", 600_000)];
    let artifacts = Program::replaying(&sim, &rows, "--fixed-schedule --benchmark-duration 0.8").succeed();
    let log = Log::of(&sim, &artifacts);
    assert!(log.all_saying("much later").is_empty());
    assert_eq!(log.saying("now").session(), "fixed-schedule-now");
}

#[test]
fn without_a_fixed_schedule_timestamps_mean_nothing() {
    let sim = sim(FAST);
    let rows = [row("second", 600_000), row("first", 0)];
    let artifacts = Program::replaying(&sim, &rows, "--no-fixed-schedule --request-count 2").succeed();
    let order: Vec<String> = Log::of(&sim, &artifacts).iter().map(Entry::prompt).collect();
    assert_eq!(order, ["second", "first"], "the order of the file");
}
