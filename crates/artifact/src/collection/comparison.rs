//! Comparisons and gates: the outcome of the whole follows from its rows.

use std::path::Path;

use serde_json::Value;

use super::aggregate::listed;
use super::{CollectionCheck, differ};
use crate::schema::Shape;

impl CollectionCheck<'_> {
    pub(super) fn comparison(&mut self, path: &Path) {
        let Some(comparison) = self.json(path, Shape::Comparison) else { return };
        let mut problems = Vec::new();
        for (place, candidate) in listed(&comparison["comparisons"]).enumerate() {
            for (row, metric) in listed(&candidate["metrics"]).enumerate() {
                let at = format!("/comparisons/{place}/metrics/{row}");
                problems.extend(wrong_row(metric).map(|why| format!("{at}: {why}")));
            }
        }
        problems.extend(wrong_outcome(&comparison));
        self.find_some(path, problems);
    }
}

fn wrong_row(row: &Value) -> Option<String> {
    let change = &row["change"];
    let number = |value: &Value| value.as_f64();
    if let (Some(low), Some(high)) = (number(&change["low"]), number(&change["high"]))
        && low > high
    {
        return Some(format!("the interval goes from {low} down to {high}"));
    }
    let (baseline, candidate) = (number(&row["baseline"])?, number(&row["candidate"])?);
    let absolute = number(&change["absolute"])?;
    let room = super::SAME * baseline.abs().max(candidate.abs());
    let is_off = differ(absolute, candidate - baseline) && (absolute - (candidate - baseline)).abs() > room;
    is_off.then(|| format!("/change/absolute is {absolute}, {candidate} less {baseline} is expected"))
}

/// A regression in any row is one of the whole; what cannot be told comes next.
fn wrong_outcome(comparison: &Value) -> Option<String> {
    let gate = comparison.get("gate")?;
    let rows = listed(&comparison["comparisons"]).flat_map(|candidate| listed(&candidate["metrics"]));
    let outcomes: Vec<&str> = rows.filter_map(|row| row["gate"].as_str()).collect();
    let outcome = ["regression", "cannot tell"].into_iter().find(|outcome| outcomes.contains(outcome));
    let outcome = outcome.unwrap_or("pass");
    if gate["outcome"] != outcome {
        return Some(format!("/gate/outcome is {}, its rows make it {outcome:?}", gate["outcome"]));
    }
    let code = match outcome {
        "regression" => 2,
        "cannot tell" if gate["on_unclear"] == "fail" => 3,
        _ => 0,
    };
    (gate["exit_code"] != code).then(|| format!("/gate/exit_code is {}, {code} is expected", gate["exit_code"]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_worst_row_decides() {
        let rows = |outcomes: &[&str]| -> Value { outcomes.iter().map(|gate| json!({"gate": gate})).collect() };
        let gate = |outcome: &str, code: u8, outcomes: &[&str]| {
            let gate = json!({"outcome": outcome, "on_unclear": "fail", "exit_code": code});
            wrong_outcome(&json!({"comparisons": [{"metrics": rows(outcomes)}], "gate": gate}))
        };
        assert_eq!(gate("regression", 2, &["pass", "cannot tell", "regression"]), None);
        assert!(gate("pass", 0, &["pass", "regression"]).unwrap().contains("\"regression\""));
        assert!(gate("cannot tell", 0, &["cannot tell"]).unwrap().contains("3 is expected"));
        assert_eq!(wrong_outcome(&json!({"comparisons": []})), None);
    }

    #[test]
    fn a_change_is_the_difference_of_its_sides() {
        let row = |absolute: f64| json!({"baseline": 2.0, "candidate": 3.0, "change": {"absolute": absolute}});
        assert_eq!(wrong_row(&row(1.0)), None);
        assert!(wrong_row(&row(1.5)).is_some());
        assert!(wrong_row(&json!({"change": {"low": 2, "high": 1}})).is_some());
    }
}
