//! The search for a capacity within one run: applies the load that the planner of `aiperf-capacity` asks for, counts violations of
//! the finished requests, and keeps the history and the result.

mod controller;
mod goal;
mod outcome;
mod running_step;
#[cfg(test)]
mod tests;

pub(crate) use controller::CapacityController;
pub use goal::typical_requests;

use std::time::Duration;

use aiperf_capacity::{CapacityPlanner, LoadLevel as SearchLevel, SearchAction};
use aiperf_config::{CapacitySearch, LoadLevel, Pace};
use aiperf_report::CapacityHistory;

use crate::error::RunError;
use crate::run::Run;

/// The load of a step, as the engine takes it.
fn engine_level(level: SearchLevel, search: &CapacitySearch) -> LoadLevel {
    match level {
        SearchLevel::Rate(per_second) => LoadLevel::Rate { per_second, arrival: search.arrival, ceiling: None },
        SearchLevel::Concurrency(users) => LoadLevel::Users(users as usize),
    }
}

/// What the part of a search before this run took of its budget.
#[derive(Debug, Clone, Copy)]
struct EarlierUse {
    requests: u64,
    seconds: f64,
}

impl EarlierUse {
    fn of(planner: &CapacityPlanner) -> Self {
        Self {
            requests: planner.records().iter().map(|record| record.sent).sum(),
            seconds: planner.records().last().map_or(0.0, |record| record.ended_s),
        }
    }
}

impl Run {
    /// Gives the profiling phase its controller, if the run searches for a capacity. The folder of the run is there and is ours.
    pub(crate) fn begin_capacity_search(&mut self, version: &str) -> Result<(), RunError> {
        let Some(search) = self.config.capacity.clone() else { return Ok(()) };
        let Some(phase) = self.phases.iter().position(|phase| matches!(phase.pace, Pace::Controlled(_))) else {
            return Ok(());
        };
        let (goal, slos) = goal::of(&search, &self.contexts[phase])?;
        let shown = goal::shown(&search, &slos);
        let stored = serde_json::to_value(&goal).unwrap_or_default();
        let path = self.paths.capacity_history();
        let (history, steps) = if search.resumes && path.exists() {
            CapacityHistory::resume(&path, &stored)?
        } else {
            (CapacityHistory::create(&path, version, stored)?, Vec::new())
        };
        let mut planner = CapacityPlanner::new(goal);
        for step in &steps {
            planner.tell(step.record.clone());
        }
        let used = EarlierUse::of(&planner);
        let stop = &mut self.phases[phase].stop;
        stop.requests = stop.requests.map(|most| most.saturating_sub(used.requests).max(1));
        stop.duration = stop.duration.map(|most| most.saturating_sub(Duration::from_secs_f64(used.seconds)));
        if let SearchAction::Measure(plan) = planner.next().action {
            self.phases[phase].pace = Pace::Controlled(engine_level(plan.level, &search));
        }
        match steps.len() {
            0 => log::info!("{}", goal::forecast(&search)),
            kept => log::info!("The search continues after {kept} steps of the earlier command"),
        }
        let objectives = slos.into_iter().map(|slo| slo.objective).collect();
        let decisions = steps.into_iter().map(|step| step.decision).collect();
        let controller =
            CapacityController::new(planner, search, shown, objectives, history, decisions, &self.paths, version);
        self.control_load(phase, Box::new(controller));
        Ok(())
    }
}
