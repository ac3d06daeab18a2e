//! One request of a worker: from its credit over the wire to the record queue.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use aiperf_address::{ConnectionReuse, ConnectionUse, RequestTarget};
use aiperf_clock::{Mono, Nanos, Timer};
use aiperf_endpoint::{BuildError, Endpoint, HeaderPlan, Job, JobStep, RequestIds};
use aiperf_protocol::{RequestOutcome, Wire};
use aiperf_seed::Stream;
use aiperf_transport::{Client, Exchange, ExchangeSize, NoObserver, Request, TransportError};
use bytes::Bytes;
use uuid::Uuid;

use crate::control::SchedulerEvent;
use crate::queue::QueueSender;
use crate::record_queue::{Pressure, RecordSender, RefusedRecord};
use crate::request::bodies::Bodies;
use crate::request::credit::{Credit, FollowUpNeed, Returned, TurnBody};
use crate::request::finished::{ExchangeError, Finished, outcome_of};
use crate::request::follow_up::FollowUp;
use crate::request::streamed_body::StreamedBody;
use crate::sent_journal::SentJournal;
use crate::worker::WorkerGauge;
use crate::worker::credit_reserve::CreditReserve;
use crate::worker::in_flight::CutSignal;
use crate::worker::interruption::unless_interrupted;
use crate::worker::job_answers::JobAnswers;
use crate::worker::read_batcher::ReadBatcher;
use crate::worker::read_delays::LocalDelays;
use crate::worker::start_gate::StartGate;
use crate::worker::watcher::Watcher;

/// How long a finished request waits before it tries again to enter a full record queue.
const RECORD_QUEUE_RETRY: Nanos = Nanos(1_000_000);

/// What a worker knows of the plan, and where it sends its results.
#[derive(Debug)]
pub(super) struct WorkerContext {
    pub(super) index: usize,
    pub(super) targets: Arc<[RequestTarget]>,
    pub(super) headers: Arc<HeaderPlan>,
    pub(super) bodies: Arc<dyn Bodies>,
    pub(super) endpoint: Arc<dyn Endpoint>,
    pub(super) request_timeout: Option<Nanos>,
    /// How long a request that is to be cancelled may take to be sent.
    pub(super) send_limit: Nanos,
    pub(super) reuse: ConnectionReuse,
    pub(super) wire: Wire,
    /// Streamed bodies are read while they arrive.
    pub(super) reads_while_arriving: bool,
    /// For each phase, what happens to a finished request while record threads lag.
    pub(super) pressures: Vec<Pressure>,
    pub(super) events: QueueSender<SchedulerEvent>,
    pub(super) records: RecordSender,
    pub(super) gauge: Arc<WorkerGauge>,
    pub(super) journal: Option<Arc<dyn SentJournal>>,
}

/// Sends the requests of one worker, and holds all that they share.
#[derive(Debug)]
pub(super) struct RequestSender {
    pub(super) context: WorkerContext,
    pub(super) client: Client,
    pub(super) timer: Timer,
    pub(super) delays: LocalDelays,
    pub(super) ids: RefCell<Stream>,
    pub(super) batcher: Rc<ReadBatcher>,
    pub(super) gate: Rc<StartGate>,
    pub(super) last_size: Cell<ExchangeSize>,
    /// Held by the one finished request of this worker that asks for room in the record queue; the others wait behind it.
    pub(super) waits_for_room: tokio::sync::Mutex<()>,
    pub(super) reserve: CreditReserve,
}

impl WorkerContext {
    /// A request of this phase has left, or has ended without leaving.
    pub(super) fn settle(&self, phase: usize) {
        if let Some(journal) = &self.journal {
            journal.settle(phase);
        }
    }

    fn body(&self, credit: &Credit) -> Result<RequestBody, BuildError> {
        let (bytes, is_fixed) = match &credit.body {
            TurnBody::Fixed if credit.is_single_token => {
                (self.bodies.single_token(credit.session.conversation, credit.turn)?, false)
            }
            TurnBody::Fixed => (self.bodies.fixed(credit.session.conversation, credit.turn)?, true),
            TurnBody::FromReplies(body) => (body.clone()?, false),
        };
        Ok(match self.bodies.per_session(&credit.session, &bytes) {
            Some(own) => RequestBody { bytes: own, is_fixed: false },
            None => RequestBody { bytes, is_fixed },
        })
    }
}

/// A body, and whether each session of the conversation sends the same bytes.
struct RequestBody {
    bytes: Bytes,
    is_fixed: bool,
}

impl RequestSender {
    /// Sends one request when it is due, and hands over its result. Returns the credit of the request that takes its place, if
    /// there is one in reserve.
    pub(super) async fn send(self: &Rc<Self>, credit: Credit, cut: &CutSignal) -> Option<Credit> {
        let context = &self.context;
        let session = &credit.session;
        // A request that may start at once takes its turn before it is prepared. Otherwise the first of many would wait until
        // all are.
        let is_due = credit.due <= Mono::now();
        if is_due {
            self.gate.turn().await;
        }
        let request_id = self.ids.borrow_mut().uuid();
        let body = match context.body(&credit) {
            Ok(body) => body,
            Err(error) => {
                self.timer.sleep_until(credit.due).await;
                context.settle(credit.phase);
                let (now, result) = (Mono::now(), Err(ExchangeError::NotSent(error)));
                let nothing = (credit, RequestBody { bytes: Bytes::new(), is_fixed: false });
                let answer = ReceivedAnswer { exchange: Exchange::default(), streamed: None, result };
                return self.finish(nothing, request_id, (now, now), answer, false).await;
            }
        };
        let target = &context.targets[session.target];
        let request_id_text = request_id.to_string();
        let trace_parent = context.headers.trace_parent(request_id.into_bytes());
        let ids = RequestIds {
            host: &target.host_header,
            request_id: &request_id_text,
            correlation_id: &session.correlation_id,
            parent_correlation_id: session.parent_correlation_id.as_deref(),
            trace_parent: trace_parent.as_deref(),
        };
        let (origin, path, headers) = (&target.origin, &target.path_and_query, self.headers(ids));
        let mut request = match context.wire {
            Wire::Http => Request::post(origin, path, headers, body.bytes.clone()),
            Wire::Grpc { message_limit, .. } => Request::grpc(origin, path, headers, body.bytes.clone(), message_limit),
        };
        if let Some(content_type) = context.headers.content_type(&body.bytes) {
            request = request.with_content_type(&content_type);
        }
        let reuse = context.reuse.for_request(&session.correlation_id, credit.is_last);
        let watcher = Watcher::new(self, credit.phase, credit.watch_first_token);

        let mut exchange = Exchange::sized(self.last_size.get());
        if !is_due {
            self.timer.sleep_until(credit.due).await;
            self.gate.turn().await;
        }
        let start = Mono::now();
        if !credit.held_back {
            context.gauge.note_schedule_lag(start.since(credit.due));
        }
        // The phase may have ended while the request waited for its turn.
        let result = if let Some(phase_outcome) = cut.phase_outcome() {
            Err(ExchangeError::CutOff(phase_outcome))
        } else {
            // Both are large: they are pinned where they are made, not moved.
            let sending = pin!(async {
                self.client.send(&request, reuse, &mut exchange, &*watcher).await?;
                match context.endpoint.job() {
                    // Rare and large: it would take its memory in every request.
                    Some(job) => Box::pin(self.ask_after(job, target, ids, &mut exchange)).await,
                    None => Ok(()),
                }
            });
            let interruption = pin!(async {
                tokio::select! {
                    () = self.timeout(start) => ExchangeError::TimedOut,
                    cancelled = self.cancellation(credit.cancel_after, start, &watcher) => cancelled,
                    phase_outcome = cut.wait() => ExchangeError::CutOff(phase_outcome),
                }
            });
            let may_be_due = |read_at: Mono| {
                let is_over = context.request_timeout.is_some_and(|limit| read_at >= start + limit);
                is_over || credit.cancel_after.is_some() || cut.phase_outcome().is_some()
            };
            unless_interrupted(sending, interruption, || watcher.last_read(), may_be_due).await
        };
        let end = Mono::now();
        watcher.settle();
        self.last_size.set(exchange.size());
        let first_token_told = watcher.saw_first_token();
        let answer = ReceivedAnswer { exchange, streamed: watcher.streamed(), result };
        self.finish((credit, body), request_id, (start, end), answer, first_token_told).await
    }

    /// The headers of one request.
    fn headers<'a>(&'a self, ids: RequestIds<'a>) -> impl Iterator<Item = (&'a str, &'a str)> {
        let close = (self.context.reuse == ConnectionReuse::Never).then_some(("Connection", "close"));
        self.context.headers.lines(ids).chain(close)
    }

    /// The further exchanges of a request that was answered with a job. Its trace stays that of the first.
    async fn ask_after(
        &self,
        mut job: Box<dyn Job>,
        target: &RequestTarget,
        ids: RequestIds<'_>,
        exchange: &mut Exchange,
    ) -> Result<(), TransportError> {
        let mut answers = JobAnswers::new(exchange);
        let mut step = answers.first_is_success().then(|| job.next(answers.latest())).flatten();
        while let Some(JobStep { place, after, answer }) = step {
            self.timer.sleep_until(Mono::now() + after).await;
            let path = place.resolve(&target.path_and_query, &target.host_header);
            let headers = self.headers(ids).filter(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
            let mut next = Exchange::default();
            self.client
                .send(&Request::get(&target.origin, &path, headers), ConnectionUse::Pooled, &mut next, &NoObserver)
                .await?;
            step = if answers.take(next, answer) { job.next(answers.latest()) } else { None };
        }
        Ok(())
    }

    async fn finish(
        &self,
        (credit, body): (Credit, RequestBody),
        request_id: Uuid,
        (start, end): (Mono, Mono),
        ReceivedAnswer { exchange, streamed, result }: ReceivedAnswer,
        first_token_told: bool,
    ) -> Option<Credit> {
        let context = &self.context;
        let outcome = outcome_of(&result, &exchange);
        let wants_follow_up = match credit.follow_up {
            FollowUpNeed::Never => false,
            FollowUpNeed::OnFailure => outcome == RequestOutcome::Failed,
            FollowUpNeed::Always => outcome != RequestOutcome::CutOff,
        };
        let follow_up = wants_follow_up
            .then(|| FollowUp::new(Arc::clone(&credit.session), credit.turn, credit.due, end, context.events.clone()));
        let makes_room = credit.is_last && credit.session.is_root && outcome == RequestOutcome::Success;
        let mut returned = Returned {
            session: Arc::clone(&credit.session),
            phase: credit.phase,
            turn: credit.turn,
            due: credit.due,
            at: end,
            outcome,
            first_token_told,
            follow_up: follow_up.is_some(),
            has_successor: false,
            unreachable_since: result.as_ref().is_err_and(|error| error.is_unreachable(&exchange)).then_some(start),
        };
        let pressure = context.pressures.get(credit.phase).copied().unwrap_or(Pressure::HoldBack);
        let finished = Box::new(Finished {
            phase: credit.phase,
            session: credit.session,
            turn: credit.turn,
            number: credit.number,
            request_id,
            worker: context.index,
            due: credit.due,
            issued: credit.issued,
            start,
            end,
            exchange,
            streamed,
            result,
            body: body.bytes,
            body_is_fixed: body.is_fixed,
            is_single_token: credit.is_single_token,
            follow_up,
        });
        // The record goes first, so that a full record queue holds back a closed loop instead of growing. With a
        // follow-up it goes second: the request must have returned before the next turn is planned.
        if returned.follow_up {
            let _ = context.events.send(SchedulerEvent::Returned(returned));
            self.hand_over(finished, pressure).await;
            return None;
        }
        self.hand_over(finished, pressure).await;
        let successor = if makes_room { self.reserve.take(returned.phase, Mono::now()) } else { None };
        returned.has_successor = successor.is_some();
        if successor.is_some() && !self.reserve.is_low() {
            let _ = context.events.send_quietly(SchedulerEvent::Returned(returned));
        } else {
            let _ = context.events.send(SchedulerEvent::Returned(returned));
        }
        successor
    }

    async fn timeout(&self, start: Mono) {
        match self.context.request_timeout {
            Some(limit) => self.timer.sleep_until(start + limit).await,
            None => std::future::pending().await,
        }
    }

    /// Resolves the given time after the request was sent, or when it takes too long to be sent.
    async fn cancellation(&self, after: Option<Nanos>, start: Mono, watcher: &Watcher) -> ExchangeError {
        let Some(after) = after else { return std::future::pending().await };
        let limit = self.context.send_limit;
        let sent = tokio::select! {
            biased;
            sent = watcher.sent() => sent,
            () = self.timer.sleep_until(start + limit) => return ExchangeError::SendTimedOut { limit },
        };
        self.timer.sleep_until(sent + after).await;
        ExchangeError::CancelledOnPurpose { after }
    }

    async fn hand_over(&self, finished: Box<Finished>, pressure: Pressure) {
        let context = &self.context;
        context.gauge.note_finished();
        // Without record threads the run is being torn down, and the record is not needed.
        let Err(RefusedRecord::Full(mut finished)) = context.records.send(finished, pressure) else { return };
        let since = Mono::now();
        let _turn = self.waits_for_room.lock().await;
        while let Err(RefusedRecord::Full(back)) = context.records.send(finished, pressure) {
            finished = back;
            self.timer.sleep_until(Mono::now() + RECORD_QUEUE_RETRY).await;
        }
        context.records.note_held_back(since, Mono::now());
    }
}

/// How a request went.
struct ReceivedAnswer {
    exchange: Exchange,
    /// What record threads read of the body while it arrived.
    streamed: Option<Arc<StreamedBody>>,
    result: Result<(), ExchangeError>,
}
