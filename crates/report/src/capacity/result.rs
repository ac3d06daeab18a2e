//! `capacity.json`: what a search for a capacity found, and how.

use std::fs;
use std::path::Path;

use aiperf_capacity::{CapacityEstimate, CapacityReport, Decision, Outcome, StepPlan, StepPurpose, StepRecord};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ReportError;
use crate::folder::write_durably;

const SCHEMA_VERSION: &str = "1.0";

/// The whole file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapacityFile {
    pub schema_version: String,
    pub aiperf_version: String,
    pub goal: CapacityGoal,
    /// `requests/s` or `users`.
    pub unit: String,
    /// The capacity; `None` if the objectives are violated at every load, or kept at every load.
    pub capacity: Option<CapacityInterval>,
    /// Why the search ended.
    pub reason: String,
    pub warnings: Vec<CapacityWarning>,
    pub report: CapacityReport,
    pub decisions: Vec<CapacityDecision>,
}

/// What was searched for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapacityGoal {
    pub of: String,
    pub slos: Vec<CapacitySloLimit>,
    /// Half the width of the interval that was asked for, as a share of the capacity.
    pub precision: f64,
    pub max_requests: Option<u64>,
    pub max_duration_s: f64,
}

/// One objective.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapacitySloLimit {
    /// As the report and the decisions call it.
    pub name: String,
    pub metric: String,
    pub percentile: f64,
    pub limit: f64,
    pub unit: String,
    pub allowed_share: f64,
}

/// A capacity with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CapacityInterval {
    pub estimate: f64,
    pub low: f64,
    pub high: f64,
    /// Half the width of the interval as a share of the estimate.
    pub precision: f64,
}

impl CapacityInterval {
    /// As many digits as are the same after they were written and read again.
    pub fn of(low: f64, estimate: f64, high: f64) -> Self {
        let rounded = |value: f64| (value * 1e6).round() / 1e6;
        let precision = rounded((high - low) / 2.0 / estimate);
        Self { estimate: rounded(estimate), low: rounded(low), high: rounded(high), precision }
    }

    /// The interval of an estimate. Numbers of users are whole.
    pub fn new(estimate: &CapacityEstimate, users: Option<u32>) -> Self {
        let known = Self::of(estimate.low, estimate.median, estimate.high);
        match users.map(f64::from) {
            Some(users) => Self {
                estimate: users,
                low: known.low.floor().max(1.0).min(users),
                high: known.high.ceil().max(users),
                ..known
            },
            None => known,
        }
    }
}

/// Something that the reader of the result must know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapacityWarning {
    pub code: String,
    pub text: String,
}

/// One decision of the search, and what its step gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapacityDecision {
    /// From 1.
    pub step: usize,
    /// The load to apply and why; `None` for the decision to end.
    pub plan: Option<StepPlan>,
    pub reason: Value,
    pub sentence: String,
    /// What was known when it was made.
    pub known: Option<CapacityInterval>,
    /// What the search still needed, as it seemed then.
    pub requests_left: Option<u64>,
    pub seconds_left: Option<f64>,
    pub measured: Option<StepResult>,
}

/// What a step gave, without its blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepResult {
    pub started_s: f64,
    pub ended_s: f64,
    pub sent: u64,
    pub requests: u64,
    pub throughput: f64,
    pub mean_latency_s: f64,
    pub overloaded: bool,
    /// For each objective.
    pub violation_shares: Vec<f64>,
}

impl CapacityDecision {
    pub fn new(step: usize, decision: &Decision, known: Option<CapacityInterval>) -> Self {
        let plan = match &decision.action {
            aiperf_capacity::SearchAction::Measure(plan) => Some(*plan),
            aiperf_capacity::SearchAction::Finish(_) => None,
        };
        Self {
            step,
            plan,
            reason: serde_json::to_value(&decision.reason).unwrap_or_default(),
            sentence: decision.reason.to_string(),
            known,
            requests_left: decision.requests_left,
            seconds_left: decision.seconds_left,
            measured: None,
        }
    }

    /// Adds what the step gave.
    pub fn complete(&mut self, record: &StepRecord) {
        let counted = record.counted().max(1.0);
        self.measured = Some(StepResult {
            started_s: record.started_s,
            ended_s: record.ended_s,
            sent: record.sent,
            requests: record.measured,
            throughput: record.throughput,
            mean_latency_s: record.mean_latency_s,
            overloaded: record.overloaded,
            violation_shares: (0..record.violations.len()).map(|slo| record.violation_count(slo) / counted).collect(),
        });
    }
}

impl CapacityFile {
    pub fn schema_version() -> String {
        SCHEMA_VERSION.to_owned()
    }

    pub fn write(&self, path: &Path) -> Result<(), ReportError> {
        let text = serde_json::to_vec_pretty(self).unwrap_or_default();
        write_durably(path, &text)
    }

    /// The file at this path; an error says what is wrong with it.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        serde_json::from_slice(&text)
            .map_err(|error| format!("{} is not the result of a capacity search: {error}", path.display()))
    }

    /// Whether the search came to its end by itself.
    pub fn is_complete(&self) -> bool {
        self.report.outcome != Outcome::Interrupted
    }

    /// Requests per second that kept all objectives at the capacity: those of the verification, which was made there.
    pub fn goodput(&self) -> Option<f64> {
        self.report.verification.as_ref().map(|verification| verification.goodput)
    }

    /// What was measured at each load, in rising order. The closed loop before a search for a rate, and steps that let a queue drain,
    /// are not part of it.
    pub fn curve(&self) -> Vec<(f64, &StepResult)> {
        let measured = |decision: &'_ CapacityDecision| {
            let plan = decision.plan?;
            let counts = !matches!(plan.purpose, StepPurpose::Throughput | StepPurpose::Recover);
            counts.then(|| plan.level.value())
        };
        let points =
            self.decisions.iter().filter_map(|decision| Some((measured(decision)?, decision.measured.as_ref()?)));
        let mut points: Vec<(f64, &StepResult)> = points.filter(|(_, result)| result.requests > 0).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    }

    /// The objective that limits the load.
    pub fn binding(&self) -> Option<&CapacitySloLimit> {
        let name = self.report.binding_slo.as_ref()?;
        self.goal.slos.iter().find(|slo| slo.name == *name)
    }
}
