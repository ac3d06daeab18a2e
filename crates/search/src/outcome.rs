//! What was measured at a point: its objectives, how far it is from each limit, and whether it keeps them.

use aiperf_config::{ConstraintOp, OutcomeConstraint, Pooling, SearchObjective, SearchSpec, SlaFilter, SlaOp};

/// The numbers of one successful trial.
pub trait TrialStatistics {
    /// One statistic of one metric, if it is finite.
    fn statistic(&self, metric: &str, stat: &str) -> Option<f64>;

    /// The values of all requests for one metric, if they were kept.
    fn values(&self, metric: &str) -> Option<&[f64]>;
}

/// The result of all trials of one point.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// One value for each objective; `None` if no trial has it.
    pub objectives: Vec<Option<f64>>,
    /// The mean over trials for each limit: those of the search, then those of its tiers.
    pub observed: Vec<Option<f64>>,
    /// At least one trial keeps all limits, or those of one tier.
    pub is_feasible: bool,
    /// For each tier: at least one trial keeps its limits.
    pub tiers: Vec<bool>,
    /// The mean over trials for each outcome constraint.
    pub constrained: Vec<Option<f64>>,
}

impl Outcome {
    /// Of these trials, which are those that succeeded.
    pub fn of(spec: &SearchSpec, trials: &[&dyn TrialStatistics]) -> Self {
        let observed =
            |filter: &SlaFilter| mean(trials.iter().map(|trial| trial.statistic(&filter.metric, &filter.stat)));
        let constrained: Vec<Option<f64>> = spec
            .outcome_constraints
            .iter()
            .map(|constraint| mean(trials.iter().map(|trial| trial.statistic(&constraint.metric, "avg"))))
            .collect();
        let keeps_constraints = spec
            .outcome_constraints
            .iter()
            .zip(&constrained)
            .all(|(constraint, value)| value.is_some_and(|value| violation(constraint, value) <= 0.0));
        let tiers: Vec<bool> =
            spec.sla_tiers.iter().map(|tier| !trials.is_empty() && keeps(trials, &tier.filters)).collect();
        Self {
            objectives: spec
                .objectives
                .iter()
                .map(|objective| self::objective(objective, spec.pooling, trials))
                .collect(),
            observed: spec.all_filters().map(observed).collect(),
            is_feasible: !trials.is_empty()
                && keeps(trials, &spec.sla_filters)
                && keeps_constraints
                && (tiers.is_empty() || tiers.contains(&true)),
            tiers,
            constrained,
        }
    }

    /// All objectives, if all were measured.
    pub(crate) fn all_objectives(&self) -> Option<Vec<f64>> {
        self.objectives.iter().copied().collect()
    }

    /// How far the point is from each limit and constraint: positive is a violation. `None`: one was not measured.
    pub(crate) fn violations(&self, spec: &SearchSpec) -> Option<Vec<f64>> {
        let filters =
            spec.sla_filters.iter().zip(&self.observed).map(|(filter, value)| Some(margin(filter, (*value)?)));
        let constraints = spec
            .outcome_constraints
            .iter()
            .zip(&self.constrained)
            .map(|(constraint, value)| Some(violation(constraint, (*value)?)));
        filters.chain(constraints).collect()
    }
}

/// How far a value is beyond a limit; negative if it keeps the limit.
pub(crate) fn margin(filter: &SlaFilter, value: f64) -> f64 {
    match filter.op {
        SlaOp::Lt | SlaOp::Le => value - filter.threshold,
        SlaOp::Gt | SlaOp::Ge => filter.threshold - value,
    }
}

fn violation(constraint: &OutcomeConstraint, value: f64) -> f64 {
    match constraint.op {
        ConstraintOp::AtMost => value - constraint.bound,
        ConstraintOp::AtLeast => constraint.bound - value,
        ConstraintOp::Equal => (value - constraint.bound).abs(),
    }
}

/// Whether one of the trials keeps all limits. No limits are always kept.
fn keeps(trials: &[&dyn TrialStatistics], filters: &[SlaFilter]) -> bool {
    let keeps_all = |trial: &&dyn TrialStatistics| {
        filters.iter().all(|filter| filter.passes(trial.statistic(&filter.metric, &filter.stat)))
    };
    filters.is_empty() || trials.iter().any(keeps_all)
}

fn objective(objective: &SearchObjective, pooling: Pooling, trials: &[&dyn TrialStatistics]) -> Option<f64> {
    let percentile = objective.stat.strip_prefix('p').and_then(|percent| percent.parse::<f64>().ok());
    if let (Pooling::Pooled, Some(percent)) = (pooling, percentile) {
        let mut all: Vec<f64> =
            trials.iter().filter_map(|trial| trial.values(&objective.metric)).flatten().copied().collect();
        all.sort_by(f64::total_cmp);
        return aiperf_stats::linear(&all, percent / 100.0);
    }
    mean(trials.iter().map(|trial| trial.statistic(&objective.metric, &objective.stat)))
}

/// The mean of the values that are there.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0);
    for value in values.flatten().filter(|value| value.is_finite()) {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}
