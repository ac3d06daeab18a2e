//! The result of a search.

use serde::{Deserialize, Serialize};

use crate::assessment::{Assessment, CapacityEstimate};
use crate::design_effect::DesignEffect;
use crate::goal::{LoadKind, SearchGoal};
use crate::load_level::LoadLevel;
use crate::monotonicity::NonMonotone;
use crate::stability::StabilityFinding;
use crate::step::{StepPurpose, StepRecord};
use crate::verification::{Verification, verification};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The interval is as narrow as was asked.
    Found,
    /// A budget ended the search before that.
    BudgetUsed,
    /// The capacity changes during the search.
    Drifting,
    /// The objectives are violated at every load.
    AlwaysViolated,
    /// The objectives are kept at every load that may be applied.
    NeverViolated,
    /// Somebody ended the search.
    Interrupted,
}

/// What was measured at one load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    pub level: LoadLevel,
    pub requests: u64,
    pub throughput: f64,
    pub mean_latency_s: f64,
    /// For each objective.
    pub violation_shares: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapacityReport {
    pub outcome: Outcome,
    /// `None` if the objectives are violated at every load, or kept at every load.
    pub estimate: Option<CapacityEstimate>,
    /// For a number of users: the most users that keep the objectives.
    pub users: Option<u32>,
    /// The objective with the lowest capacity.
    pub binding_slo: Option<String>,
    pub verification: Option<Verification>,
    pub stability: StabilityFinding,
    pub non_monotone: Option<NonMonotone>,
    pub design_effect: Option<DesignEffect>,
    pub relaxation_s: f64,
    /// All requests that were sent.
    pub requests: u64,
    pub duration_s: f64,
    pub curve: Vec<CurvePoint>,
}

impl CapacityReport {
    pub(crate) fn new(
        outcome: Outcome,
        goal: &SearchGoal,
        records: &[StepRecord],
        assessment: Option<&Assessment>,
    ) -> Self {
        let known = !matches!(outcome, Outcome::AlwaysViolated | Outcome::NeverViolated);
        let estimate = assessment.filter(|_| known).map(|assessment| assessment.estimate);
        let verified = records.iter().rfind(|record| record.plan.purpose == StepPurpose::Verify);
        let users =
            estimate.filter(|_| goal.kind == LoadKind::Concurrency).map(|estimate| estimate.median.floor() as u32);
        Self {
            outcome,
            users,
            binding_slo: estimate.map(|estimate| goal.slos[estimate.binding].name.clone()),
            verification: assessment
                .zip(verified)
                .map(|(assessment, record)| verification(record, &goal.slos, &assessment.effects)),
            stability: assessment.map_or(StabilityFinding::Stable, |assessment| assessment.stability),
            non_monotone: assessment.and_then(|assessment| assessment.non_monotone),
            design_effect: estimate.zip(assessment).map(|(estimate, assessment)| assessment.effects[estimate.binding]),
            relaxation_s: assessment.map_or(0.0, |assessment| assessment.relaxation_s),
            estimate,
            requests: records.iter().map(|record| record.sent).sum(),
            duration_s: records.last().map_or(0.0, |record| record.ended_s)
                - records.first().map_or(0.0, |r| r.started_s),
            curve: curve(records),
        }
    }
}

/// One point for each load, in rising order. The closed loop that seeds a rate search is not part of it.
fn curve(records: &[StepRecord]) -> Vec<CurvePoint> {
    let mut points: Vec<(f64, CurvePoint)> = Vec::new();
    for record in records.iter().filter(|record| record.plan.purpose != StepPurpose::Throughput) {
        let requests = record.counted().max(1.0);
        points.push((
            record.plan.level.value(),
            CurvePoint {
                level: record.plan.level,
                requests: record.measured,
                throughput: record.throughput,
                mean_latency_s: record.mean_latency_s,
                violation_shares: (0..record.violations.len())
                    .map(|slo| record.violation_count(slo) / requests)
                    .collect(),
            },
        ));
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points.into_iter().map(|point| point.1).collect()
}
