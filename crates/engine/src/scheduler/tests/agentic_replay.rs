//! Recorded sessions of agents: entered in the middle, primed, and continued as they were recorded.

use std::time::Duration;

use aiperf_config::{AgenticReplay, Pace, StopConditions};
use aiperf_protocol::{RunOutcome, StopReason};

use crate::plan::PreparedConversation;
use crate::scheduler::testing::{
    DispatchLog, SimulatedReply, Simulation, agentic, conversation, duration, ms, profiling, requests, to_ms, warmup,
};

/// A warm-up and a measured phase with the same options.
fn replay(conversations: Vec<PreparedConversation>, options: AgenticReplay, stop: StopConditions) -> Simulation {
    Simulation::new(conversations)
        .phase(warmup(Pace::AgenticReplay(options), StopConditions::default()))
        .phase(profiling(Pace::AgenticReplay(options), stop))
}

/// A main line of four requests, a second apart.
fn line() -> PreparedConversation {
    conversation(4).recorded(&[0, 1_000, 2_000, 3_000]).delay(1, 990).delay(2, 990).delay(3, 990)
}

fn of_phase(log: &DispatchLog, phase: usize) -> Vec<(usize, usize, u64)> {
    log.of_phase(phase).map(|sent| (sent.conversation, sent.turn, to_ms(sent.at))).collect()
}

#[test]
fn the_warm_up_sends_the_last_request_before_the_start_point_for_one_token() {
    let log = replay(vec![line()], agentic(1, 0.5), requests(1)).run();
    assert_eq!(of_phase(&log, 0), [(0, 1, 0)]);
    assert!(log.of_phase(0).all(|sent| sent.is_single_token) && log.of_phase(1).all(|sent| !sent.is_single_token));
    let entry = &log.outcomes[0].replay.as_ref().unwrap().entries[0];
    assert_eq!((entry.root_next, entry.root_turns, entry.live), (2, 4, 1));
}

#[test]
fn a_session_continues_as_long_after_the_start_point_as_it_was_recorded() {
    let log = replay(vec![line()], agentic(1, 0.5), duration(1_600)).run();
    assert_eq!(log.span_ms(1).0, 10);
    assert_eq!(of_phase(&log, 1), [(0, 2, 510), (0, 3, 1_510), (0, 0, 1_520)], "then the lane gets the next session");
}

#[test]
fn the_first_requests_keep_their_recorded_spacing_so_that_all_lanes_reach_their_points_together() {
    let later = conversation(3).recorded(&[0, 1_400, 3_000]);
    let log = replay(vec![line(), later], agentic(2, 0.5), requests(2)).run();
    assert_eq!(of_phase(&log, 0), [(0, 1, 0), (1, 1, 400)]);
    assert_eq!(of_phase(&log, 1), [(0, 2, 910), (1, 2, 1_910)], "500 and 1,500 after the point");
}

#[test]
fn a_burst_sends_the_first_requests_of_both_phases_at_once() {
    let later = conversation(3).recorded(&[0, 1_400, 3_000]);
    let options = AgenticReplay { burst: true, ..agentic(2, 0.5) };
    let log = replay(vec![line(), later], options, requests(2)).run();
    assert_eq!(of_phase(&log, 0), [(0, 1, 0), (1, 1, 0)]);
    assert_eq!(of_phase(&log, 1), [(0, 2, 10), (1, 2, 10)]);
}

#[test]
fn a_lane_gets_its_next_session_when_the_last_agent_of_the_one_before_has_ended() {
    let root = conversation(1).recorded(&[0]).spawn(0, &[1], None);
    let agent = conversation(2).child().recorded(&[100, 500]).delay(1, 490);
    let log = replay(vec![root, agent], agentic(1, 0.0), duration(530)).run();
    assert_eq!(of_phase(&log, 1), [(0, 0, 0), (1, 0, 10), (1, 1, 510), (0, 0, 520)]);
    assert_eq!(log.outcomes[1].replay.as_ref().unwrap().trees_completed, 1);
}

#[test]
fn a_time_without_requests_is_cut_down_to_the_idle_cap() {
    let options = AgenticReplay { idle_cap: Some(Duration::from_secs(1)), ..agentic(1, 0.0) };
    let slow = conversation(2).recorded(&[0, 60_000]).delay(1, 60_000);
    let log = replay(vec![slow], options, requests(2)).run();
    assert_eq!(of_phase(&log, 1), [(0, 0, 0), (0, 1, 1_010)]);
    let outcome = log.outcomes[1].replay.as_ref().unwrap();
    assert_eq!((outcome.idle_jumps, outcome.idle_skipped), (1, ms(59_000)));
    assert_eq!(log.due_ms()[1], 1_010, "its due time moves along");
}

#[test]
fn while_a_request_is_in_flight_no_time_is_skipped_and_then_all_lanes_move_together() {
    let options = AgenticReplay { idle_cap: Some(Duration::from_secs(1)), ..agentic(2, 0.0) };
    let slow = || conversation(3).recorded(&[0, 60_000, 120_000]).delay(1, 60_000).delay(2, 60_000);
    let log = replay(vec![slow(), slow()], options, requests(5))
        .replies(|sent| SimulatedReply::after(ms(if (sent.session, sent.turn) == (2, 0) { 30_000 } else { 10 })))
        .run();
    // Lane 1 would go on at 60,010 and lane 2 at 90,000; from 30,000 on nothing is in flight.
    let sent: Vec<(u64, usize, u64)> = log.of_phase(1).map(|sent| (sent.session, sent.turn, to_ms(sent.at))).collect();
    assert_eq!(sent, [(1, 0, 0), (2, 0, 0), (1, 1, 31_000), (2, 1, 32_010), (1, 2, 33_020)]);
}

#[test]
fn a_lane_that_becomes_free_gets_its_next_session_before_time_is_skipped() {
    let options = AgenticReplay { idle_cap: Some(Duration::from_secs(1)), ..agentic(2, 0.0) };
    let short = conversation(1).recorded(&[0]);
    let slow = conversation(2).recorded(&[0, 60_000]).delay(1, 60_000);
    let log = replay(vec![short, slow], options, requests(3))
        .replies(|sent| SimulatedReply::after(ms(if sent.session == 3 { 70_000 } else { 10 })))
        .run();
    let sent: Vec<(u64, usize, u64)> = log.of_phase(1).map(|sent| (sent.session, sent.turn, to_ms(sent.at))).collect();
    assert_eq!(sent, [(1, 0, 0), (2, 0, 0), (3, 0, 10)]);
    assert_eq!(log.outcomes[1].replay.as_ref().unwrap().idle_jumps, 0);
}

#[test]
fn without_a_cap_the_recorded_time_is_kept() {
    let slow = conversation(2).recorded(&[0, 60_000]).delay(1, 60_000);
    let log = replay(vec![slow], agentic(1, 0.0), requests(2)).run();
    assert_eq!(of_phase(&log, 1), [(0, 0, 0), (0, 1, 60_010)]);
}

#[test]
fn a_join_of_an_agent_that_was_under_way_at_the_start_point_still_waits() {
    let root = conversation(3).recorded(&[0, 1_000, 4_000]).spawn(0, &[1], Some(2));
    let agent = conversation(3).child().recorded(&[500, 1_500, 3_000]);
    let log = replay(vec![root, agent], agentic(1, 0.5), requests(2)).run();
    assert_eq!(of_phase(&log, 0), [(0, 1, 0), (1, 1, 500)]);
    assert_eq!(of_phase(&log, 1), [(1, 2, 1_510), (0, 2, 1_520)], "the agent's last answer lets the main line go on");
    assert_eq!(log.outcomes[1].counts.branches.parents_resumed, 1);
}

#[test]
fn a_turn_waits_for_the_answers_that_had_come_before_it_was_recorded() {
    let root = conversation(2).recorded(&[0, 300]).delay(1, 100).answered_before(1, &[(1, 0)]).spawn(0, &[1], None);
    let agent = conversation(1).child().recorded(&[50]).delay(0, 40);
    let log = replay(vec![root, agent], agentic(1, 0.0), requests(3))
        .replies(|sent| SimulatedReply::after(ms(if sent.conversation == 1 { 500 } else { 10 })))
        .run();
    assert_eq!(of_phase(&log, 1), [(0, 0, 0), (1, 0, 50), (0, 1, 550)]);
}

#[test]
fn nobody_waits_for_an_answer_of_an_agent_that_ended_early() {
    let root = conversation(2).recorded(&[0, 300]).delay(1, 100).answered_before(1, &[(1, 1)]).spawn(0, &[1], None);
    let agent = conversation(2).child().recorded(&[50, 200]).delay(0, 40);
    let log = replay(vec![root, agent], agentic(1, 0.0), requests(3))
        .replies(|sent| {
            if sent.conversation == 1 { SimulatedReply::overflowed(ms(500)) } else { SimulatedReply::after(ms(10)) }
        })
        .run();
    assert_eq!(of_phase(&log, 1), [(0, 0, 0), (1, 0, 50), (0, 1, 550)]);
}

#[test]
fn a_main_line_that_cannot_be_primed_stops_the_run() {
    let log = replay(vec![line()], agentic(1, 0.5), requests(1)).replies(|_| SimulatedReply::failed(ms(10))).run();
    assert_eq!(log.outcomes.len(), 1);
    assert_eq!(log.outcomes[0].ended_by, RunOutcome::Stopped(StopReason::FailedWarmup));
    assert_eq!(log.cuts, [(ms(10), RunOutcome::Stopped(StopReason::FailedWarmup))]);
}

#[test]
fn an_agent_that_cannot_be_primed_stops_nothing() {
    let root = conversation(3).recorded(&[0, 1_000, 4_000]).spawn(0, &[1], None);
    let agent = conversation(3).child().recorded(&[500, 1_500, 3_000]);
    let log = replay(vec![root, agent], agentic(1, 0.5), requests(2))
        .replies(|sent| {
            if sent.phase == 0 && sent.conversation == 1 {
                SimulatedReply::failed(ms(10))
            } else {
                SimulatedReply::after(ms(10))
            }
        })
        .run();
    assert_eq!(log.outcomes.len(), 2);
    assert_eq!(of_phase(&log, 1), [(1, 2, 1_510), (0, 2, 2_510)]);
}

#[test]
fn a_cache_warm_up_sends_without_pauses_for_its_time_and_leaves_the_sessions_to_the_next_phase() {
    let options = AgenticReplay { cache_warmup: Some(Duration::from_millis(1_005)), ..agentic(1, 0.5) };
    let log = replay(vec![line()], options, duration(1_500)).run();
    let warmup: Vec<u64> = log.of_phase(0).map(|sent| to_ms(sent.at)).collect();
    assert_eq!(warmup, (0..=101).map(|n| n * 10).collect::<Vec<_>>(), "priming at 0, then one after the other");
    assert!(log.of_phase(0).all(|sent| sent.is_single_token));
    let last = log.of_phase(0).last().unwrap();
    let next = log.of_phase(1).next().unwrap();
    assert_eq!((next.session, next.turn, to_ms(next.at)), (last.session, last.turn + 1, 2_010), "with its pause again");
    assert_eq!(
        log.outcomes[1].counts.sessions_sent,
        log.of_phase(1).map(|s| s.session).collect::<std::collections::HashSet<_>>().len() as u64
    );
}

#[test]
fn a_session_whose_prompt_is_too_long_ends_and_its_lane_goes_on_with_the_next() {
    let log = replay(vec![conversation(3).recorded(&[0, 100, 200])], agentic(1, 0.0), requests(4))
        .replies(|sent| if sent.turn == 1 { SimulatedReply::overflowed(ms(10)) } else { SimulatedReply::after(ms(10)) })
        .run();
    assert_eq!(of_phase(&log, 1), [(0, 0, 0), (0, 1, 10), (0, 0, 20), (0, 1, 30)]);
}

#[test]
fn a_failed_turn_that_is_not_too_long_does_not_end_its_session() {
    let log = replay(vec![conversation(3).recorded(&[0, 100, 200])], agentic(1, 0.0), requests(3))
        .replies(|sent| if sent.turn == 1 { SimulatedReply::failed(ms(10)) } else { SimulatedReply::after(ms(10)) })
        .run();
    assert_eq!(of_phase(&log, 1), [(0, 0, 0), (0, 1, 10), (0, 2, 20)]);
}

#[test]
fn sessions_are_entered_at_different_points_that_the_seed_draws() {
    let options = AgenticReplay { start_min: 0.1, start_max: 0.9, ..agentic(4, 0.5) };
    let entered = |seed: u64| -> Vec<f64> {
        let log = replay(vec![line()], options, requests(1)).with(|simulation| simulation.seed = seed).run();
        log.outcomes[0].replay.as_ref().unwrap().entries.iter().map(|entry| entry.ratio).collect()
    };
    let first = entered(1);
    assert!(
        first.iter().all(|ratio| (0.1..0.9).contains(ratio))
            && first.windows(2).all(|pair| (pair[0] - pair[1]).abs() > 1e-9)
    );
    assert_eq!(first, entered(1));
    assert_ne!(first, entered(2));
}

#[test]
fn lanes_are_dealt_out_to_the_workers_in_turn() {
    let log = replay(vec![line()], agentic(4, 0.5), requests(4)).with(|simulation| simulation.workers = 2).run();
    let workers: Vec<usize> = log.of_phase(0).map(|sent| sent.worker).collect();
    assert_eq!(workers, [1, 0, 1, 0]);
}
