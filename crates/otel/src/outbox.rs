//! What is to be sent: the histograms of all requests so far, and the spans that were not sent yet.

use std::collections::VecDeque;

use aiperf_config::{OtelConfig, OtelStreams};
use aiperf_live::Snapshot;
use prost::Message;

use crate::described::{CommonAttributes, DescribedRun};
use crate::message::{
    MetricsRequest, OtlpMetric, OtlpSpan, ResourceMetrics, ResourceSpans, ScopeMetrics, ScopeSpans, TracesRequest,
};
use crate::metrics::{CountedTime, RequestHistograms, gauges, timing};
use crate::request::MeasuredCall;

#[derive(Debug)]
pub(crate) struct Outbox {
    streams: OtelStreams,
    common: CommonAttributes,
    histograms: RequestHistograms,
    spans: VecDeque<OtlpSpan>,
    /// Most spans that wait.
    room: usize,
    pub(crate) dropped_spans: u64,
    start_ns: u64,
}

impl Outbox {
    pub(crate) fn new(run: &DescribedRun, config: &OtelConfig, room: usize, start_ns: u64) -> Self {
        Self {
            streams: config.streams,
            common: CommonAttributes::new(run, config),
            histograms: RequestHistograms::new(),
            spans: VecDeque::new(),
            room,
            dropped_spans: 0,
            start_ns,
        }
    }

    pub(crate) fn take_over(&mut self, call: &MeasuredCall) {
        if self.streams.metrics {
            self.histograms.note(call);
        }
        if let Some(span) = call.span.as_ref().and_then(|facts| facts.span(call, &self.common)) {
            self.spans.push_back(span);
            self.keep_room();
        }
    }

    pub(crate) fn waiting_spans(&self) -> usize {
        self.spans.len()
    }

    /// The body of a post of all metrics; `None` if there are none.
    pub(crate) fn metrics(&self, snapshot: &Snapshot, now_ns: u64) -> Option<Vec<u8>> {
        let interval = CountedTime { start_ns: self.start_ns, now_ns };
        let mut metrics: Vec<OtlpMetric> = Vec::new();
        if self.streams.metrics {
            metrics.extend(self.histograms.metrics(interval, &self.common));
            metrics.extend(gauges(snapshot, interval));
        }
        if self.streams.timing {
            metrics.extend(timing(snapshot, interval, &self.common));
        }
        if metrics.is_empty() {
            return None;
        }
        let request = MetricsRequest {
            resource_metrics: vec![ResourceMetrics {
                resource: Some(self.common.resource(&snapshot.benchmark_id)),
                scope_metrics: vec![ScopeMetrics { scope: Some(self.common.scope()), metrics }],
            }],
        };
        Some(request.encode_to_vec())
    }

    /// Takes up to `most` of the oldest spans out.
    pub(crate) fn take_spans(&mut self, most: usize) -> Vec<OtlpSpan> {
        let count = most.min(self.spans.len());
        self.spans.drain(..count).collect()
    }

    /// Spans of a post that failed wait again, as far as there is room.
    pub(crate) fn put_back(&mut self, spans: Vec<OtlpSpan>) {
        spans.into_iter().rev().for_each(|span| self.spans.push_front(span));
        self.keep_room();
    }

    /// The body of a post of these spans.
    pub(crate) fn traces(&self, spans: &[OtlpSpan], benchmark_id: &str) -> Vec<u8> {
        let request = TracesRequest {
            resource_spans: vec![ResourceSpans {
                resource: Some(self.common.resource(benchmark_id)),
                scope_spans: vec![ScopeSpans { scope: Some(self.common.scope()), spans: spans.to_vec() }],
            }],
        };
        request.encode_to_vec()
    }

    fn keep_room(&mut self) {
        while self.spans.len() > self.room {
            self.spans.pop_front();
            self.dropped_spans += 1;
        }
    }
}
