//! One run that several nodes send: together they send what a single node sends, whatever the load.

use std::time::Duration;

use aiperf_config::{
    Arrival, Cancellation, NodeShare, Pace, PhaseConfig, Ramp, RampShape, RateCurve, SentShare, divide_counts,
    divide_limits,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::plan::PreparedConversation;
use crate::scheduler::testing::{
    DispatchLog, Dispatched, SimulatedReply, Simulation, closed_loop, conversation, duration, linear, ms, profiling,
    rate, requests, sessions, warmup,
};

/// A request, whoever sends it: phase, conversation, turn, server, and whether it is given up.
type SentRequest = (usize, usize, usize, usize, bool);

fn sent(request: &Dispatched) -> SentRequest {
    (request.phase, request.conversation, request.turn, request.target, request.cancel_after.is_some())
}

fn run(conversations: &[PreparedConversation], phases: &[PhaseConfig], share: NodeShare, seed: u64) -> DispatchLog {
    run_after(conversations, phases, share, seed, None)
}

/// `done`: what another node has sent of the share.
fn run_after(
    conversations: &[PreparedConversation],
    phases: &[PhaseConfig],
    share: NodeShare,
    seed: u64,
    done: Option<&SentShare>,
) -> DispatchLog {
    let mut phases = phases.to_vec();
    divide_limits(&mut phases, share);
    divide_counts(&mut phases, share, conversations.iter().all(|conversation| conversation.turns.len() == 1));
    if let Some(done) = done {
        done.take_from(&mut phases);
    }
    let simulation =
        Simulation::new(conversations.to_vec()).replies(|sent| SimulatedReply::after(ms(20 + sent.turn as u64)));
    phases
        .into_iter()
        .fold(simulation, Simulation::phase)
        .with(|simulation| {
            simulation.seed = seed;
            simulation.targets = 3;
            simulation.sessions_done = done.map_or(0, SentShare::total);
        })
        .run()
}

fn nodes(conversations: &[PreparedConversation], phases: &[PhaseConfig], count: u64, seed: u64) -> Vec<DispatchLog> {
    let share = |index| NodeShare::new(index, count).unwrap();
    (0..count).map(|index| run(conversations, phases, share(index), seed)).collect()
}

fn all_sent<'a>(logs: impl IntoIterator<Item = &'a DispatchLog>) -> Vec<SentRequest> {
    let mut all: Vec<SentRequest> = logs.into_iter().flat_map(|log| log.dispatched.iter().map(sent)).collect();
    all.sort_unstable();
    all
}

fn all_due<'a>(logs: impl IntoIterator<Item = &'a DispatchLog>) -> Vec<u64> {
    let mut all: Vec<u64> = logs.into_iter().flat_map(|log| log.dispatched.iter().map(|sent| sent.due.0)).collect();
    all.sort_unstable();
    all
}

fn single_turns() -> Vec<PreparedConversation> {
    (0..7).map(|_| conversation(1)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, rng_seed: RngSeed::Fixed(26), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_node_that_takes_over_sends_what_is_left_of_the_share(
        count in 1_u64..6, warm in 6_u64..15, total in 12_u64..60, sent in 0_u64..80, seed in 0_u64..1000,
    ) {
        let share = NodeShare::new(sent % count, count).unwrap();
        let phases = [warmup(Pace::Concurrency(6), requests(warm)), closed_loop(8, requests(total))];
        let whole = run(&single_turns(), &phases, share, seed);
        let sent = (sent as usize).min(whole.dispatched.len());
        let (before, after) = whole.dispatched.split_at(sent);
        let phase = before.last().map_or(0, |request| request.phase);
        let in_phase = before.iter().filter(|request| request.phase == phase).count() as u64;
        let done = SentShare {
            phase: phases[phase].name.to_string(),
            sent: in_phase,
            sent_before: sent as u64 - in_phase,
        };
        let rest = run_after(&single_turns(), &phases, share, seed, Some(&done));
        let requests = |log: &[Dispatched]| log.iter().map(super::nodes::sent).collect::<Vec<_>>();
        prop_assert_eq!(requests(&rest.dispatched), requests(after));
    }

    #[test]
    fn nodes_send_the_requests_of_one_node_in_a_closed_loop(
        count in 1_u64..6, concurrency in 6_usize..20, warm in 0_u64..15, total in 6_u64..120, seed in 0_u64..1000,
        ramped in any::<bool>(), cancelled in any::<bool>(),
    ) {
        let cancellation = cancelled.then_some(Cancellation { percent: 30.0, delay: Duration::from_millis(5) });
        let measured = PhaseConfig {
            concurrency_ramp: ramped.then(|| linear(200)),
            cancellation,
            ..closed_loop(concurrency, requests(total))
        };
        let phases = [warmup(Pace::Concurrency(6), requests(warm)), measured];
        let one = run(&single_turns(), &phases, NodeShare::WHOLE, seed);
        prop_assert_eq!(all_sent(&nodes(&single_turns(), &phases, count, seed)), all_sent([&one]));
    }

    #[test]
    fn arrivals_are_divided_and_not_the_rate(
        count in 1_u64..6, kind in 0..3, warm in 0_u64..15, total in 6_u64..200, seed in 0_u64..1000, ramped in any::<bool>(),
    ) {
        let arrival = [Arrival::Constant, Arrival::Poisson, Arrival::Gamma { smoothness: 2.5 }][kind as usize];
        let shape = RampShape::Poisson;
        let ramp = ramped.then_some(Ramp { duration: Duration::from_millis(300), shape });
        let rate_curve = RateCurve { ramp, ..RateCurve::constant(100.0) };
        let pace = Pace::Rate { rate: rate_curve, arrival, ceiling: None };
        let phases = [warmup(rate(50.0), requests(warm)), profiling(pace.clone(), requests(total))];
        let one = run(&single_turns(), &phases, NodeShare::WHOLE, seed);
        let logs = nodes(&single_turns(), &phases, count, seed);
        prop_assert_eq!(all_sent(&logs), all_sent([&one]));
        // Without a warmup all nodes start at the same time, and so do the due times of all of them together.
        let timed = [profiling(pace, duration(1_500))];
        let one = run(&single_turns(), &timed, NodeShare::WHOLE, seed);
        let logs = nodes(&single_turns(), &timed, count, seed);
        prop_assert_eq!(all_due(&logs), all_due([&one]));
        prop_assert_eq!(all_sent(&logs), all_sent([&one]));
    }

    #[test]
    fn sessions_stay_on_their_node_and_all_of_their_turns_are_sent(
        count in 1_u64..6, total in 6_u64..60, seed in 0_u64..1000, open in any::<bool>(),
    ) {
        let conversations: Vec<PreparedConversation> = (0..9).map(|index| conversation(1 + index % 4)).collect();
        let pace = if open { rate(80.0) } else { Pace::Concurrency(7) };
        let phases = [profiling(pace, sessions(total))];
        let one = run(&conversations, &phases, NodeShare::WHOLE, seed);
        let logs = nodes(&conversations, &phases, count, seed);
        let without_server = |log: Vec<SentRequest>| -> Vec<(usize, usize)> {
            log.into_iter().map(|(_, conversation, turn, ..)| (conversation, turn)).collect()
        };
        prop_assert_eq!(without_server(all_sent(&logs)), without_server(all_sent([&one])));
    }

    #[test]
    fn users_are_divided_and_keep_their_times(count in 1_u64..6, users in 1_usize..12, seed in 0_u64..1000) {
        let conversations: Vec<PreparedConversation> = (0..5).map(|index| conversation(2 + index % 3)).collect();
        let pace = Pace::UserCentric { per_second: 10.0, users, ceiling: None };
        let phases = [profiling(pace, duration(4_000))];
        let one = run(&conversations, &phases, NodeShare::WHOLE, seed);
        let logs = nodes(&conversations, &phases, count, seed);
        prop_assert_eq!(all_due(&logs), all_due([&one]));
        let turns = |logs: &[DispatchLog]| {
            let mut all: Vec<(usize, usize, u64)> =
                logs.iter().flat_map(|log| log.dispatched.iter().map(|sent| (sent.conversation, sent.turn, sent.due.0))).collect();
            all.sort_unstable();
            all
        };
        prop_assert_eq!(turns(&logs), turns(&[one]));
    }
}

/// The most requests in flight at each moment are those of the whole ramp.
#[test]
fn the_ramps_of_all_nodes_add_up_to_the_whole_ramp() {
    let ramped = PhaseConfig { concurrency_ramp: Some(linear(1_000)), ..closed_loop(10, duration(1_200)) };
    let one = run(&single_turns(), std::slice::from_ref(&ramped), NodeShare::WHOLE, 1);
    for count in [2, 3, 7] {
        let logs = nodes(&single_turns(), std::slice::from_ref(&ramped), count, 1);
        assert_eq!(all_due(&logs), all_due([&one]), "{count} nodes");
    }
}
