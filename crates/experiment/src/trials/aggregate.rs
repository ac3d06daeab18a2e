//! Statistics over trials.

use aiperf_report::{AggregateMetric, RunSpread};
use aiperf_stats::distribution::student_t_quantile;

use super::figures::{Figures, statistics};

/// Every figure that at least one run has, over the runs that have it, in the order of the runs' summaries.
pub(crate) fn over_runs(runs: &[&Figures], level: f64) -> Vec<AggregateMetric> {
    let mut metrics: Vec<(AggregateMetric, Vec<f64>)> = Vec::new();
    for run in runs {
        for metric in &run.metrics {
            for (stat, value) in statistics(&metric.stats) {
                let known = metrics.iter_mut().find(|(known, _)| known.tag == metric.tag && known.stat == stat);
                if let Some((_, values)) = known {
                    values.push(value);
                } else {
                    let (tag, unit) = (metric.tag.to_string(), metric.unit.to_string());
                    let nothing = AggregateMetric { tag, unit, stat: stat.to_owned(), spread: RunSpread::of_one(0.0) };
                    metrics.push((nothing, vec![value]));
                }
            }
        }
    }
    let filled = metrics.into_iter().filter_map(|(metric, values)| {
        let spread = spread(&values, level)?;
        Some(AggregateMetric { spread, ..metric })
    });
    filled.collect()
}

/// The mean with its t interval; `None` without values.
pub(crate) fn spread(values: &[f64], level: f64) -> Option<RunSpread> {
    let (first, count) = (*values.first()?, values.len());
    if count == 1 {
        return Some(RunSpread::of_one(first));
    }
    let n = count as f64;
    let mean = values.iter().sum::<f64>() / n;
    let std = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    let se = std / n.sqrt();
    let t = student_t_quantile(f64::midpoint(1.0, level), n - 1.0);
    Some(RunSpread {
        runs: count,
        mean,
        std,
        min: values.iter().copied().fold(first, f64::min),
        max: values.iter().copied().fold(first, f64::max),
        cv: (mean != 0.0).then(|| std / mean),
        se,
        ci_low: mean - t * se,
        ci_high: mean + t * se,
        t_critical: Some(t),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_that_of_a_sample() {
        let spread = spread(&[1.0, 2.0, 3.0], 0.95).unwrap();
        assert!((spread.mean - 2.0).abs() < 1e-12 && (spread.std - 1.0).abs() < 1e-12);
        assert!((spread.t_critical.unwrap() - 4.302_652_729_749_464).abs() < 1e-9);
        assert!((spread.ci_high - (2.0 + 4.302_652_729_749_464 / 3.0_f64.sqrt())).abs() < 1e-9);
        assert_eq!(spread.cv, Some(0.5));
    }

    #[test]
    fn a_mean_of_nought_has_no_coefficient_of_variation() {
        assert_eq!(spread(&[0.0, 0.0], 0.95).unwrap().cv, None);
        assert_eq!(spread(&[0.0], 0.95).unwrap().cv, Some(0.0));
        assert_eq!(spread(&[], 0.95), None);
    }
}
