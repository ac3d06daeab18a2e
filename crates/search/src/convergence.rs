//! Rules that end a model-based search before its last point: no improvement for a while, or equal values.

use aiperf_config::SearchSpec;

use crate::planner::EndReason;
use crate::{Outcome, pareto};

/// Whether the points that were told so far, in order, end the search.
pub(crate) fn end(spec: &SearchSpec, outcomes: &[Outcome]) -> Option<EndReason> {
    if outcomes.len() <= spec.initial_points {
        return None;
    }
    if since_improvement(spec, outcomes).is_some_and(|points| points >= spec.improvement_patience) {
        return Some(EndReason::ImprovementPatience);
    }
    (spec.objectives.len() == 1 && is_plateau(spec, outcomes)).then_some(EndReason::PlateauCv)
}

/// Points since the last one that was better than all before it. `None` before the first feasible point: a search that has
/// found nothing goes on.
fn since_improvement(spec: &SearchSpec, outcomes: &[Outcome]) -> Option<usize> {
    let mut front: Vec<Vec<f64>> = Vec::new();
    let mut last = None;
    for (index, outcome) in outcomes.iter().enumerate() {
        let Some(values) = outcome.all_objectives().filter(|_| outcome.is_feasible) else { continue };
        let gains = pareto::gains(spec, &values);
        if !front.iter().any(|other| pareto::is_as_good(other, &gains)) {
            front.retain(|other| !pareto::dominates(&gains, other));
            front.push(gains);
            last = Some(index);
        }
    }
    last.map(|index| outcomes.len() - 1 - index)
}

/// Whether the last values of the objective hardly differ.
fn is_plateau(spec: &SearchSpec, outcomes: &[Outcome]) -> bool {
    let window = spec.plateau_window;
    if window < 2 || outcomes.len() < window {
        return false;
    }
    let last = outcomes[outcomes.len() - window..].iter().map(|outcome| outcome.objectives.first().copied().flatten());
    let Some(values) = last.collect::<Option<Vec<f64>>>() else { return false };
    let mean = values.iter().sum::<f64>() / window as f64;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (window - 1) as f64;
    mean != 0.0 && variance.sqrt() / mean.abs() < spec.plateau_threshold
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{outcome, spec};

    #[test]
    fn a_search_ends_after_its_patience_without_an_improvement() {
        let mut spec = spec(30);
        spec.improvement_patience = 3;
        let values = [1.0, 5.0, 2.0, 9.0, 3.0, 4.0];
        let outcomes: Vec<Outcome> = values.iter().map(|value| outcome(*value, true)).collect();
        assert_eq!(end(&spec, &outcomes), None);
        let more: Vec<Outcome> = outcomes.iter().cloned().chain([outcome(8.0, true)]).collect();
        assert_eq!(end(&spec, &more), Some(EndReason::ImprovementPatience));
    }

    #[test]
    fn equal_values_are_a_plateau_and_points_that_break_a_limit_are_not_an_improvement() {
        let spec = spec(30);
        let flat: Vec<Outcome> = (0..8).map(|index| outcome(100.0 + f64::from(index) * 0.01, true)).collect();
        assert_eq!(end(&spec, &flat), Some(EndReason::PlateauCv));
        let broken: Vec<Outcome> = (0..20).map(|index| outcome(f64::from(index), false)).collect();
        assert_eq!(end(&spec, &broken), None, "nothing feasible was found");
    }
}
