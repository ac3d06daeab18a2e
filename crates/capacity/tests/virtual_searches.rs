//! Searches on simulated servers with a known capacity. `examples/coverage.rs` is the large version with many seeds.

#[path = "../testing/virtual_search.rs"]
mod virtual_search;

use aiperf_capacity::{
    CapacityPlanner, CapacityReport, LoadKind, Outcome, Reason, SearchAction, SearchBudget, SearchGoal,
    ServiceObjective, StabilityFinding, StepMeasurement, StepPurpose, StepRecord, StepState, VerificationVerdict,
};
use aiperf_queue_model::{KnownServer, Load};
use aiperf_seed::Seed;
use virtual_search::{goal, measure, search};

fn holds_the_truth(server: KnownServer, report: &CapacityReport) -> bool {
    report
        .estimate
        .is_some_and(|estimate| estimate.low <= server.rate_capacity() && server.rate_capacity() <= estimate.high)
}

/// How many searches at ±5 % with these seeds hold the truth, and how many report a capacity that is above it by more than 2 %.
fn held_and_overstated(servers: &[KnownServer], seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut held, mut overstated) = (0, 0);
    for &server in servers {
        for seed in seeds.clone() {
            let report = search(server, seed, LoadKind::Rate, 0.05);
            assert_eq!(report.outcome, Outcome::Found, "{} with seed {seed}", server.name());
            assert!(report.estimate.is_some_and(|estimate| estimate.precision() <= 0.05));
            let truth = server.rate_capacity();
            held += usize::from(holds_the_truth(server, &report));
            overstated += usize::from(report.estimate.is_some_and(|estimate| estimate.capacity > 1.02 * truth));
        }
    }
    (held, overstated)
}

#[test]
fn intervals_hold_the_true_rate_of_stable_servers() {
    let (held, overstated) = held_and_overstated(&KnownServer::STABLE, 100..108);
    assert!(held >= 21, "{held} of 24 intervals hold the truth");
    assert!(overstated <= 2, "{overstated} of 24 capacities are overstated");
}

#[test]
fn intervals_hold_the_true_rate_of_servers_on_which_nothing_was_chosen() {
    let (held, overstated) = held_and_overstated(&KnownServer::HOLD_OUT, 100..103);
    assert!(held >= 10, "{held} of 12 intervals hold the truth");
    assert!(overstated <= 1, "{overstated} of 12 capacities are overstated");
}

#[test]
fn a_search_for_users_needs_at_most_three_thousand_requests() {
    for server in [KnownServer::MM1, KnownServer::MD1, KnownServer::Batching] {
        for seed in 0..3 {
            let report = search(server, seed, LoadKind::Concurrency, 0.02);
            let users = f64::from(report.users.unwrap_or(0));
            let truth = f64::from(server.user_capacity());
            assert!((users - truth).abs() <= (0.02 * truth).max(1.0), "{}: {users}, not {truth}", server.name());
            assert!(report.requests <= 3_100, "{} requests", report.requests);
        }
    }
}

#[test]
fn the_lower_bound_is_verified_with_requests_that_the_estimate_has_not_seen() {
    let report = search(KnownServer::MM1, 1, LoadKind::Rate, 0.05);
    let (Some(verification), Some(estimate)) = (report.verification, report.estimate) else {
        panic!("a search that found the capacity verifies it");
    };
    assert!((verification.level.value() - estimate.low).abs() < 1e-3);
    assert!(verification.requests >= 1_000);
    assert_ne!(verification.verdict, VerificationVerdict::Violated);
    assert!(verification.goodput > 0.9 * estimate.low);
}

#[test]
fn drift_is_detected_and_ends_the_search() {
    let report = search(KnownServer::Drifting, 0, LoadKind::Rate, 0.03);
    assert_eq!(report.outcome, Outcome::Drifting);
    assert!(matches!(report.stability, StabilityFinding::Drift { change_per_hour, .. } if change_per_hour < 0.0));
}

#[test]
fn a_server_that_is_slow_at_low_load_is_detected_and_the_higher_limit_is_found() {
    for server in [KnownServer::PowerSaving, KnownServer::LightPowerSaving, KnownServer::SlowBand] {
        let report = search(server, 1, LoadKind::Rate, 0.05);
        assert!(report.non_monotone.is_some_and(|found| found.level < 8.0), "{}", server.name());
        assert!(holds_the_truth(server, &report), "{}: {:?}", server.name(), report.estimate);
    }
}

#[test]
fn a_server_that_warms_up_is_detected() {
    let found = |seed| {
        matches!(search(KnownServer::Warming, seed, LoadKind::Rate, 0.05).stability, StabilityFinding::Warming { .. })
    };
    let detected = (0..8).filter(|&seed| found(seed)).count();
    assert!(detected >= 6, "{detected} of 8");
}

#[test]
fn a_search_that_continues_from_its_stored_records_makes_the_same_decisions() {
    let server = KnownServer::MM1;
    let mut planner = CapacityPlanner::new(goal(server, LoadKind::Rate, 0.05));
    let mut session = server.start(Seed::fixed(5));
    let mut stored: Vec<String> = Vec::new();
    while let SearchAction::Measure(plan) = planner.next().action {
        let mut resumed = CapacityPlanner::new(goal(server, LoadKind::Rate, 0.05));
        for line in &stored {
            resumed.tell(serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")));
        }
        assert_eq!(resumed.next(), planner.next());
        let record = measure(&mut session, plan, server.objective());
        stored.push(serde_json::to_string(&record).unwrap_or_else(|error| panic!("{error}")));
        planner.tell(record);
    }
    assert!(stored.len() > 15);
}

#[test]
fn the_request_budget_ends_a_search_and_says_how_well_the_capacity_is_known() {
    let mut goal = goal(KnownServer::MM1, LoadKind::Rate, 0.01);
    goal.budget = SearchBudget { max_requests: 20_000, max_duration_s: 1e9 };
    let report = run(KnownServer::MM1, goal).1;
    assert_eq!(report.outcome, Outcome::BudgetUsed);
    assert!(report.requests <= 21_000, "{}", report.requests);
    assert!(report.estimate.is_some_and(|estimate| estimate.precision() > 0.01));
}

#[test]
fn levels_are_measured_again_only_if_that_is_a_small_part_of_the_time_budget() {
    // The first levels are 4 to 7 requests/s, so that 600 requests take 90 to 150 s.
    let repeats = |max_duration_s: f64| {
        let mut goal = goal(KnownServer::MM1, LoadKind::Rate, 0.05);
        goal.budget.max_duration_s = max_duration_s;
        let mut planner = CapacityPlanner::new(goal);
        let mut session = KnownServer::MM1.start(Seed::fixed(2));
        while let SearchAction::Measure(plan) = planner.next().action {
            planner.tell(measure(&mut session, plan, KnownServer::MM1.objective()));
        }
        planner.records().iter().filter(|record| record.plan.purpose == StepPurpose::Repeat).count()
    };
    assert_eq!((repeats(7_200.0), repeats(1_200.0)), (3, 0));
}

#[test]
fn a_limit_that_is_never_reached_gives_no_estimate() {
    let mut goal = goal(KnownServer::MM1, LoadKind::Rate, 0.05);
    goal.max_level = 5.0;
    let (reason, report) = run(KnownServer::MM1, goal);
    assert_eq!(report.outcome, Outcome::NeverViolated);
    assert!(matches!(reason, Reason::NeverViolated { level } if level <= 5.0));
    assert!(report.estimate.is_none());
}

/// Runs a search with a goal of its own.
fn run(server: KnownServer, goal: SearchGoal) -> (Reason, CapacityReport) {
    let mut planner = CapacityPlanner::new(goal);
    let mut session = server.start(Seed::fixed(2));
    loop {
        let decision = planner.next();
        assert!(!decision.reason.to_string().is_empty());
        match decision.action {
            SearchAction::Finish(report) => return (decision.reason, *report),
            SearchAction::Measure(plan) => planner.tell(measure(&mut session, plan, server.objective())),
        }
    }
}

#[test]
fn of_two_objectives_the_one_with_the_lower_capacity_binds() {
    // 0.5 s for 99 % of the requests allows 10.79 requests/s; 0.4 s for 90 % allows 14.24.
    let slo = |name: &str, allowed_share| ServiceObjective { name: name.to_owned(), allowed_share };
    let mut planner = CapacityPlanner::new(SearchGoal {
        slos: vec![slo("p90", 0.1), slo("p99", 0.01)],
        ..goal(KnownServer::MM1, LoadKind::Rate, 0.05)
    });
    let mut session = KnownServer::MM1.start(Seed::fixed(4));
    let report = loop {
        match planner.next().action {
            SearchAction::Finish(report) => break report,
            SearchAction::Measure(plan) => planner.tell(measure_two(&mut session, plan)),
        }
    };
    assert_eq!(report.binding_slo.as_deref(), Some("p99"));
    assert!(report.estimate.is_some_and(|estimate| (estimate.median / 10.79 - 1.0).abs() < 0.08));
}

fn measure_two(session: &mut aiperf_queue_model::VirtualSession, plan: aiperf_capacity::StepPlan) -> StepRecord {
    session.apply(match plan.level {
        aiperf_capacity::LoadLevel::Rate(requests_per_s) => Load::OpenLoop { requests_per_s },
        aiperf_capacity::LoadLevel::Concurrency(users) => Load::ClosedLoop { users },
    });
    let mut measurement = StepMeasurement::new(plan, 2, session.now_s());
    while measurement.state(session.now_s()) != StepState::Complete {
        let Some(request) = session.next_completed() else { break };
        let latency_s = request.finish_s - request.arrival_s;
        measurement.completed(request.arrival_s, request.finish_s, &[latency_s / 0.4, latency_s / 0.5]);
    }
    measurement.finish(session.now_s())
}
