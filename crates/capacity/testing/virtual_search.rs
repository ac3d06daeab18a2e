//! Searches on the virtual time of `aiperf-queue-model`.

use aiperf_capacity::{
    CapacityPlanner, CapacityReport, LoadKind, LoadLevel, SearchAction, SearchBudget, SearchGoal, ServiceObjective,
    StepMeasurement, StepPlan, StepRecord, StepState,
};
use aiperf_queue_model::{KnownServer, Load, Objective, VirtualSession};
use aiperf_seed::Seed;

/// The goal of a search on a server with one objective.
pub(crate) fn goal(server: KnownServer, kind: LoadKind, precision: f64) -> SearchGoal {
    let max_requests = match kind {
        LoadKind::Rate => 1_000_000,
        LoadKind::Concurrency => 3_000,
    };
    SearchGoal {
        kind,
        slos: vec![ServiceObjective { name: "latency".to_owned(), allowed_share: server.objective().allowed_share }],
        precision,
        budget: SearchBudget { max_requests, max_duration_s: 1e9 },
        max_level: 4_096.0,
    }
}

/// Runs a search to its end.
pub(crate) fn search(server: KnownServer, seed: u64, kind: LoadKind, precision: f64) -> CapacityReport {
    let mut planner = CapacityPlanner::new(goal(server, kind, precision));
    let mut session = server.start(Seed::fixed(seed));
    loop {
        match planner.next().action {
            SearchAction::Finish(report) => return *report,
            SearchAction::Measure(plan) => planner.tell(measure(&mut session, plan, server.objective())),
        }
    }
}

/// Makes one step.
pub(crate) fn measure(session: &mut VirtualSession, plan: StepPlan, objective: Objective) -> StepRecord {
    session.take_sent();
    session.apply(match plan.level {
        LoadLevel::Rate(requests_per_s) => Load::OpenLoop { requests_per_s },
        LoadLevel::Concurrency(users) => Load::ClosedLoop { users },
    });
    let mut measurement = StepMeasurement::new(plan, 1, session.now_s());
    while measurement.state(session.now_s()) != StepState::Complete {
        let Some(request) = session.next_completed() else { break };
        session.take_sent().for_each(|_| measurement.sent());
        measurement.completed(request.arrival_s, request.finish_s, &[objective.ratio(&request)]);
    }
    measurement.finish(session.now_s())
}
