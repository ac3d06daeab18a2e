//! What is copied of a finished request on a record thread; everything else is done on the exporter's thread.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use aiperf_live::{ConsumerReport, FinishedRequest, RequestConsumer};
use aiperf_metrics::{Metric, MetricContext, RecordValues};
use aiperf_protocol::PhaseKind;

use crate::error_type;
use crate::queue::DroppingQueue;
use crate::report::OtelReport;
use crate::span::SpanFacts;

/// One finished request.
#[derive(Debug)]
pub(crate) struct MeasuredCall {
    pub(crate) phase: PhaseKind,
    pub(crate) context: Arc<PhaseContext>,
    pub(crate) values: RecordValues,
    /// From start to end, however it ended.
    pub(crate) duration_ns: u64,
    pub(crate) was_cancelled: bool,
    /// `error.type` of a request that failed.
    pub(crate) error: Option<&'static str>,
    /// Only if spans are sent.
    pub(crate) span: Option<Box<SpanFacts>>,
}

/// How the values of a phase are computed, and which there are.
#[derive(Debug)]
pub(crate) struct PhaseContext {
    index: usize,
    pub(crate) context: MetricContext,
    pub(crate) metrics: Vec<Metric>,
}

/// Puts each finished request into the queue.
#[derive(Debug)]
pub(crate) struct CallIntake {
    queue: Arc<DroppingQueue<MeasuredCall>>,
    makes_spans: bool,
    contexts: Mutex<Vec<Arc<PhaseContext>>>,
    /// The thread that sends, until its result was asked for.
    sender: Mutex<Option<JoinHandle<OtelReport>>>,
}

impl CallIntake {
    pub(crate) fn new(
        queue: Arc<DroppingQueue<MeasuredCall>>,
        makes_spans: bool,
        sender: JoinHandle<OtelReport>,
    ) -> Self {
        Self { queue, makes_spans, contexts: Mutex::default(), sender: Mutex::new(Some(sender)) }
    }

    /// The context of a phase, copied once.
    fn context(&self, index: usize, context: &MetricContext) -> Arc<PhaseContext> {
        let mut contexts = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = contexts.iter().find(|known| known.index == index) {
            return Arc::clone(known);
        }
        let new = Arc::new(PhaseContext { index, context: context.clone(), metrics: context.record_metrics() });
        contexts.push(Arc::clone(&new));
        new
    }
}

impl RequestConsumer for CallIntake {
    fn finished(&self, request: &FinishedRequest<'_>) {
        let failure = request.observation.failure.as_ref();
        self.queue.push(MeasuredCall {
            phase: request.phase,
            context: self.context(request.phase_index, request.context),
            values: request.values.clone(),
            duration_ns: request.end.0.saturating_sub(request.start.0),
            was_cancelled: request.observation.outcome().is_cancelled(),
            error: failure.map(error_type::of),
            span: self.makes_spans.then(|| Box::new(SpanFacts::of(request))),
        });
    }

    /// Waits until the rest was sent, within the time limit of one post.
    fn all_finished(&self) -> ConsumerReport {
        self.queue.close();
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner).take();
        let report = sender.map(|sender| sender.join().unwrap_or_default()).unwrap_or_default();
        log::info!("{report}");
        let remarks = if report.is_complete() { Vec::new() } else { vec![report.to_string()] };
        ConsumerReport { section: Some(("otel", report.section())), remarks }
    }
}
