//! Takes down what the client knows of each request as the record threads see it, so that nothing more than usual has to
//! be written while times are taken.

use std::sync::{Mutex, PoisonError};

use aiperf_clock::Mono;
use aiperf_config::PhaseKind;
use aiperf_engine::Finished;
use aiperf_metrics::{Metric, MetricContext, Observation, RecordValues};
use aiperf_protocol::RequestOutcome;

/// One request in the eyes of the client. Metrics are the very values that go to the records file, in nanoseconds.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClientRecord {
    pub(crate) request_id: String,
    pub(crate) outcome: RequestOutcome,
    pub(crate) due: Mono,
    pub(crate) start: Mono,
    pub(crate) chunks: Vec<Mono>,
    pub(crate) time_to_first_token: Option<f64>,
    pub(crate) inter_token_latency: Option<f64>,
    pub(crate) request_latency: Option<f64>,
}

#[derive(Debug, Default)]
pub(crate) struct ClientTap {
    records: Mutex<Vec<ClientRecord>>,
}

impl ClientTap {
    pub(crate) fn note(
        &self,
        phase: PhaseKind,
        finished: &Finished,
        seen: &Observation,
        values: &RecordValues,
        context: &MetricContext,
    ) {
        if phase != PhaseKind::Profiling {
            return;
        }
        let record = ClientRecord {
            request_id: finished.request_id.to_string(),
            outcome: seen.outcome(),
            due: seen.due,
            start: seen.start,
            chunks: seen.chunks.iter().map(|chunk| chunk.at).collect(),
            time_to_first_token: values.get(Metric::TimeToFirstToken, context),
            inter_token_latency: values.get(Metric::InterTokenLatency, context),
            request_latency: values.get(Metric::RequestLatency, context),
        };
        self.records.lock().unwrap_or_else(PoisonError::into_inner).push(record);
    }

    pub(crate) fn take(&self) -> Vec<ClientRecord> {
        std::mem::take(&mut self.records.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
