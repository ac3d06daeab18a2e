//! R17 and R18: the search for a capacity, from `capacity.json`. Null if the run is not a search.

use aiperf_artifact::Folder;
use aiperf_report::{CapacityDecision, CapacityFile};
use serde_json::{Value, json};

pub(crate) fn json(folder: &Folder) -> Value {
    let Ok(file) = CapacityFile::read(&folder.paths().capacity()) else { return Value::Null };
    let report = &file.report;
    let points = file.curve();
    let curve = points
        .iter()
        .map(|(level, point)| json!({"level": level, "requests": point.requests, "shares": point.violation_shares}));
    json!({
        "unit": file.unit,
        "interval": file.capacity,
        "median": report.estimate.map(|estimate| estimate.median),
        "slope": report.estimate.map(|estimate| estimate.slope),
        "binding": report.estimate.map(|estimate| estimate.binding),
        "slos": file.goal.slos,
        "reason": file.reason,
        "verification": report.verification,
        "warnings": file.warnings,
        "curve": curve.collect::<Vec<_>>(),
        "decisions": file.decisions.iter().map(decision).collect::<Vec<_>>(),
    })
}

fn decision(decision: &CapacityDecision) -> Value {
    json!({
        "step": decision.step,
        "sentence": decision.sentence,
        "load": decision.plan.map(|plan| plan.level.to_string()),
        "purpose": decision.plan.map(|plan| plan.purpose),
        "known": decision.known,
        "measured": decision.measured,
    })
}
