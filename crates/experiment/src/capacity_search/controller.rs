//! Applies the decisions of the planner to the running phase.

use std::path::PathBuf;
use std::sync::Arc;

use aiperf_capacity::{
    CapacityPlanner, CapacityReport, Decision, LoadLevel as SearchLevel, Outcome, Reason, SearchAction, StepPlan,
    StepPurpose, three_digits,
};
use aiperf_config::CapacitySearch;
use aiperf_live::{CapacityProgress, TriedLoad};
use aiperf_metrics::{Metric, Slo};
use aiperf_report::{
    ArtifactPaths, CapacityDecision, CapacityGoal, CapacityHistory, CapacityInterval, HistoryStep, WrittenFile,
};

use super::running_step::{FinishedQueue, RunningStep};
use super::{EarlierUse, engine_level, outcome};
use crate::watch::load_control::{LoadController, LoadDecision, LoadReport, LoadView};

/// A step that was cut short counts in the result from this many requests on.
const LEAST_OF_A_CUT_STEP: u64 = 50;

/// Searches for a capacity while a phase runs.
#[derive(Debug)]
pub(crate) struct CapacityController {
    planner: CapacityPlanner,
    search: CapacitySearch,
    goal: CapacityGoal,
    queue: FinishedQueue,
    history: CapacityHistory,
    decisions: Vec<CapacityDecision>,
    pub(super) step: Option<RunningStep>,
    earlier: EarlierUse,
    /// Requests of this run sent until the end of the last step.
    sent_before: u64,
    /// How often the load was set.
    changes: u64,
    end: Option<SearchEnd>,
    note: Option<String>,
    progress: Arc<CapacityProgress>,
    path: PathBuf,
    history_path: PathBuf,
    version: String,
}

/// How the search ended.
#[derive(Debug)]
struct SearchEnd {
    report: CapacityReport,
    reason: String,
}

impl CapacityController {
    #[expect(clippy::too_many_arguments, reason = "called in one place, with what it keeps")]
    pub(super) fn new(
        planner: CapacityPlanner,
        search: CapacitySearch,
        goal: CapacityGoal,
        objectives: Vec<Slo>,
        history: CapacityHistory,
        decisions: Vec<CapacityDecision>,
        paths: &ArtifactPaths,
        version: &str,
    ) -> Self {
        let earlier = EarlierUse::of(&planner);
        Self {
            planner,
            search,
            goal,
            queue: FinishedQueue::new(objectives, earlier.seconds),
            history,
            decisions,
            step: None,
            earlier,
            sent_before: 0,
            changes: 0,
            end: None,
            note: None,
            progress: Arc::default(),
            path: paths.capacity(),
            history_path: paths.capacity_history(),
            version: version.to_owned(),
        }
    }

    /// Asks the planner what to do, and begins it.
    pub(super) fn follow(&mut self) -> LoadDecision {
        let decision = self.planner.next();
        let known = interval(&decision.reason);
        self.decisions.push(CapacityDecision::new(self.decisions.len() + 1, &decision, known));
        let reason = decision.reason.to_string();
        log::info!("Step {}: {reason}", self.decisions.len());
        self.note = Some(note(&decision, known, outcome::unit(self.search.of)));
        self.progress = Arc::new(self.picture(&decision, known));
        match decision.action {
            SearchAction::Measure(plan) => {
                self.step = Some(RunningStep::new(plan, self.changes));
                LoadDecision::Set(engine_level(plan.level, &self.search))
            }
            SearchAction::Finish(report) => {
                self.end = Some(SearchEnd { report: *report, reason: reason.clone() });
                LoadDecision::End(reason)
            }
        }
    }

    fn picture(&self, decision: &Decision, known: Option<CapacityInterval>) -> CapacityProgress {
        let known = known.or_else(|| self.decisions.iter().rev().find_map(|decision| decision.known));
        let allowed = self.goal.slos.iter().map(|slo| slo.allowed_share).fold(1.0, f64::min);
        let counts = |plan: &StepPlan| !matches!(plan.purpose, StepPurpose::Throughput | StepPurpose::Recover);
        let tried = self.decisions.iter().filter_map(|decision| {
            let (plan, result) = (decision.plan.filter(counts)?, decision.measured.as_ref()?);
            let violations = result.violation_shares.iter().copied().fold(0.0, f64::max);
            Some(TriedLoad { load: plan.level.value(), requests: result.requests, violations, allowed })
        });
        CapacityProgress {
            unit: outcome::unit(self.search.of),
            step: self.decisions.len(),
            load: decision.level().map_or_else(String::new, |level| level.to_string()),
            reason: decision.reason.to_string(),
            estimate: known.map(|known| known.estimate),
            low: known.map(|known| known.low),
            high: known.map(|known| known.high),
            requests_left: decision.requests_left,
            seconds_left: decision.seconds_left,
            tried: tried.collect(),
        }
    }

    /// Keeps what the step gave. A history that cannot be written ends the search: it could not be continued.
    fn complete_step(&mut self, view: &LoadView<'_>) -> LoadDecision {
        let ended_s = self.queue.seconds(view.settled, view.began);
        let sent = view.sent.saturating_sub(self.sent_before);
        let Some(record) = self.step.take().and_then(|step| step.finish(sent, ended_s)) else {
            return LoadDecision::Keep;
        };
        self.sent_before = view.sent;
        let Some(mut decision) = self.decisions.pop() else { return LoadDecision::Keep };
        decision.complete(&record);
        log::info!(
            "Step {}: {}: {} requests, {} % violations",
            decision.step,
            record.plan.level,
            record.measured,
            three_digits(record.worst_share() * 100.0)
        );
        let step = HistoryStep { decision, record };
        let written = self.history.append(&step);
        self.planner.tell(step.record);
        self.decisions.push(step.decision);
        if let Err(error) = written {
            log::error!("The search ends, because its history cannot be kept: {error}");
            self.end_here(Outcome::Interrupted, format!("The history cannot be written: {error}"));
            return LoadDecision::End("the history of the search cannot be written".to_owned());
        }
        self.changes += 1;
        self.follow()
    }

    fn end_here(&mut self, outcome: Outcome, reason: String) {
        self.end = Some(SearchEnd { report: self.planner.report_so_far(outcome), reason });
    }

    /// The phase ended before the search did: a budget, Ctrl-C, or a server that is gone.
    fn cut_short(&mut self, view: &LoadView<'_>) {
        let ended_s = self.queue.seconds(view.sending_ended.unwrap_or(view.now), view.began);
        let sent = view.sent.saturating_sub(self.sent_before);
        let worth = self.step.as_ref().is_some_and(|step| step.measured() >= LEAST_OF_A_CUT_STEP);
        if let Some(record) = self.step.take().filter(|_| worth).and_then(|step| step.finish(sent, ended_s)) {
            if let Some(decision) = self.decisions.last_mut() {
                decision.complete(&record);
            }
            self.planner.tell(record);
        } else {
            // Nothing came of it.
            self.decisions.pop();
        }
        let seconds = self.search.max_duration.as_secs_f64();
        let in_time = self.queue.seconds(view.sending_ended.unwrap_or(view.now), view.began) < seconds - 0.05;
        let in_count = self.search.max_requests.is_none_or(|most| self.earlier.requests + view.sent < most);
        let precision = self.planner.assessment().map(|known| known.estimate.precision() * 100.0);
        let known = precision.map_or_else(
            || "the capacity is not known yet".to_owned(),
            |percent| format!("the capacity is known to ±{} %", three_digits(percent)),
        );
        let (outcome, why) = match (in_time, in_count) {
            (false, _) => (Outcome::BudgetUsed, "The time budget is used"),
            (_, false) => (Outcome::BudgetUsed, "The request budget is used"),
            _ => (Outcome::Interrupted, "The search was interrupted"),
        };
        self.end_here(outcome, format!("{why}; {known}."));
    }
}

/// What was known when a decision was made. Its reason says so; the assessment behind it takes too long to be made twice.
fn interval(reason: &Reason) -> Option<CapacityInterval> {
    match *reason {
        Reason::RefineAbove { low, median, high } | Reason::RefineBelow { low, median, high } => {
            Some(CapacityInterval::of(low, median, high))
        }
        _ => None,
    }
}

/// The state of the search for a progress line.
fn note(decision: &Decision, known: Option<CapacityInterval>, unit: &str) -> String {
    let level = decision.level().map(|level: SearchLevel| format!("at {level}"));
    let known = known.map(|known| {
        format!(
            "capacity {} {unit} ({} to {})",
            three_digits(known.estimate),
            three_digits(known.low),
            three_digits(known.high)
        )
    });
    let left = decision
        .requests_left
        .zip(decision.seconds_left)
        .map(|(requests, seconds)| format!("about {requests} requests and {:.0} min left", (seconds / 60.0).ceil()));
    [level, known, left].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

impl LoadController for CapacityController {
    fn metrics(&self) -> Vec<Metric> {
        self.queue.objectives().iter().map(Slo::metric).collect()
    }

    fn decide(&mut self, view: &LoadView<'_>) -> LoadDecision {
        self.queue.add(view.samples);
        if self.end.is_some() {
            return LoadDecision::Keep;
        }
        if view.sending_ended.is_some() || view.is_last {
            if view.is_last {
                if let Some(step) = &mut self.step {
                    step.advance(&mut self.queue, &view.load, view.began, view.now);
                }
                self.cut_short(view);
            }
            return LoadDecision::Keep;
        }
        let Some(step) = &mut self.step else {
            // The phase began with the load of the first step.
            return match self.follow() {
                LoadDecision::Set(_) => LoadDecision::Keep,
                other => other,
            };
        };
        if step.advance(&mut self.queue, &view.load, view.began, view.settled) {
            return self.complete_step(view);
        }
        LoadDecision::Keep
    }

    fn note(&self) -> Option<String> {
        self.note.clone()
    }

    fn capacity(&self) -> Option<Arc<CapacityProgress>> {
        Some(Arc::clone(&self.progress))
    }

    fn report(self: Box<Self>) -> LoadReport {
        let Some(SearchEnd { report, reason }) = self.end else { return LoadReport::default() };
        let late_share = self.queue.late as f64 / self.queue.open_loop.max(1) as f64;
        let unmet = (report.outcome == Outcome::AlwaysViolated).then(|| {
            "the objectives are violated at the lowest load: this server has no capacity within them".to_owned()
        });
        let file = outcome::file(&self.goal, self.search.of, report, reason, self.decisions, late_share, &self.version);
        let mut files = vec![WrittenFile { label: "Capacity History".to_owned(), path: self.history_path }];
        match file.write(&self.path) {
            Ok(()) => files.insert(0, WrittenFile { label: "Capacity JSON".to_owned(), path: self.path }),
            Err(error) => log::error!("{error}"),
        }
        LoadReport { section: Some(("capacity", outcome::section(&file))), unmet, remarks: Vec::new(), files }
    }
}
