//! The requests of all trials as one population.

use aiperf_metrics::{Metric, Stats};
use aiperf_report::{CollatedMetric, RunMean};

/// The values of one run, metric by metric.
pub(crate) type RequestValues = Vec<(Metric, Vec<f64>)>;

/// `runs`: label and values of each.
pub(crate) fn over_runs(runs: &[(&str, &RequestValues)]) -> Vec<CollatedMetric> {
    let mut metrics: Vec<Metric> = Vec::new();
    for (metric, _) in runs.iter().flat_map(|(_, values)| values.iter()) {
        if !metrics.contains(metric) {
            metrics.push(*metric);
        }
    }
    metrics.into_iter().filter_map(|metric| collate(metric, runs)).collect()
}

fn collate(metric: Metric, runs: &[(&str, &RequestValues)]) -> Option<CollatedMetric> {
    let of = |values: &RequestValues| -> Vec<f64> {
        values.iter().find(|(known, _)| *known == metric).map(|(_, values)| values.clone()).unwrap_or_default()
    };
    let mut pooled = Vec::new();
    let mut means = Vec::new();
    for (label, values) in runs {
        let values = of(values);
        if let Some(mean) = mean(&values) {
            means.push(RunMean { label: (*label).to_owned(), mean, count: values.len() });
        }
        pooled.extend(values);
    }
    let mean = mean(&pooled)?;
    let count = pooled.len();
    let squares: f64 = pooled.iter().map(|value| (value - mean).powi(2)).sum();
    let std = if count > 1 { (squares / (count - 1) as f64).sqrt() } else { 0.0 };
    let percentiles = Stats::percentiles_of(pooled, &[50.0, 90.0, 95.0, 99.0])?;
    let percentiles = <[f64; 4]>::try_from(percentiles).ok()?;
    Some(CollatedMetric { tag: metric.tag().to_owned(), mean, std, percentiles, count, runs: means })
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_all_runs_are_one_population() {
        let first = vec![(Metric::RequestLatency, vec![1.0, 2.0])];
        let second = vec![(Metric::RequestLatency, vec![6.0])];
        let metrics = over_runs(&[("run_0001", &first), ("run_0002", &second)]);
        let [metric] = &metrics[..] else { panic!("{metrics:?}") };
        assert_eq!((metric.mean, metric.count, metric.percentiles[0]), (3.0, 3, 2.0));
        assert!((metric.std - 7.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(metric.runs.iter().map(|run| run.mean).collect::<Vec<_>>(), [1.5, 6.0]);
    }
}
