//! One request while it is served: fills in its record of the truth and stores it, however the request ends.

use std::sync::Arc;

use aiperf_clock::Mono;

use crate::generation::reply::Finish;
use crate::monitoring::counters::{EngineCounters, EngineRequest, FinishReason};
use crate::monitoring::request_timing::RequestTiming;
use crate::server::connection::ClientRequest;
use crate::server::state::SimState;
use crate::server::worker::ServerWorker;
use crate::truth::{TruthOutcome, TruthRecord};

/// Dropping it unfinished means that the server was stopped in mid-request.
#[derive(Debug)]
pub(crate) struct ServedRequest {
    state: Arc<SimState>,
    /// Gone once the record is handed over.
    record: Option<TruthRecord>,
    is_inference: bool,
    /// The thread that serves it.
    thread: usize,
    /// There while the engine has it.
    engine: Option<EngineRequest>,
}

impl ServedRequest {
    pub(crate) fn begin(
        worker: &ServerWorker,
        received: &ClientRequest,
        connection: u64,
        connection_request: u64,
        is_inference: bool,
    ) -> Self {
        let (state, head) = (&worker.state, &received.head);
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
            stamped_by: received.stamped_by,
            admitted: None,
            first_token: None,
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
        Self { state: Arc::clone(state), record: Some(record), is_inference, thread: worker.thread, engine: None }
    }

    /// Fills in the record, while it is still here.
    pub(crate) fn note(&mut self, change: impl FnOnce(&mut TruthRecord)) {
        if let Some(record) = &mut self.record {
            change(record);
        }
    }

    /// The engine took it in.
    pub(crate) fn admitted(&mut self, arrival: Mono, admitted: Mono, prompt_tokens: u32, cached_tokens: Option<u32>) {
        self.note(|record| {
            record.admitted = Some(admitted);
            record.cached_tokens = cached_tokens;
        });
        let (first_token, last_token) = (None, None);
        self.engine = Some(EngineRequest { arrival, admitted, prompt_tokens, tokens: 0, first_token, last_token });
        self.state.counters[self.thread].lock().admitted(prompt_tokens, cached_tokens);
    }

    /// A chunk with content is being written.
    pub(crate) fn wrote(&mut self, at: Mono, tokens: u32, reasoning_tokens: u32) {
        self.note(|record| {
            record.first_token.get_or_insert(at);
            record.chunks.push(at);
            record.output_tokens += tokens;
            record.reasoning_tokens += reasoning_tokens;
        });
        self.count(|counters, request| counters.wrote(request, at, tokens));
    }

    /// The first token of a reply in one piece is there.
    pub(crate) fn first_token(&mut self, at: Mono) {
        self.note(|record| record.first_token = Some(at));
        self.count(|counters, request| counters.first_token(request, at));
    }

    /// A reply in one piece is complete: its last token came at `last`.
    pub(crate) fn wrote_whole(&mut self, last: Mono, tokens: u32, reasoning_tokens: u32) {
        self.note(|record| {
            record.output_tokens += tokens;
            record.reasoning_tokens += reasoning_tokens;
        });
        self.count(|counters, request| counters.wrote_whole(request, last, tokens));
    }

    /// Its times in the engine, once it has its first token.
    pub(crate) fn timing(&self) -> Option<RequestTiming> {
        self.engine.as_ref().and_then(RequestTiming::of)
    }

    /// The engine has made the whole reply.
    pub(crate) fn engine_done(&mut self, finish: Finish) {
        self.leave_engine(finish.into(), Mono::now());
    }

    fn leave_engine(&mut self, reason: FinishReason, now: Mono) {
        let drafts = self.state.options.spec_drafts;
        self.count(|counters, request| counters.finished(request, reason, now, drafts));
        self.engine = None;
    }

    fn count(&mut self, change: impl FnOnce(&mut EngineCounters, &mut EngineRequest)) {
        if let Some(request) = &mut self.engine {
            change(&mut self.state.counters[self.thread].lock(), request);
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
                let reason = match outcome {
                    TruthOutcome::Completed | TruthOutcome::Empty | TruthOutcome::Malformed => FinishReason::Stop,
                    TruthOutcome::ClientGone | TruthOutcome::ServerStopped => FinishReason::Abort,
                    _ => FinishReason::Error,
                };
                self.leave_engine(reason, now);
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
