//! User-centric load: users with a fixed time between turns.

use aiperf_config::Pace;

use crate::scheduler::testing::{
    DispatchLog, SimulatedReply, Simulation, conversation, duration, ms, profiling, to_ms,
};

const fn users(users: usize, per_second: f64, ceiling: Option<usize>) -> Pace {
    Pace::UserCentric { per_second, users, ceiling }
}

fn due_of_session(log: &DispatchLog, session: u64) -> Vec<u64> {
    log.dispatched.iter().filter(|sent| sent.session == session).map(|sent| to_ms(sent.due)).collect()
}

#[test]
fn users_together_keep_the_rate_from_the_first_second() {
    let log = Simulation::new(vec![conversation(4)]).phase(profiling(users(8, 4.0, None), duration(20_000))).run();
    assert_eq!(log.due_ms(), (0..80).map(|n| n * 250).collect::<Vec<_>>());
}

#[test]
fn the_first_users_send_as_many_turns_as_their_age_leaves_them() {
    let log = Simulation::new(vec![conversation(4)]).phase(profiling(users(8, 4.0, None), duration(20_000))).run();
    // Ids 9, 4, 7, 2, 5, 8, 3, 6 begin in this order: 9 with a whole session, the others with what is left of theirs.
    let turns: Vec<usize> = (1..=8).map(|session| due_of_session(&log, session).len()).collect();
    assert_eq!(turns, [4, 2, 3, 1, 2, 3, 1, 2]);
}

#[test]
fn a_late_reply_is_followed_at_once_and_the_rhythm_goes_on_from_there() {
    let log = Simulation::new(vec![conversation(4)])
        .phase(profiling(users(1, 1.0, None), duration(5_000)))
        .replies(|sent| SimulatedReply::after(ms(if sent.turn == 0 { 1_500 } else { 100 })))
        .run();
    assert_eq!(due_of_session(&log, 1), [0, 1_500, 2_500, 3_500]);
}

#[test]
fn a_user_is_followed_by_a_new_one_on_the_grid_however_slow_it_was() {
    let log = Simulation::new(vec![conversation(3)])
        .phase(profiling(users(1, 1.0, None), duration(4_000)))
        .replies_after(1_500)
        .run();
    assert_eq!(due_of_session(&log, 1), [0, 1_500, 3_000]);
    assert_eq!(due_of_session(&log, 2), [3_000], "three turns of a second each after the first user");
}

#[test]
fn a_user_over_the_ceiling_waits_for_room() {
    let log = Simulation::new(vec![conversation(1)])
        .phase(profiling(users(2, 2.0, Some(1)), duration(1_400)))
        .replies_after(700)
        .run();
    assert_eq!((log.due_ms(), log.sent_ms()), (vec![0, 500], vec![0, 700]));
    assert_eq!(log.counts().arrivals_delayed, 1);
}
