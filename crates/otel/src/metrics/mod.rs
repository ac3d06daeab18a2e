//! Metrics of a run in OTLP: histograms of requests, counters of phases, gauges of servers and GPUs. All count from the start of
//! the run, so that a post that fails loses nothing: the next one has it too.

mod buckets;
mod gauges;
mod histogram;
mod histograms;
mod instrument;
mod timing;

pub(crate) use gauges::gauges;
pub(crate) use histograms::RequestHistograms;
pub(crate) use timing::timing;

use crate::message::{AggregationTemporality, KeyValue, MetricData, NumberPoint, NumberValue, OtlpMetric, OtlpSum};

/// When the counting began, and now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CountedTime {
    pub(crate) start_ns: u64,
    pub(crate) now_ns: u64,
}

impl CountedTime {
    fn number(self, value: NumberValue, attributes: Vec<KeyValue>) -> NumberPoint {
        NumberPoint { start_ns: self.start_ns, time_ns: self.now_ns, attributes, value: Some(value) }
    }
}

fn sum(name: &str, unit: &str, description: &str, is_monotonic: bool, points: Vec<NumberPoint>) -> OtlpMetric {
    OtlpMetric {
        name: name.to_owned(),
        description: description.to_owned(),
        unit: unit.to_owned(),
        data: Some(MetricData::Sum(OtlpSum {
            points,
            temporality: AggregationTemporality::Cumulative as i32,
            is_monotonic,
        })),
    }
}
