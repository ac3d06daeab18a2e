//! One request while it is served: fills in its record of the truth and stores it, however the request ends.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use aiperf_clock::Mono;

use crate::server::connection::ClientRequest;
use crate::server::state::SimState;
use crate::truth::{TruthOutcome, TruthRecord};

/// Dropping it unfinished means that the server was stopped in mid-request.
#[derive(Debug)]
pub(crate) struct ServedRequest {
    state: Arc<SimState>,
    /// Gone once the record is handed over.
    record: Option<TruthRecord>,
    is_inference: bool,
}

impl ServedRequest {
    pub(crate) fn begin(
        state: &Arc<SimState>,
        received: &ClientRequest,
        connection: u64,
        connection_request: u64,
        is_inference: bool,
    ) -> Self {
        let head = &received.head;
        let record = TruthRecord {
            index: state.next_arrival(),
            request_id: head.header("x-request-id").map(str::to_owned),
            correlation_id: head.header("x-correlation-id").map(str::to_owned),
            method: head.method.clone(),
            path: head.target.clone(),
            connection,
            connection_request,
            first_byte: received.first_byte,
            arrival: received.arrival,
            admitted: None,
            in_flight: if is_inference { state.enter() } else { 0 },
            streaming: false,
            prompt_tokens: None,
            cached_tokens: None,
            output_tokens: 0,
            reasoning_tokens: 0,
            chunks: Vec::new(),
            end: received.arrival,
            status: 200,
            outcome: TruthOutcome::ServerStopped,
            stalled: false,
            headers: head.headers.clone(),
            body: state.options.truth_bodies.then(|| String::from_utf8_lossy(&received.body).into_owned()),
        };
        Self { state: Arc::clone(state), record: Some(record), is_inference }
    }

    /// Fills in the record, while it is still here.
    pub(crate) fn note(&mut self, change: impl FnOnce(&mut TruthRecord)) {
        if let Some(record) = &mut self.record {
            change(record);
        }
    }

    /// Ends the request. Called before the last write, so that a client that has seen the end of a reply finds its truth and
    /// does not find the request still in flight.
    pub(crate) fn finish(&mut self, outcome: TruthOutcome) -> Mono {
        let now = Mono::now();
        if let Some(mut record) = self.record.take() {
            record.end = now;
            record.outcome = outcome;
            if self.is_inference {
                self.state.leave();
                let metrics = &self.state.metrics;
                metrics.generation_tokens.fetch_add(u64::from(record.output_tokens), Ordering::Relaxed);
                match outcome {
                    TruthOutcome::Completed => metrics.request_latency.observe(now.since(record.arrival)),
                    _ => metrics.aborted(),
                }
            }
            self.state.truth.push(record);
        }
        now
    }
}

impl Drop for ServedRequest {
    fn drop(&mut self) {
        self.finish(TruthOutcome::ServerStopped);
    }
}
