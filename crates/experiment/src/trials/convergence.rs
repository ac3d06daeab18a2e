//! Whether the trials have converged (`--convergence-metric`).

use aiperf_config::{Convergence, ConvergenceMode, Experiment};
use aiperf_metrics::{Metric, MetricKind};
use aiperf_report::Settled;
use aiperf_stats::same_distribution;

use super::aggregate::spread;
use crate::error::RunError;
use crate::prepare::settings;

/// Whether the rule can watch what it names. A metric that runs of this kind do not have is worth a warning: all runs are
/// made, and none of them ends the series early.
pub(crate) fn check(rule: &Convergence, experiment: &Experiment) -> Result<(), RunError> {
    let refuse = |reason: String| Err(RunError::Convergence { metric: rule.metric.clone(), reason });
    let Some(metric) = Metric::from_tag(&rule.metric) else {
        return refuse(format!("no metric has this name; {}", Metric::advice(&rule.metric, |_| true)));
    };
    for cell in &experiment.cells {
        let context = settings::metric_context(&cell.config, cell.config.phases.profiling())?;
        if !context.shows(metric) {
            let facts = context.endpoint.facts();
            let streaming = if context.streaming { " with streaming" } else { " without streaming" };
            log::warn!(
                "--convergence-metric {}: runs of endpoint type {}{streaming} do not have this metric; all {} runs will be made",
                rule.metric,
                facts.name,
                experiment.trials.count
            );
            return Ok(());
        }
    }
    let kind = metric.definition().kind;
    let of_requests = matches!(kind, MetricKind::Record | MetricKind::RecordList);
    if rule.mode == ConvergenceMode::Distribution && !of_requests {
        let why = "the metric is one number per run, but --convergence-mode distribution compares values of requests; use cv or ci_width";
        return refuse(why.to_owned());
    }
    if matches!(kind, MetricKind::Aggregate | MetricKind::Derived) && rule.stat.name() != "avg" {
        return refuse(format!(
            "the metric is one number per run and has no {}; omit --convergence-stat",
            rule.stat.name()
        ));
    }
    Ok(())
}

/// What one trial has to say to the rule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TrialFigures<'a> {
    /// The statistic that is watched.
    pub(crate) figure: Option<f64>,
    /// All values of the metric.
    pub(crate) values: &'a [f64],
}

/// Why trials never settle when no run has the metric.
const METRIC_ABSENT: &str = "not converged: metric absent";

impl TrialFigures<'_> {
    /// Whether the trial has nothing of the metric.
    fn is_absent(&self) -> bool {
        self.figure.is_none() && self.values.is_empty()
    }
}

/// What the rule says of the trials so far, those that failed left out.
pub(crate) fn evaluate(rule: &Convergence, level: f64, most_runs: u32, trials: &[TrialFigures<'_>]) -> Settled {
    let value = if trials.len() < rule.min_runs { None } else { measure(rule, level, trials) };
    let converged = value.is_some_and(|value| match rule.mode {
        ConvergenceMode::CiWidth | ConvergenceMode::Cv => value < rule.threshold,
        ConvergenceMode::Distribution => value > rule.threshold,
    });
    Settled {
        metric: rule.metric.clone(),
        stat: (rule.mode != ConvergenceMode::Distribution).then(|| rule.stat.name().to_owned()),
        mode: rule.mode.name().to_owned(),
        threshold: rule.threshold,
        converged,
        reason: (!trials.is_empty() && trials.iter().all(TrialFigures::is_absent)).then(|| METRIC_ABSENT.to_owned()),
        value,
        most_runs,
    }
}

/// The value that is compared with the threshold. `None` where a trial lacks the figure, or if the mean is zero and the value is not.
fn measure(rule: &Convergence, level: f64, trials: &[TrialFigures<'_>]) -> Option<f64> {
    if rule.mode == ConvergenceMode::Distribution {
        let (last, earlier) = trials.split_last()?;
        let pooled: Vec<f64> = earlier.iter().flat_map(|trial| trial.values).copied().collect();
        return same_distribution(&pooled, last.values);
    }
    let figures: Vec<f64> = trials.iter().map(|trial| trial.figure).collect::<Option<_>>()?;
    let spread = spread(&figures, level)?;
    let width = match rule.mode {
        ConvergenceMode::CiWidth => spread.ci_high - spread.ci_low,
        _ => spread.std,
    };
    if width == 0.0 {
        return Some(0.0);
    }
    (spread.mean != 0.0).then(|| width / spread.mean.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(mode: &str, threshold: f64) -> Convergence {
        let words = [
            ("--model", "m".to_owned()),
            ("--num-profile-runs", "9".to_owned()),
            ("--convergence-metric", "request_latency".to_owned()),
            ("--convergence-mode", mode.to_owned()),
            ("--convergence-threshold", threshold.to_string()),
        ];
        let mut raw = aiperf_options::RawOptions::default();
        for (name, value) in words {
            let mut options = aiperf_options::catalogue::options();
            let spec = options.find(|spec| spec.long.iter().any(|long| name == format!("--{long}"))).unwrap();
            raw.push(spec.id, name, vec![value]);
        }
        let experiment = raw.resolve_experiment(&aiperf_config::Environment::default()).unwrap();
        experiment.trials.convergence.unwrap()
    }

    fn figures(values: &[f64]) -> Vec<TrialFigures<'static>> {
        values.iter().map(|value| TrialFigures { figure: Some(*value), values: &[] }).collect()
    }

    #[test]
    fn one_trial_is_never_enough() {
        assert!(!evaluate(&rule("cv", 0.9), 0.95, 9, &figures(&[5.0])).converged);
        assert!(evaluate(&rule("cv", 0.9), 0.95, 9, &figures(&[5.0, 5.0])).converged);
    }

    #[test]
    fn the_coefficient_of_variation_must_fall_below_the_threshold() {
        // Standard deviation 1, mean 10.
        let trials = figures(&[9.0, 10.0, 11.0]);
        assert!(evaluate(&rule("cv", 0.11), 0.95, 9, &trials).converged);
        let settled = evaluate(&rule("cv", 0.09), 0.95, 9, &trials);
        assert!(!settled.converged && (settled.value.unwrap() - 0.1).abs() < 1e-12);
    }

    #[test]
    fn the_width_of_the_interval_is_held_against_the_mean() {
        // 2 * 4.3027 * 1 / sqrt(3) / 10 = 0.4968.
        let trials = figures(&[9.0, 10.0, 11.0]);
        assert!(evaluate(&rule("ci_width", 0.5), 0.95, 9, &trials).converged);
        assert!(!evaluate(&rule("ci_width", 0.49), 0.95, 9, &trials).converged);
        assert!(evaluate(&rule("ci_width", 0.49), 0.90, 9, &trials).converged, "a lower level has a narrower interval");
    }

    #[test]
    fn the_last_distribution_is_held_against_all_earlier_ones() {
        let near: Vec<f64> = (0..40).map(f64::from).collect();
        let far: Vec<f64> = near.iter().map(|value| value + 60.0).collect();
        let trial = |values| TrialFigures { figure: None, values };
        assert!(evaluate(&rule("distribution", 0.05), 0.95, 9, &[trial(&near[..]), trial(&near)]).converged);
        let settled = evaluate(&rule("distribution", 0.05), 0.95, 9, &[trial(&near[..]), trial(&near), trial(&far)]);
        assert!(!settled.converged && settled.stat.is_none());
    }

    #[test]
    fn a_metric_that_no_run_has_is_said_to_be_absent() {
        let none = TrialFigures { figure: None, values: &[] };
        let settled = evaluate(&rule("cv", 0.9), 0.95, 9, &[none, none]);
        assert_eq!((settled.converged, settled.reason.as_deref()), (false, Some("not converged: metric absent")));
        assert_eq!(evaluate(&rule("cv", 0.9), 0.95, 9, &figures(&[5.0, 7.0])).reason, None);
    }

    #[test]
    fn a_figure_that_a_trial_lacks_settles_nothing() {
        let trials = [TrialFigures { figure: Some(1.0), values: &[] }, TrialFigures { figure: None, values: &[] }];
        assert!(!evaluate(&rule("cv", 0.9), 0.95, 9, &trials).converged);
        assert!(!evaluate(&rule("cv", 0.9), 0.95, 9, &figures(&[-1.0, 1.0])).converged);
    }
}
