//! The last step of a search: the lower bound is applied once more, with requests that the estimate has not seen.

use serde::{Deserialize, Serialize};

use crate::design_effect::DesignEffect;
use crate::goal::ServiceObjective;
use crate::load_level::LoadLevel;
use crate::step::StepRecord;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerificationVerdict {
    /// The share of violations is within what the objective allows.
    Kept,
    /// The share is above what the objective allows, but not by more than chance explains.
    NotContradicted,
    /// The share is above what the objective allows, by more than chance explains.
    Violated,
}

/// How the lower bound did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    pub level: LoadLevel,
    pub requests: u64,
    pub slo: String,
    pub violation_share: f64,
    pub allowed_share: f64,
    pub verdict: VerificationVerdict,
    /// Requests per second that kept all objectives.
    pub goodput: f64,
}

pub(crate) fn verification(record: &StepRecord, slos: &[ServiceObjective], effects: &[DesignEffect]) -> Verification {
    let requests = record.counted().max(1.0);
    let share = |slo: usize| record.violation_count(slo) / requests;
    // The objective that comes closest to its limit, or exceeds it most.
    let worst = (0..slos.len())
        .max_by(|&a, &b| (share(a) / slos[a].allowed_share).total_cmp(&(share(b) / slos[b].allowed_share)))
        .unwrap_or(0);
    let allowed = slos[worst].allowed_share;
    let error = (effects[worst].value * allowed * (1.0 - allowed) / requests).sqrt();
    let verdict = if share(worst) <= allowed {
        VerificationVerdict::Kept
    } else if share(worst) - allowed <= 2.5 * error {
        VerificationVerdict::NotContradicted
    } else {
        VerificationVerdict::Violated
    };
    Verification {
        level: record.plan.level,
        requests: record.measured,
        slo: slos[worst].name.clone(),
        violation_share: share(worst),
        allowed_share: allowed,
        verdict,
        goodput: record.throughput * (1.0 - record.worst_share()),
    }
}
