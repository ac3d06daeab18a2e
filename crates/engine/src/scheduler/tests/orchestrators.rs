//! Orchestrators: rounds of children, each after a pause.

use aiperf_conversation::ThinkTime;

use crate::scheduler::testing::{
    DispatchLog, SimulatedReply, Simulation, closed_loop, conversation, ms, orchestrator, sessions, to_ms,
};

const fn think(millis: f64) -> ThinkTime {
    ThinkTime { median_ms: millis, sigma: 0.0, min_ms: None, max_ms: None }
}

#[test]
fn a_round_begins_when_the_one_before_has_ended_and_the_pause_is_over() {
    let rounds = orchestrator(&[(think(100.0), &[1, 2]), (think(50.0), &[3])]);
    let log = Simulation::new(vec![rounds, conversation(1).child(), conversation(1).child(), conversation(1).child()])
        .phase(closed_loop(1, sessions(1)))
        .replies(|sent| SimulatedReply::after(ms(if sent.conversation == 2 { 30 } else { 10 })))
        .run();
    assert_eq!(log.turns_ms(), [(1, 0, 100), (2, 0, 100), (3, 0, 180)]);
    let counts = log.counts();
    assert_eq!((counts.branches.graphs_admitted, counts.branches.graphs_completed_to_end), (1, 1));
    assert_eq!((counts.sessions_completed, counts.branches.children_completed), (1, 3));
}

#[test]
fn a_round_lasts_until_the_last_turn_of_its_last_child() {
    let rounds = orchestrator(&[(think(0.0), &[1, 2]), (think(0.0), &[2])]);
    let log = Simulation::new(vec![rounds, conversation(3).delay(2, 100).child(), conversation(1).child()])
        .phase(closed_loop(1, sessions(1)))
        .run();
    assert_eq!(log.turns_ms(), [(1, 0, 0), (2, 0, 0), (1, 1, 10), (1, 2, 120), (2, 0, 130)]);
}

#[test]
fn a_round_without_children_is_over_at_once() {
    let rounds = orchestrator(&[(think(10.0), &[]), (think(10.0), &[1])]);
    let log = Simulation::new(vec![rounds, conversation(1).child()]).phase(closed_loop(1, sessions(1))).run();
    assert_eq!(log.turns_ms(), [(1, 0, 20)]);
}

#[test]
fn an_orchestrator_without_rounds_ends_and_frees_its_slot() {
    let log = Simulation::new(vec![orchestrator(&[]), conversation(1)]).phase(closed_loop(1, sessions(2))).run();
    assert_eq!(log.turns_ms(), [(1, 0, 0)]);
    assert_eq!(log.counts().branches.graphs_completed_to_end, 1);
}

#[test]
fn a_pause_that_is_drawn_stays_within_its_bounds_and_follows_the_seed() {
    let run = |seed: u64| -> DispatchLog {
        let drawn = ThinkTime { median_ms: 100.0, sigma: 1.0, min_ms: Some(40.0), max_ms: Some(250.0) };
        let rounds: Vec<(ThinkTime, &[usize])> = vec![(drawn, &[1]); 60];
        Simulation::new(vec![orchestrator(&rounds), conversation(1).child()])
            .phase(closed_loop(1, sessions(1)))
            .with(|simulation| simulation.seed = seed)
            .run()
    };
    let pauses = |log: &DispatchLog| -> Vec<u64> {
        let sent = log.sent_ms();
        sent.windows(2).map(|pair| pair[1] - pair[0] - 10).collect()
    };
    let drawn = pauses(&run(1));
    assert!(drawn.iter().all(|pause| (40..=250).contains(pause)), "{drawn:?}");
    assert!(drawn.contains(&40) && drawn.contains(&250), "both bounds are reached: {drawn:?}");
    assert_eq!(drawn, pauses(&run(1)));
    assert_ne!(drawn, pauses(&run(2)));
    assert!(to_ms(run(1).dispatched[0].at) >= 40);
}
