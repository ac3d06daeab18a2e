//! Searches on a virtual server: the controller sees what it would see of a run.

use std::path::Path;

use aiperf_capacity::{CapacityPlanner, Outcome, SearchAction, StepPlan};
use aiperf_clock::{Mono, WallAnchor};
use aiperf_config::{Arrival, CapacityOf, CapacitySlo, Pace};
use aiperf_engine::LoadInForce;
use aiperf_metrics::MetricContext;
use aiperf_protocol::{EndpointKind, RequestOutcome};
use aiperf_queue_model::{KnownServer, Load, VirtualSession};
use aiperf_report::{ArtifactPaths, CapacityFile};
use aiperf_seed::Seed;
use tempfile::TempDir;

use super::*;
use crate::{LiveSample, LoadController, LoadDecision, LoadView};

const BEGAN: Mono = Mono::from_nanos(5_000_000_000);

fn at(seconds: f64) -> Mono {
    Mono::from_nanos(BEGAN.as_nanos() + (seconds * 1e9) as u64)
}

fn search(of: CapacityOf, max_requests: Option<u64>) -> CapacitySearch {
    CapacitySearch {
        of,
        slos: vec![CapacitySlo { metric: "request_latency".to_owned(), percentile: 99.0, limit: 500.0 }],
        precision: 0.2,
        max_requests,
        max_duration: Duration::from_secs(1_000_000),
        max_users: None,
        arrival: Arrival::Poisson,
        resumes: false,
    }
}

/// A controller with its history in a folder, as a run makes it.
fn controller(dir: &Path, search: &CapacitySearch) -> (CapacityController, LoadLevel) {
    let context = MetricContext::new(EndpointKind::Chat, true);
    let (goal, slos) = goal::of(search, &context).unwrap();
    let shown = goal::shown(search, &slos);
    let stored = serde_json::to_value(&goal).unwrap();
    let paths = ArtifactPaths::new(dir, None);
    let (history, steps) = if search.resumes {
        CapacityHistory::resume(&paths.capacity_history(), &stored).unwrap()
    } else {
        (CapacityHistory::create(&paths.capacity_history(), "0", stored).unwrap(), Vec::new())
    };
    let mut planner = CapacityPlanner::new(goal);
    for step in &steps {
        planner.tell(step.record.clone());
    }
    let first = match planner.next().action {
        SearchAction::Measure(plan) => engine_level(plan.level, search),
        SearchAction::Finish(_) => LoadLevel::Users(1),
    };
    let objectives = slos.into_iter().map(|slo| slo.objective).collect();
    let decisions = steps.into_iter().map(|step| step.decision).collect();
    (CapacityController::new(planner, search.clone(), shown, objectives, history, decisions, &paths, "0"), first)
}

/// A phase on virtual time.
struct VirtualPhase {
    session: VirtualSession,
    controller: Box<CapacityController>,
    load: LoadInForce,
    anchor: WallAnchor,
    sent: u64,
    returned: u64,
}

impl VirtualPhase {
    fn begin(dir: &Path, search: &CapacitySearch, seed: u64) -> Self {
        let (controller, first) = controller(dir, search);
        let mut session = KnownServer::MD1.start(Seed::fixed(seed));
        apply(&mut session, first);
        let load = LoadInForce { phase: 0, level: first, since: BEGAN, changes: 0 };
        let mut phase =
            Self { session, controller: Box::new(controller), load, anchor: WallAnchor::take(), sent: 0, returned: 0 };
        phase.ask(&[], None, false);
        phase
    }

    fn ask(&mut self, samples: &[LiveSample], sending_ended: Option<Mono>, is_last: bool) -> LoadDecision {
        let now = at(self.session.now_s());
        self.sent += self.session.take_sent().count() as u64;
        let decision = self.controller.decide(&LoadView {
            samples,
            began: BEGAN,
            now,
            settled: now,
            load: self.load,
            sent: self.sent,
            returned: self.returned,
            sending_ended,
            is_last,
            anchor: &self.anchor,
        });
        if let LoadDecision::Set(level) = decision {
            apply(&mut self.session, level);
            self.load = LoadInForce { phase: 0, level, since: now, changes: self.load.changes + 1 };
        }
        decision
    }

    /// Goes on until the search ends or this many requests have returned; true if it ended.
    fn run(&mut self, most: u64) -> bool {
        while self.returned < most {
            let Some(request) = self.session.next_completed() else { return false };
            self.returned += 1;
            let sample = LiveSample {
                due: at(request.arrival_s),
                start: at(request.arrival_s),
                end: at(request.finish_s),
                outcome: RequestOutcome::Success,
                values: vec![Some((request.finish_s - request.arrival_s) * 1e9)],
            };
            if matches!(self.ask(&[sample], None, false), LoadDecision::End(_)) {
                self.finish();
                return true;
            }
        }
        false
    }

    fn finish(&mut self) {
        let ended = at(self.session.now_s());
        self.ask(&[], Some(ended), true);
    }
}

fn apply(session: &mut VirtualSession, level: LoadLevel) {
    session.apply(match level {
        LoadLevel::Users(users) => Load::ClosedLoop { users: users as u32 },
        LoadLevel::Rate { per_second, .. } => Load::OpenLoop { requests_per_s: per_second },
        LoadLevel::PacedUsers { .. } => panic!("a search has no paced users"),
    });
}

fn plans(dir: &Path) -> Vec<StepPlan> {
    let steps = CapacityHistory::read(&ArtifactPaths::new(dir, None).capacity_history()).unwrap();
    steps.iter().map(|step| step.record.plan).collect()
}

#[test]
fn a_search_finds_the_users_of_a_server_and_writes_its_decisions() {
    let dir = TempDir::new().unwrap();
    let mut phase = VirtualPhase::begin(dir.path(), &search(CapacityOf::Users, Some(3_000)), 1);
    assert!(phase.run(10_000));
    let report = phase.controller.report();
    assert_eq!(report.files.len(), 2);
    let file = CapacityFile::read(&ArtifactPaths::new(dir.path(), None).capacity()).unwrap();
    let users = file.capacity.unwrap().estimate;
    assert!((users - f64::from(KnownServer::MD1.user_capacity())).abs() <= 1.0, "{users} users");
    assert_eq!(file.unit, "users");
    assert!(file.is_complete() && file.decisions.iter().rev().skip(1).all(|decision| decision.measured.is_some()));
    assert_eq!(file.binding().unwrap().name, "request_latency p99");
}

#[test]
fn a_killed_search_continues_with_the_point_that_its_twin_asks_for() {
    for (of, most) in [(CapacityOf::Users, Some(3_000)), (CapacityOf::Rate, Some(12_000))] {
        let search = search(of, most);
        let whole = TempDir::new().unwrap();
        let mut twin = VirtualPhase::begin(whole.path(), &search, 3);
        assert!(twin.run(1_000_000));
        let (expected, all) = (plans(whole.path()), twin.returned);
        let mut instants = Seed::fixed(20).stream("instants");
        for _ in 0..20 {
            let dir = TempDir::new().unwrap();
            let instant = instants.next_u64() % all;
            assert!(!VirtualPhase::begin(dir.path(), &search, 3).run(instant));
            // The kill may have come in the middle of a line.
            let history = ArtifactPaths::new(dir.path(), None).capacity_history();
            let mut text = std::fs::read(&history).unwrap();
            text.extend_from_slice(b"{\"decision\": {\"ste");
            std::fs::write(&history, text).unwrap();
            let done = plans(dir.path());
            assert_eq!(done[..], expected[..done.len()], "killed after {instant} requests");
            let (mut resumed, _) = controller(dir.path(), &CapacitySearch { resumes: true, ..search.clone() });
            resumed.follow();
            let next = resumed.step.as_ref().map(|step| step.plan);
            assert_eq!(next, expected.get(done.len()).copied(), "killed after {instant} requests");
        }
    }
}

#[test]
fn a_search_that_is_cut_short_says_what_is_known() {
    let dir = TempDir::new().unwrap();
    let mut phase = VirtualPhase::begin(dir.path(), &search(CapacityOf::Rate, Some(1_000_000)), 2);
    assert!(!phase.run(8_000));
    let steps = plans(dir.path()).len();
    phase.finish();
    let report = phase.controller.report();
    assert!(report.unmet.is_none());
    let file = CapacityFile::read(&ArtifactPaths::new(dir.path(), None).capacity()).unwrap();
    assert_eq!(file.report.outcome, Outcome::Interrupted);
    assert!(file.reason.contains("interrupted"), "{}", file.reason);
    assert!(file.capacity.is_some() && !file.is_complete());
    assert_eq!(plans(dir.path()).len(), steps, "the step that was cut short is made again");
}

#[test]
fn the_phase_of_a_search_begins_with_one_user() {
    let dir = TempDir::new().unwrap();
    let (_, first) = controller(dir.path(), &search(CapacityOf::Rate, None));
    assert_eq!(Pace::Controlled(first), Pace::Controlled(LoadLevel::Users(1)));
}
