//! Replay of a schedule: every conversation once, at the time of its data.

use aiperf_config::{Pace, ScheduleZero};

use crate::scheduler::testing::{DispatchLog, Simulation, conversation, duration, profiling, sessions};
use aiperf_config::StopConditions;
use aiperf_protocol::RunOutcome;

fn replay(zero: ScheduleZero, ceiling: Option<usize>, stop: StopConditions) -> Simulation {
    Simulation::new(vec![conversation(1), conversation(1), conversation(1)])
        .phase(profiling(Pace::FixedSchedule { zero, ceiling }, stop))
        .with(|simulation| simulation.fixed_schedule = vec![(0, 1_000.0), (1, 1_250.0), (2, 2_000.0)])
}

fn conversations(log: &DispatchLog) -> Vec<usize> {
    log.dispatched.iter().map(|sent| sent.conversation).collect()
}

#[test]
fn the_earliest_time_of_the_data_is_the_start() {
    let log = replay(ScheduleZero::Earliest, None, StopConditions::default()).run();
    assert_eq!((log.due_ms(), conversations(&log)), (vec![0, 250, 1_000], vec![0, 1, 2]));
    assert_eq!(log.sent_ms(), [0, 249, 999]);
    assert_eq!(log.outcome().ended_by, RunOutcome::Completed, "the data set is the only stop condition");
}

#[test]
fn a_given_zero_moves_the_whole_schedule() {
    let log = replay(ScheduleZero::At(500.0), None, StopConditions::default()).run();
    assert_eq!(log.due_ms(), [500, 750, 1_500]);
}

#[test]
fn what_lies_before_the_zero_is_due_at_once() {
    let log = replay(ScheduleZero::At(1_200.0), None, StopConditions::default()).run();
    assert_eq!(log.due_ms(), [0, 50, 800]);
}

#[test]
fn a_session_over_the_ceiling_waits_for_room_and_the_schedule_is_not_moved() {
    let log = replay(ScheduleZero::Earliest, Some(1), StopConditions::default()).replies_after(600).run();
    assert_eq!((log.due_ms(), log.sent_ms()), (vec![0, 250, 1_000], vec![0, 600, 1_200]));
    let held: Vec<bool> = log.dispatched.iter().map(|sent| sent.held_back).collect();
    assert_eq!((held, log.counts().arrivals_delayed), (vec![false, true, true], 2));
    assert_eq!(log.counts().arrivals_dropped, 0);
}

#[test]
fn later_turns_go_at_their_time_or_when_the_reply_is_back() {
    let turns = conversation(4).timestamps(&[0.0, 100.0, 150.0]).delay(3, 40);
    let log = Simulation::new(vec![turns])
        .phase(profiling(
            Pace::FixedSchedule { zero: ScheduleZero::Earliest, ceiling: None },
            StopConditions::default(),
        ))
        .with(|simulation| simulation.fixed_schedule = vec![(0, 0.0)])
        .replies_after(80)
        .run();
    assert_eq!(log.sent_ms(), [0, 100, 180, 300], "on time, late through the reply, after its delay");
}

#[test]
fn a_session_limit_ends_the_schedule_early() {
    let log = replay(ScheduleZero::Earliest, None, sessions(2)).run();
    assert_eq!(conversations(&log), [0, 1]);
}

#[test]
fn nothing_that_is_due_at_the_deadline_is_sent() {
    let log = replay(ScheduleZero::Earliest, None, duration(1_000)).run();
    assert_eq!(log.due_ms(), [0, 250]);
    assert_eq!(log.outcome().ended_by, RunOutcome::DurationOver);
}
