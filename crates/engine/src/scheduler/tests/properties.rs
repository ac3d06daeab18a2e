//! What holds for any workload: drawn from a seed, run on the virtual clock, and checked request by request.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use aiperf_clock::Nanos;
use aiperf_config::{
    AgenticReplay, Arrival, Cancellation, GracePeriod, Pace, PhaseConfig, Ramp, RampShape, RateCurve, ScheduleZero,
    StopConditions,
};
use aiperf_protocol::RequestOutcome;
use aiperf_seed::{Seed, Stream};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::plan::PreparedConversation;
use crate::scheduler::testing::{
    DispatchLog, Dispatched, SimulatedReply, Simulation, assert_invariants, chat, closed_loop, conversation, duration,
    ms, profiling, requests, sessions, warmup,
};

/// All choices of a test case.
struct CaseDraws(Stream);

impl CaseDraws {
    fn new(seed: u64) -> Self {
        Self(Seed::fixed(seed).stream("scheduler tests"))
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0.next_u64() % bound
    }

    fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.one_in(2).then(|| make(self))
    }
}

/// Roots with spawns, joins and forks, up to two levels deep.
fn conversations(draws: &mut CaseDraws, with_delays: bool) -> Vec<PreparedConversation> {
    let roots = 1 + draws.below(4) as usize;
    let mut all: Vec<PreparedConversation> = (0..roots).map(|_| line(draws, with_delays)).collect();
    let mut level: Vec<usize> = (0..roots).collect();
    for _ in 0..2 {
        level = level.into_iter().flat_map(|parent| branch(draws, parent, with_delays, &mut all)).collect();
    }
    all
}

fn line(draws: &mut CaseDraws, with_delays: bool) -> PreparedConversation {
    let turns = 1 + draws.below(4) as usize;
    let mut line = if draws.one_in(3) { chat(turns) } else { conversation(turns) };
    for turn in 0..turns {
        if with_delays && draws.one_in(2) {
            line = line.delay(turn, draws.below(80));
        }
    }
    line
}

/// Gives a conversation a branch at some of its turns; says which conversations that are.
fn branch(draws: &mut CaseDraws, parent: usize, with_delays: bool, all: &mut Vec<PreparedConversation>) -> Vec<usize> {
    let turns = all[parent].turns.len();
    let mut added = Vec::new();
    for turn in 0..turns {
        if !draws.one_in(3) {
            continue;
        }
        let children: Vec<usize> = (0..=draws.below(2) as usize).map(|child| all.len() + child).collect();
        all.extend(children.iter().map(|_| line(draws, with_delays).child()).collect::<Vec<_>>());
        let later = turns - turn - 1;
        let parent = &mut all[parent];
        *parent = match draws.below(4) {
            0 => parent.clone().fork(turn, &children, !draws.one_in(3)),
            1 | 2 if later > 0 => {
                parent.clone().spawn(turn, &children, Some(turn + 1 + draws.below(later as u64) as usize))
            }
            _ => parent.clone().spawn(turn, &children, None),
        };
        added.extend(children);
    }
    added
}

fn pace(draws: &mut CaseDraws, kind: PaceKind) -> Pace {
    let ceiling = draws.maybe(|draws| 1 + draws.below(6) as usize);
    match kind {
        PaceKind::Concurrency => Pace::Concurrency(1 + draws.below(8) as usize),
        PaceKind::Rate => {
            let arrival = match draws.below(3) {
                0 => Arrival::Constant,
                1 => Arrival::Poisson,
                _ => Arrival::Gamma { smoothness: 0.3 + draws.below(30) as f64 / 10.0 },
            };
            let ramp = draws.maybe(ramp);
            let rate = RateCurve { ramp, ..RateCurve::constant(5.0 + draws.below(200) as f64) };
            Pace::Rate { rate, arrival, ceiling }
        }
        PaceKind::FixedSchedule => Pace::FixedSchedule { zero: ScheduleZero::Earliest, ceiling },
        PaceKind::UserCentric => {
            let users = 1 + draws.below(10) as usize;
            Pace::UserCentric { per_second: 1.0 + draws.below(40) as f64, users, ceiling }
        }
    }
}

fn ramp(draws: &mut CaseDraws) -> Ramp {
    let shape = [RampShape::Linear, RampShape::Exponential, RampShape::Poisson][draws.below(3) as usize];
    Ramp { duration: Duration::from_millis(50 + draws.below(500)), shape }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PaceKind {
    Concurrency,
    Rate,
    FixedSchedule,
    UserCentric,
}

fn phase(draws: &mut CaseDraws, kind: PaceKind) -> PhaseConfig {
    let stop = match draws.below(if kind == PaceKind::FixedSchedule { 5 } else { 4 }) {
        0 => requests(1 + draws.below(80)),
        1 => sessions(1 + draws.below(30)),
        2 => duration(1 + draws.below(1_500)),
        3 => StopConditions { requests: Some(1 + draws.below(80)), ..duration(1 + draws.below(1_500)) },
        _ => StopConditions::default(),
    };
    let pace = pace(draws, kind);
    PhaseConfig {
        grace: draws
            .maybe(|draws| GracePeriod::Limited(Duration::from_millis(draws.below(200))))
            .unwrap_or(GracePeriod::Unlimited),
        concurrency_ramp: draws.maybe(ramp).filter(|_| pace.session_limit().is_some()),
        prefill_limit: draws.maybe(|draws| 1 + draws.below(4) as usize),
        prefill_ramp: draws.maybe(ramp),
        cancellation: draws.maybe(|draws| Cancellation {
            percent: 1.0 + draws.below(99) as f64,
            delay: Duration::from_millis(draws.below(60)),
        }),
        ..profiling(pace, stop)
    }
}

/// The reply to a request, whenever it is sent: from its place in its session alone.
fn reply(seed: u64, sent: &Dispatched) -> SimulatedReply {
    let mut draws = CaseDraws::new(seed ^ (sent.session << 8) ^ sent.turn as u64);
    let after = ms(draws.below(120)) + Nanos(draws.below(1_000_000));
    let first = Nanos(after.0 * draws.below(100) / 100);
    match draws.below(12) {
        0 => SimulatedReply::failed(after),
        1 => SimulatedReply::after(after),
        _ => SimulatedReply::after(after).first_token(first),
    }
}

/// A phase of a random workload.
fn simulation(seed: u64, kind: PaceKind) -> (Simulation, PhaseConfig) {
    let mut draws = CaseDraws::new(seed);
    let conversations = conversations(&mut draws, kind != PaceKind::UserCentric);
    let phase = phase(&mut draws, kind);
    let mut schedule: Vec<(usize, f64)> = Vec::new();
    for (index, conversation) in conversations.iter().enumerate() {
        if !matches!(conversation.lineage, aiperf_conversation::Lineage::Child) {
            schedule.push((index, draws.below(500) as f64));
        }
    }
    schedule.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (workers, targets, record_delay) =
        (1 + draws.below(3) as usize, 1 + draws.below(3) as usize, ms(draws.below(3)));
    let simulation =
        Simulation::new(conversations).phase(phase.clone()).replies(move |sent| reply(seed, sent)).with(|simulation| {
            simulation.fixed_schedule = schedule;
            simulation.seed = seed;
            simulation.workers = workers;
            simulation.targets = targets;
            simulation.record_delay = record_delay;
            simulation.timing.dag_fail_fast = seed.is_multiple_of(5);
        });
    (simulation, phase)
}

fn check(seed: u64, kind: PaceKind) {
    let (simulation, phase) = simulation(seed, kind);
    let log = simulation.run();
    assert_invariants(&log, &phase);
    let stop = phase.stop;
    let counts = log.counts();
    assert!(stop.requests.is_none_or(|limit| counts.sent <= limit));
    assert!(stop.sessions.is_none_or(|limit| counts.sessions_sent <= limit));
    if let Some(end) = stop.duration.map(Nanos::from) {
        assert!(log.dispatched.iter().all(|sent| sent.due < end && sent.at < end), "sent after the deadline");
        if let GracePeriod::Limited(grace) = phase.grace {
            let last = end + grace.into();
            assert!(log.dispatched.iter().all(|sent| sent.end_at().is_some_and(|at| at <= last.max(sent.start()))));
        }
    }
    let repeated = self::simulation(seed, kind).0.run();
    assert_eq!(log.dispatched, repeated.dispatched, "the same seed sends the same requests at the same times");
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(18), failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn closed_loops_keep_their_promises(seed: u64) {
        check(seed, PaceKind::Concurrency);
    }

    #[test]
    fn rates_keep_their_promises(seed: u64) {
        check(seed, PaceKind::Rate);
    }

    #[test]
    fn fixed_schedules_keep_their_promises(seed: u64) {
        check(seed, PaceKind::FixedSchedule);
    }

    #[test]
    fn users_keep_their_promises(seed: u64) {
        check(seed, PaceKind::UserCentric);
    }

    #[test]
    fn every_arrival_is_sent_or_counted_as_dropped(per_second in 1_u64..200, ceiling in 1_usize..5, reply in 1_u64..300) {
        let pace = Pace::Rate {
            rate: RateCurve::constant(per_second as f64),
            arrival: Arrival::Constant,
            ceiling: Some(ceiling),
        };
        let log = Simulation::new(vec![conversation(1)])
            .phase(profiling(pace, duration(2_500)))
            .replies_after(reply)
            .run();
        let is_due = |n: &u64| Nanos::from_secs_f64(*n as f64 / per_second as f64) < ms(2_500);
        let arrivals = (1..=3 * per_second).filter(is_due).count();
        prop_assert_eq!(log.counts().sent + log.counts().arrivals_dropped, arrivals as u64);
    }

    #[test]
    fn replays_keep_their_promises(seed: u64) {
        check_replay(seed);
    }
}

/// Two phases of an agentic replay of random recordings.
fn check_replay(seed: u64) {
    let mut draws = CaseDraws::new(seed);
    let mut recordings = conversations(&mut draws, true);
    record_times(&mut draws, &mut recordings);
    let options = AgenticReplay {
        lanes: 1 + draws.below(4) as usize,
        start_min: 0.1,
        start_max: 0.9,
        burst: draws.one_in(2),
        idle_cap: draws.maybe(|draws| Duration::from_millis(1 + draws.below(50))),
        cache_warmup: draws.maybe(|draws| Duration::from_millis(draws.below(200))),
    };
    let run = |recordings: &[PreparedConversation]| {
        Simulation::new(recordings.to_vec())
            .phase(warmup(Pace::AgenticReplay(options), StopConditions::default()))
            .phase(profiling(Pace::AgenticReplay(options), duration(1_000)))
            .replies(move |sent| {
                SimulatedReply::after(ms(1 + (sent.session * 7 + sent.turn as u64 * 13 + seed % 17) % 40))
            })
            .with(|simulation| {
                simulation.seed = seed;
                simulation.workers = 2;
            })
            .run()
    };
    let log = run(&recordings);
    assert_eq!(log.dispatched, run(&recordings).dispatched, "the same seed sends the same requests");
    assert_eq!(log.outcomes.len(), 2);
    assert!(log.dispatched.iter().all(|sent| sent.at >= sent.due && sent.is_single_token == (sent.phase == 0)));
    assert_turns_are_continued(&log);
    assert_lanes(&log, options.lanes);
    if let Some(cap) = options.idle_cap {
        assert_never_idle_for_longer(&log, cap.into());
    }
}

/// Each conversation is recorded at random times, in order, after the turn that starts it.
fn record_times(draws: &mut CaseDraws, all: &mut [PreparedConversation]) {
    for index in 0..all.len() {
        let mut at = all[index].turns.first().and_then(|turn| turn.recorded).unwrap_or_default();
        for turn in 0..all[index].turns.len() {
            at = at + ms(1 + draws.below(100));
            all[index].turns[turn].recorded = Some(at);
            let children: Vec<usize> = all[index].turns[turn]
                .branches
                .iter()
                .flat_map(|branch| &branch.children)
                .map(|child| child.0)
                .collect();
            for child in children {
                // Children stand behind their parents, so their own turn comes later.
                if let Some(first) = all[child].turns.first_mut() {
                    first.recorded = Some(at + ms(draws.below(50)));
                }
            }
        }
    }
}

/// Turns of a session are sent in order, each once, from where the session was entered.
fn assert_turns_are_continued(log: &DispatchLog) {
    let mut last: HashMap<u64, &Dispatched> = HashMap::new();
    for sent in &log.dispatched {
        if let Some(before) = last.insert(sent.session, sent) {
            assert_eq!(sent.turn, before.turn + 1, "{before:?} {sent:?}");
            assert!(before.end_at().is_some_and(|end| end <= sent.at), "{before:?} {sent:?}");
        }
    }
}

fn assert_lanes(log: &DispatchLog, lanes: usize) {
    let mut open: HashMap<u64, usize> = HashMap::new();
    let mut changes: Vec<(Nanos, bool, u64)> = Vec::new();
    for sent in &log.dispatched {
        changes.push((sent.at, true, sent.root));
        changes.push((sent.end_at().unwrap_or(Nanos(u64::MAX)), false, sent.root));
    }
    changes.sort_unstable();
    for (_, begins, root) in changes {
        let requests = open.entry(root).or_default();
        if begins {
            *requests += 1;
        } else {
            *requests -= 1;
        }
        open.retain(|_, requests| *requests > 0);
        assert!(open.len() <= lanes, "{} sessions with requests in flight on {lanes} lanes", open.len());
    }
}

/// In the measured phase a request follows the last reply within the cap, unless others are in flight.
fn assert_never_idle_for_longer(log: &DispatchLog, cap: Nanos) {
    let phase_start = Nanos(log.span_ms(1).0 * 1_000_000);
    let profiling: Vec<&Dispatched> = log.of_phase(1).collect();
    for sent in &profiling {
        let mut before = log.dispatched.iter().filter(|other| other.at < sent.at);
        if before.clone().any(|other| other.end_at().is_none_or(|end| end > sent.at)) {
            continue;
        }
        let last = before.by_ref().filter_map(Dispatched::end_at).max().unwrap_or_default().max(phase_start);
        let slack = ms(1);
        assert!(sent.at <= last + cap + slack, "idle from {last:?} to {:?} with a cap of {cap:?}", sent.at);
    }
}

#[test]
fn ten_thousand_sessions_with_joins_and_delays_keep_every_promise() {
    let mut draws = CaseDraws::new(20_260_418);
    let mut all: Vec<PreparedConversation> = (0..100).map(|_| line(&mut draws, true)).collect();
    for parent in 0..100 {
        branch(&mut draws, parent, true, &mut all);
    }
    let joins = all.iter().flat_map(|line| &line.turns).flat_map(|turn| &turn.branches);
    let joins =
        joins.filter(|branch| matches!(branch.kind, aiperf_conversation::BranchKind::Spawn { join_at: Some(_) }));
    assert!(joins.count() >= 10, "the workload has joins");
    let phase = closed_loop(200, sessions(10_000));
    let log = Simulation::new(all)
        .phase(phase.clone())
        .replies(|sent| reply(7, sent))
        .with(|simulation| {
            simulation.workers = 4;
            simulation.targets = 2;
            simulation.record_delay = ms(1);
        })
        .run();
    assert_invariants(&log, &phase);
    let counts = log.counts();
    assert_eq!((counts.sessions_sent, counts.sessions_completed), (10_000, 10_000));
    let branches = counts.branches;
    assert!(branches.parents_suspended > 1_000, "{branches:?}");
    assert_eq!(branches.parents_suspended, branches.parents_resumed);
    let roots: HashSet<u64> = log.dispatched.iter().filter(|sent| sent.depth == 0).map(|sent| sent.session).collect();
    assert_eq!(roots.len(), 10_000);
    assert!(log.dispatched.iter().all(|sent| sent.end.is_some_and(|(_, end)| end != RequestOutcome::CutOff)));
}
