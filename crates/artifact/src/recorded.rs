//! Values as the records have them, if they are not what the facts of the record give: other tools define some
//! metrics otherwise, and what they wrote down is what they said.

use std::collections::{BTreeSet, HashMap};

use aiperf_metrics::{Level, Metric, MetricContext, MetricKind, MetricResult, RecordValues, Summary};

use crate::line::{LineMetrics, RecordedValue};

/// A larger difference does not come from rounding.
const SAME: f64 = 1e-9;

/// Metrics whose recorded values are to be taken as they are.
#[derive(Debug, Default)]
pub(crate) struct AsRecorded {
    metrics: BTreeSet<Metric>,
    values: HashMap<Metric, Vec<EndedValue>>,
}

/// A value of a request that ended at this time.
#[derive(Debug, Clone, Copy)]
struct EndedValue {
    end_ns: u64,
    value: f64,
}

impl AsRecorded {
    pub(crate) fn is_empty(&self) -> bool {
        self.metrics.is_empty()
    }

    /// Compares what a record says with what follows from it.
    pub(crate) fn compare(&mut self, recorded: &LineMetrics, values: &RecordValues, fields: &RecordFields) {
        for metric in &fields.metrics {
            let derived = values.get(*metric, &fields.context).map(|value| metric.definition().show(value));
            if !same(derived, recorded.number(*metric)) {
                self.metrics.insert(*metric);
            }
        }
        for (metric, value) in recorded.known() {
            let of_record = metric.definition().kind == MetricKind::Record && matches!(value, RecordedValue::One(_));
            if of_record && !fields.is_compared[*metric as usize] {
                self.metrics.insert(*metric);
            }
        }
    }

    /// On a second reading, when it is known which metrics are meant.
    pub(crate) fn collect(&mut self, end_ns: u64, recorded: &LineMetrics) {
        for metric in &self.metrics {
            if let Some(value) = recorded.number(*metric) {
                self.values.entry(*metric).or_default().push(EndedValue { end_ns, value });
            }
        }
    }

    /// Metrics that another phase takes as recorded, which is summarised together with this one.
    pub(crate) fn add_metrics(&mut self, other: &Self) {
        self.metrics.extend(&other.metrics);
    }

    /// The values of a phase that ended later.
    pub(crate) fn join(&mut self, next: Self) {
        self.metrics.extend(next.metrics);
        for (metric, values) in next.values {
            self.values.entry(metric).or_default().extend(values);
        }
    }

    /// Values in the order in which requests ended. Lines of a file are only nearly in that order.
    pub(crate) fn values(&self, metric: Metric) -> Option<Vec<f64>> {
        let mut values = self.values.get(&metric)?.clone();
        values.sort_by(|one, other| one.end_ns.cmp(&other.end_ns).then(one.value.total_cmp(&other.value)));
        Some(values.into_iter().map(|ended| ended.value).collect())
    }

    pub(crate) fn apply(&self, summary: &mut Summary, level: Option<Level>) {
        summary.results.retain(|result| !self.metrics.contains(&result.metric));
        for metric in self.values.keys() {
            let values = self.values(*metric).unwrap_or_default();
            if let Some(result) = MetricResult::of(*metric, &values, level) {
                let place = summary.results.partition_point(|result| result.metric < *metric);
                summary.results.insert(place, result);
            }
        }
    }
}

/// The metrics that each record of a phase has a value of, as far as it has their inputs.
#[derive(Debug)]
pub(crate) struct RecordFields {
    pub(crate) context: MetricContext,
    metrics: Vec<Metric>,
    /// For each metric of the catalogue whether it is one of them.
    is_compared: [bool; Metric::ALL.len()],
}

impl RecordFields {
    pub(crate) fn of(context: MetricContext) -> Self {
        // Lists come back whole; what is good depends on who asks.
        let compared = |metric: &Metric| metric.definition().kind == MetricKind::Record;
        let metrics: Vec<Metric> = context.record_metrics().into_iter().filter(compared).collect();
        let mut is_compared = [false; Metric::ALL.len()];
        for metric in &metrics {
            is_compared[*metric as usize] = true;
        }
        Self { context, metrics, is_compared }
    }
}

fn same(derived: Option<f64>, recorded: Option<f64>) -> bool {
    match (derived, recorded) {
        (Some(derived), Some(recorded)) => (derived - recorded).abs() <= SAME * derived.abs().max(recorded.abs()),
        (derived, recorded) => derived.is_none() && recorded.is_none(),
    }
}
