//! Closed loop: a number of sessions in flight, by the log of the server.

use crate::support::{Log, Program, sim};

#[test]
fn all_slots_fill_at_once_and_each_again_when_it_is_free() {
    let sim = sim("ttft=400&itl=0&osl=1");
    let words = "--concurrency 4 --request-count 10 --workers-max 2 --export-level raw";
    let artifacts = Program::against(&sim, words).succeed();
    let log = Log::of(&sim, &artifacts);
    assert_eq!((log.len(), log.most_in_flight()), (10, 4));
    // The first four wait for nobody; every other one takes the place of one that has ended.
    let first_end = log.iter().map(|entry| entry.end).fold(f64::INFINITY, f64::min);
    assert!(log.0[..4].iter().all(|entry| entry.arrival < first_end));
    let mut ends: Vec<f64> = log.iter().map(|entry| entry.end).collect();
    ends.sort_by(f64::total_cmp);
    for (entry, freed) in log.0[4..].iter().zip(&ends) {
        assert!(entry.arrival >= *freed);
    }
    // Nothing is due in a closed loop, so that nothing can be late.
    assert!(!artifacts.has_metric("schedule_lag") && !artifacts.has_metric("request_latency_from_due"));
    assert!(artifacts.records().iter().all(|record| record.value("schedule_lag").is_none()));
    let counts = artifacts.accounting("profiling");
    assert_eq!(
        (&counts["sent"], &counts["completed"], &counts["arrivals_delayed"]),
        (&10.into(), &10.into(), &0.into())
    );
}

#[test]
fn a_session_keeps_its_slot_through_all_its_turns_and_pauses() {
    let sim = sim("ttft=20&itl=0&osl=2");
    let words =
        "--concurrency 2 --num-sessions 5 --session-turns-mean 3 --session-turn-delay-mean 120 --export-level raw";
    let artifacts = Program::against(&sim, words).succeed();
    let log = Log::of(&sim, &artifacts);
    let sessions = log.sessions();
    assert_eq!(sessions.iter().map(Vec::len).collect::<Vec<_>>(), [3; 5]);
    for (index, session) in sessions.iter().enumerate() {
        // Of those that began before, at most one is open; between its turns it is, too.
        let begin = session[0].arrival;
        let open = sessions[..index].iter().filter(|other| other[2].end > begin).count();
        assert!(open <= 1, "session {index} is the third at once");
        for pair in session.windows(2) {
            assert!(pair[1].arrival >= pair[0].end + 0.12, "the pause was cut short");
        }
    }
    let counts = artifacts.accounting("profiling");
    assert_eq!((&counts["sessions_sent"], &counts["sessions_completed"]), (&5.into(), &5.into()));
}
