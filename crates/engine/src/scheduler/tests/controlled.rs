//! A load that is set while its phase runs.

use aiperf_clock::Nanos;
use aiperf_config::{Arrival, LoadLevel, Pace, PhaseConfig};
use aiperf_protocol::RunOutcome;

use crate::control::SchedulerEvent;
use crate::scheduler::testing::{
    DispatchLog, SimulatedReply, Simulation, closed_loop, conversation, duration, most_at_once, profiling, requests,
    sessions, to_ms,
};

fn users(users: usize) -> LoadLevel {
    LoadLevel::Users(users)
}

/// Arrivals at a constant distance, without a ceiling.
fn rate(per_second: f64) -> LoadLevel {
    LoadLevel::Rate { per_second, arrival: Arrival::Constant, ceiling: None }
}

fn controlled(level: LoadLevel, stop: aiperf_config::StopConditions) -> PhaseConfig {
    profiling(Pace::Controlled(level), stop)
}

/// Every request takes 100 ms.
fn simulation(first: LoadLevel, millis: u64) -> Simulation {
    Simulation::new(vec![conversation(1)]).phase(controlled(first, duration(millis))).replies_after(100)
}

/// The most requests in flight between two times.
fn at_once(log: &DispatchLog, from: u64, to: u64) -> usize {
    let spans = log.dispatched.iter().filter_map(|sent| {
        let (start, end) = (to_ms(sent.at).max(from), sent.end_at().map_or(u64::MAX, to_ms).min(to));
        (start < end).then_some((Nanos(start), Nanos(end)))
    });
    most_at_once(spans)
}

#[test]
fn a_load_that_is_never_changed_is_that_of_a_plain_phase() {
    let plain = Simulation::new(vec![conversation(2)]).phase(closed_loop(3, requests(30))).run();
    let held = Simulation::new(vec![conversation(2)]).phase(controlled(users(3), requests(30))).run();
    assert_eq!(held.turns_ms(), plain.turns_ms());
    assert_eq!(held.load_ms(), Some((users(3), 0, 0)));
    let plain =
        Simulation::new(vec![conversation(2)]).phase(profiling(super::super::testing::rate(25.0), requests(30))).run();
    let held = Simulation::new(vec![conversation(2)]).phase(controlled(rate(25.0), requests(30))).run();
    assert_eq!((held.due_ms(), held.sent_ms(), held.turns_ms()), (plain.due_ms(), plain.sent_ms(), plain.turns_ms()));
}

#[test]
fn further_users_begin_at_once_and_surplus_ones_are_not_replaced() {
    let log = simulation(users(2), 1_000).set_load_at(250, users(5)).set_load_at(620, users(1)).run();
    assert_eq!(log.sent_ms()[..9], [0, 0, 100, 100, 200, 200, 250, 250, 250]);
    assert_eq!(at_once(&log, 250, 620), 5);
    // Five are in flight when one user is left: three end at 650 ms, two at 700 ms, and one goes on.
    assert_eq!(log.sent_ms().into_iter().filter(|at| *at > 620).collect::<Vec<_>>(), [700, 800, 900]);
    assert_eq!(log.load_ms(), Some((users(1), 620, 2)));
    assert_eq!(log.outcome().ended_by, RunOutcome::DurationOver);
    assert_eq!(log.counts().completed, log.counts().sent);
}

#[test]
fn no_users_is_a_pause() {
    let log = simulation(users(1), 1_000).set_load_at(150, users(0)).set_load_at(700, users(1)).run();
    assert_eq!(log.sent_ms(), [0, 100, 700, 800, 900]);
}

#[test]
fn a_changed_rate_keeps_what_is_left_of_the_gap_in_units() {
    let log = simulation(rate(10.0), 1_000).set_load_at(350, rate(50.0)).set_load_at(450, rate(5.0)).run();
    // Half a gap is left at 350 ms, which is 10 ms at the new rate; none is left at 450 ms.
    assert_eq!(log.due_ms(), [100, 200, 300, 360, 380, 400, 420, 440, 550, 750, 950]);
    assert_eq!(log.load_ms(), Some((rate(5.0), 450, 2)));
}

#[test]
fn an_arrival_that_a_worker_has_already_belongs_to_the_load_before() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(controlled(rate(10.0), duration(500)))
        .replies(|_| SimulatedReply::after(Nanos(600_000)))
        .with(|simulation| {
            let level = rate(100.0);
            simulation.order(Nanos(99_500_000), SchedulerEvent::SetLoad { phase: 0, level });
        })
        .run();
    // Handed out at 99 ms for 100 ms; the gap after it begins there.
    assert_eq!(log.due_ms()[..4], [100, 110, 120, 130]);
    assert_eq!(log.load_ms(), Some((rate(100.0), 100, 1)));
}

#[test]
fn one_phase_goes_from_users_to_a_rate_and_back() {
    let log = simulation(users(2), 1_000)
        .set_load_at(250, rate(20.0))
        .set_load_at(500, users(3))
        .set_load_at(800, rate(20.0))
        .run();
    assert_eq!(log.sent_ms()[..6], [0, 0, 100, 100, 200, 200]);
    let open: Vec<u64> = log.due_ms().into_iter().filter(|due| (250..500).contains(due)).collect();
    assert_eq!(open, [300, 350, 400, 450]);
    assert_eq!(at_once(&log, 500, 800), 3, "two of the open loop were in flight, and one user began at once");
    assert_eq!(log.due_ms().into_iter().filter(|due| *due >= 800).collect::<Vec<_>>(), [850, 900, 950]);
    assert_eq!(log.outcomes.len(), 1);
}

#[test]
fn turns_that_waited_for_an_arrival_go_on_when_the_load_becomes_users() {
    let log = Simulation::new(vec![conversation(2)])
        .phase(controlled(rate(2.0), duration(2_000)))
        .replies_after(10)
        .set_load_at(700, users(1))
        .run();
    assert_eq!(log.turns_ms()[..3], [(0, 0, 499), (0, 1, 700), (0, 0, 710)]);
}

#[test]
fn a_ceiling_can_be_set_with_the_rate() {
    let level = LoadLevel::Rate { per_second: 50.0, arrival: Arrival::Constant, ceiling: Some(2) };
    let log = simulation(rate(50.0), 1_000).set_load_at(400, level).run();
    assert!(at_once(&log, 200, 400) >= 5);
    assert_eq!(at_once(&log, 520, 1_000), 2);
    assert!(log.counts().arrivals_dropped > 0);
}

#[test]
fn stop_conditions_stay_valid_when_the_load_changes() {
    let stops = [requests(7), sessions(7)];
    for stop in stops {
        let log = Simulation::new(vec![conversation(1)])
            .phase(controlled(users(1), stop))
            .set_load_at(15, users(4))
            .set_load_at(22, rate(100.0))
            .run();
        assert_eq!((log.counts().sent, log.outcome().ended_by), (7, RunOutcome::Completed));
    }
}

#[test]
fn a_load_that_comes_after_the_phase_or_for_another_kind_of_phase_changes_nothing() {
    let late = simulation(users(1), 300).replies_after(250).set_load_at(400, users(9)).run();
    assert_eq!((late.sent_ms(), late.load_ms()), (vec![0, 250], Some((users(1), 0, 0))));
    let plain =
        Simulation::new(vec![conversation(1)]).phase(closed_loop(1, requests(3))).set_load_at(5, users(9)).run();
    assert_eq!((plain.sent_ms(), plain.load_ms()), (vec![0, 10, 20], None));
}

#[test]
fn only_the_phase_that_is_named_ends() {
    let run = |phase| {
        simulation(users(1), 1_000)
            .with(|simulation| {
                let why = std::sync::Arc::from("the limit is known");
                simulation.order(Nanos(250_000_000), SchedulerEvent::Enough { phase: Some(phase), why });
            })
            .run()
    };
    assert_eq!((run(0).outcome().ended_by, run(0).counts().sent), (RunOutcome::EarlyStop, 3));
    assert_eq!(run(1).outcome().ended_by, RunOutcome::DurationOver);
}

fn paced(users: usize) -> LoadLevel {
    LoadLevel::PacedUsers { users, per_second: 10.0, ceiling: None }
}

/// Turns that were due within a second, in milliseconds since it began.
fn due_within(log: &DispatchLog, from: u64, to: u64) -> usize {
    log.due_ms().into_iter().filter(|at| (from..to).contains(at)).count()
}

#[test]
fn paced_users_that_are_never_changed_are_those_of_a_plain_phase() {
    let plain = Pace::UserCentric { per_second: 10.0, users: 4, ceiling: None };
    let plain = Simulation::new(vec![conversation(3)]).phase(profiling(plain, requests(40))).run();
    let held = Simulation::new(vec![conversation(3)]).phase(controlled(paced(4), requests(40))).run();
    assert_eq!((held.due_ms(), held.turns_ms()), (plain.due_ms(), plain.turns_ms()));
    assert_eq!(held.load_ms(), Some((paced(4), 0, 0)));
}

#[test]
fn more_or_fewer_paced_users_keep_the_total_rate() {
    for (first, next) in [(4, 16), (16, 4)] {
        let log = Simulation::new(vec![conversation(4)])
            .phase(controlled(paced(first), duration(40_000)))
            .replies_after(10)
            .set_load_at(8_000, paced(next))
            .run();
        // Ten a second before, and again once the change has passed through the sessions that were open.
        let (before, after) = (due_within(&log, 2_000, 8_000), due_within(&log, 25_000, 40_000));
        assert!((54..=66).contains(&before), "{first} users: {before} turns in 6 s");
        assert!((135..=165).contains(&after), "from {first} to {next} users: {after} turns in 15 s");
        assert_eq!(log.load_ms(), Some((paced(next), 8_000, 1)));
    }
}

#[test]
fn another_kind_of_load_does_not_replace_paced_users() {
    let log = Simulation::new(vec![conversation(2)])
        .phase(controlled(paced(2), requests(10)))
        .set_load_at(100, users(50))
        .run();
    assert_eq!(log.load_ms(), Some((paced(2), 0, 0)));
}

#[test]
fn a_prefill_limit_is_raised_while_the_phase_runs() {
    let phase = PhaseConfig { prefill_limit: Some(1), ..controlled(users(4), duration(1_000)) };
    let mut simulation = Simulation::new(vec![conversation(1)]).phase(phase).replies_after(100);
    simulation.order(Nanos(450_000_000), SchedulerEvent::SetPrefillLimit { phase: 0, limit: 3 });
    let log = simulation.run();
    assert_eq!((at_once(&log, 0, 450), at_once(&log, 500, 1_000)), (1, 3));
}
