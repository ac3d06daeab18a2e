//! Closed loop: a number of sessions in flight, by the log of the server.

use std::sync::{Condvar, Mutex};

use crate::support::{PATIENCE, Program, Record, TestServer, chat_reply, in_one};

#[test]
fn all_slots_fill_at_once_and_each_again_when_it_is_free() {
    // Nobody is answered before four have asked.
    let gate = (Mutex::new(0), Condvar::new());
    let server = TestServer::start(move |_, _| {
        let (count, changed) = &gate;
        let mut count = count.lock().unwrap();
        *count += 1;
        changed.notify_all();
        let (count, waited) = changed.wait_timeout_while(count, PATIENCE, |count| *count < 4).unwrap();
        assert!(!waited.timed_out(), "only {count} of 4 slots were filled");
        in_one("200 OK", "Content-Type: application/json\r\n", chat_reply().as_bytes())
    });
    let words = format!("--url {} --model m --tokenizer builtin --isl 8", server.url());
    let words = format!("{words} --concurrency 4 --request-count 10 --workers-max 2");
    let artifacts = Program::profile(&words).succeed();
    let mut records = artifacts.records();
    assert_eq!(records.len(), 10);
    // The first four wait for nobody; every other one takes the place of one that has ended.
    let start = |record: &Record| record.number("request_start_ns");
    records.sort_by_key(start);
    let mut ends: Vec<u64> = records.iter().map(|record| record.number("request_end_ns")).collect();
    ends.sort_unstable();
    assert!(start(&records[3]) < ends[0]);
    for (record, freed) in records[4..].iter().zip(&ends) {
        assert!(start(record) >= *freed);
    }
    // Nothing is due in a closed loop, so that nothing can be late.
    assert!(!artifacts.has_metric("schedule_lag") && !artifacts.has_metric("request_latency_from_due"));
    assert!(records.iter().all(|record| record.value("schedule_lag").is_none()));
    let counts = artifacts.accounting("profiling");
    assert_eq!(
        (&counts["sent"], &counts["completed"], &counts["arrivals_delayed"]),
        (&10.into(), &10.into(), &0.into())
    );
}
