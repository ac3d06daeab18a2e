//! The histograms of all requests so far.

use aiperf_metrics::{Metric, MetricKind};
use aiperf_protocol::PhaseKind;

use super::CountedTime;
use super::histogram::BucketHistogram;
use super::instrument::{Instrument, InstrumentName};
use crate::described::CommonAttributes;
use crate::message::{AggregationTemporality, KeyValue, MetricData, OtlpHistogram, OtlpMetric};
use crate::request::MeasuredCall;

/// One histogram for each metric and each kind of request.
#[derive(Debug)]
pub(crate) struct RequestHistograms {
    instruments: Vec<(Metric, Instrument)>,
    series: Vec<(RequestGroup, Vec<Option<BucketHistogram>>)>,
}

/// Requests whose values are counted together. Workers and record threads are not distinguished: each would multiply the series, and
/// none says anything about the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RequestGroup {
    phase: PhaseKind,
    was_cancelled: bool,
    error: Option<&'static str>,
}

impl RequestHistograms {
    pub(crate) fn new() -> Self {
        let of_requests = |metric: &&Metric| {
            let kind = metric.definition().kind;
            matches!(kind, MetricKind::Record | MetricKind::RecordList) || **metric == Metric::GoodRequestCount
        };
        let instruments = Metric::ALL.iter().filter(of_requests);
        let instruments =
            instruments.flat_map(|metric| Instrument::of(*metric).into_iter().map(|instrument| (*metric, instrument)));
        Self { instruments: instruments.collect(), series: Vec::new() }
    }

    pub(crate) fn note(&mut self, call: &MeasuredCall) {
        let group = RequestGroup { phase: call.phase, was_cancelled: call.was_cancelled, error: call.error };
        let known = self.series.iter().position(|(known, _)| *known == group);
        let place = known.unwrap_or_else(|| {
            self.series.push((group, vec![None; self.instruments.len()]));
            self.series.len() - 1
        });
        let histograms = &mut self.series[place].1;
        let context = &call.context;
        for ((metric, instrument), histogram) in self.instruments.iter().zip(histograms) {
            let mut note = |value: f64| {
                histogram
                    .get_or_insert_with(|| BucketHistogram::new(instrument.bounds))
                    .note(value * instrument.factor);
            };
            match metric {
                // A failed request has no latency, but the conventions want its duration.
                Metric::RequestLatency if call.error.is_some() => note(call.duration_ns as f64),
                Metric::InterChunkLatency if context.metrics.contains(metric) => {
                    call.values.gaps().iter().for_each(|gap| note(*gap as f64));
                }
                _ if context.metrics.contains(metric) => {
                    if let Some(value) = call.values.get(*metric, &context.context) {
                        note(value);
                    }
                }
                _ => {}
            }
        }
    }

    /// One metric for each name that has values.
    pub(crate) fn metrics(&self, interval: CountedTime, common: &CommonAttributes) -> Vec<OtlpMetric> {
        let mut metrics: Vec<OtlpMetric> = Vec::new();
        for (index, (_, instrument)) in self.instruments.iter().enumerate() {
            let points: Vec<_> = self
                .series
                .iter()
                .filter_map(|(group, histograms)| {
                    let attributes = group.attributes(instrument, common);
                    Some(histograms[index].as_ref()?.point(interval.start_ns, interval.now_ns, attributes))
                })
                .collect();
            if points.is_empty() {
                continue;
            }
            let name = instrument.name.whole();
            // Input and output tokens are points of one metric.
            if let Some(MetricData::Histogram(same)) =
                metrics.iter_mut().find(|metric| metric.name == name).and_then(|metric| metric.data.as_mut())
            {
                same.points.extend(points);
                continue;
            }
            metrics.push(OtlpMetric {
                name,
                description: instrument.description.to_owned(),
                unit: instrument.unit.to_owned(),
                data: Some(MetricData::Histogram(OtlpHistogram {
                    points,
                    temporality: AggregationTemporality::Cumulative as i32,
                })),
            });
        }
        metrics
    }
}

impl RequestGroup {
    fn attributes(&self, instrument: &Instrument, common: &CommonAttributes) -> Vec<KeyValue> {
        let mut attributes = vec![
            KeyValue::text("aiperf.benchmark_phase", self.phase.name()),
            KeyValue::truth("aiperf.was_cancelled", self.was_cancelled),
            KeyValue::truth("aiperf.has_error", self.error.is_some()),
        ];
        if matches!(instrument.name, InstrumentName::GenAi(_)) {
            attributes.extend(common.gen_ai.iter().cloned());
            attributes.extend(self.error.map(|error| KeyValue::text("error.type", error)));
        }
        attributes.extend(instrument.token_type.map(|kind| KeyValue::text("gen_ai.token.type", kind.name())));
        attributes
    }
}
