//! Passes finished requests to the views of a run, if there are any.

use std::sync::Arc;

use aiperf_clock::WallAnchor;
use aiperf_config::PhaseKind;
use aiperf_engine::Finished;
use aiperf_live::{ConsumerReport, FinishedRequest, LiveRun, RequestConsumer};
use aiperf_metrics::{MetricContext, Observation, RecordValues};

/// The live model of the run, and whoever gets every request.
#[derive(Debug)]
pub(crate) struct LiveOutput {
    live: Arc<LiveRun>,
    consumers: Vec<Arc<dyn RequestConsumer>>,
    /// One per phase.
    contexts: Vec<MetricContext>,
}

/// Where a request comes from, for consumers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestOrigin<'a> {
    pub(crate) kind: PhaseKind,
    pub(crate) conversation_id: &'a str,
    pub(crate) processor: usize,
    pub(crate) anchor: &'a WallAnchor,
}

impl LiveOutput {
    pub(crate) fn new(live: &Arc<LiveRun>, contexts: Vec<MetricContext>) -> Self {
        Self { live: Arc::clone(live), consumers: live.consumers(), contexts }
    }

    /// All requests are in. What each consumer says about its work.
    pub(crate) fn all_finished(&self) -> impl Iterator<Item = ConsumerReport> {
        self.consumers.iter().map(|consumer| consumer.all_finished())
    }

    /// Costs two checks if nobody looks.
    pub(crate) fn note<'a>(
        &self,
        finished: &Finished,
        observation: &Observation,
        values: &RecordValues,
        origin: impl FnOnce() -> RequestOrigin<'a>,
    ) {
        self.live.push(finished.phase, observation, values);
        if self.consumers.is_empty() {
            return;
        }
        let RequestOrigin { kind, conversation_id, processor, anchor } = origin();
        let request_id = finished.request_id.to_string();
        let request = FinishedRequest {
            phase: kind,
            phase_index: finished.phase,
            observation,
            values,
            context: &self.contexts[finished.phase],
            session_num: finished.number,
            x_request_id: &request_id,
            x_correlation_id: &finished.session.correlation_id,
            conversation_id,
            turn_index: finished.turn,
            worker: finished.worker,
            record_processor: processor,
            credit_issued: anchor.epoch(finished.issued),
            start: anchor.epoch(finished.start),
            end: anchor.epoch(finished.end),
        };
        self.consumers.iter().for_each(|consumer| consumer.finished(&request));
    }
}
