//! What a worker wants to know of an exchange while it runs: that the request is out, that the first content came, and how
//! late it read what arrived.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use aiperf_clock::{Mono, ReadStamp};
use aiperf_endpoint::Endpoint;
use aiperf_endpoint::sse::{SseEvent, SseScanner};
use aiperf_grpc::GrpcFrameScanner;
use aiperf_protocol::Wire;
use aiperf_transport::{Exchange, ExchangeObserver};
use tokio::sync::Notify;

use crate::control::SchedulerEvent;
use crate::request::streamed_body::StreamedBody;
use crate::worker::segment_outlet::SegmentOutlet;
use crate::worker::send::RequestSender;

#[derive(Debug)]
pub(crate) struct Watcher {
    itself: Weak<Self>,
    worker: Rc<RequestSender>,
    phase: usize,
    sent: Cell<Option<Mono>>,
    is_settled: Cell<bool>,
    sent_told: Notify,
    first_token: Option<FirstToken>,
    outlet: Option<SegmentOutlet>,
    /// When the last read returned.
    last_read: Cell<Mono>,
}

#[derive(Debug)]
struct FirstToken {
    scanner: RefCell<Scanner>,
    seen: Cell<bool>,
}

/// Splits a reply into events or messages as it arrives.
#[derive(Debug)]
enum Scanner {
    Events(SseScanner),
    Messages(GrpcFrameScanner),
}

impl Scanner {
    fn of(wire: Wire) -> Self {
        match wire {
            Wire::Http => Self::Events(SseScanner::new()),
            Wire::Grpc { .. } => Self::Messages(GrpcFrameScanner::new()),
        }
    }

    /// Whether what arrived since the last call has content.
    fn finds_content(&mut self, body: &[u8], endpoint: &dyn Endpoint) -> bool {
        match self {
            Self::Events(events) => {
                while let Some(frame) = events.next_frame(body) {
                    let event = SseEvent::read(body, &frame);
                    if event.data.is_some_and(|data| endpoint.carries_content(&data)) {
                        return true;
                    }
                }
            }
            Self::Messages(messages) => {
                while let Ok(Some(frame)) = messages.next_frame(body) {
                    if endpoint.message_carries_content(frame.of(body)) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

impl Watcher {
    /// `phase`: that of the request; `finds_first_token`: whether the scheduler is told of the first content.
    pub(crate) fn new(worker: &Rc<RequestSender>, phase: usize, finds_first_token: bool) -> Rc<Self> {
        let context = &worker.context;
        Rc::new_cyclic(|itself| Self {
            itself: Weak::clone(itself),
            worker: Rc::clone(worker),
            outlet: context.reads_while_arriving.then(SegmentOutlet::default),
            last_read: Cell::default(),
            phase,
            sent: Cell::new(None),
            is_settled: Cell::new(false),
            sent_told: Notify::new(),
            first_token: finds_first_token
                .then(|| FirstToken { scanner: RefCell::new(Scanner::of(context.wire)), seen: Cell::new(false) }),
        })
    }

    /// Resolves when the last byte of the request was taken by the socket.
    pub(crate) async fn sent(&self) -> Mono {
        loop {
            let notified = self.sent_told.notified();
            if let Some(at) = self.sent.get() {
                return at;
            }
            notified.await;
        }
    }

    /// Counts the request as one that has left or ended, once.
    pub(crate) fn settle(&self) {
        if !self.is_settled.replace(true) {
            self.worker.context.settle(self.phase);
        }
    }

    /// When the last read returned; zero before the first.
    pub(crate) fn last_read(&self) -> Mono {
        self.last_read.get()
    }

    /// What record threads read of the body while it arrived.
    pub(crate) fn streamed(&self) -> Option<Arc<StreamedBody>> {
        self.outlet.as_ref().and_then(SegmentOutlet::take_body)
    }

    pub(crate) fn saw_first_token(&self) -> bool {
        self.first_token.as_ref().is_some_and(|first| first.seen.get())
    }
}

impl ExchangeObserver for Watcher {
    fn sent(&self, at: Mono) {
        self.settle();
        self.sent.set(Some(at));
        self.sent_told.notify_waiters();
    }

    fn shared(&self) -> Option<Rc<dyn ExchangeObserver>> {
        self.itself.upgrade().map(|watcher| watcher as Rc<dyn ExchangeObserver>)
    }

    fn read(&self, stamp: ReadStamp, exchange: &mut Exchange) {
        self.last_read.set(stamp.read_at);
        if let Some(delay) = stamp.delay() {
            self.worker.delays.note(delay);
        }
        let gap =
            if let [.., before, last] = exchange.marks.as_slice() { Some(last.at.since(before.at)) } else { None };
        self.worker.batcher.note_read(gap);
        self.look_for_first_token(exchange);
        if let Some(outlet) = self.outlet.as_ref().filter(|_| !self.is_looking()) {
            let context = &self.worker.context;
            outlet.offer(exchange, &*context.endpoint, &context.records);
        }
    }
}

impl Watcher {
    /// Whether the first content is still looked for, for which the body must be whole.
    fn is_looking(&self) -> bool {
        self.first_token.as_ref().is_some_and(|first| !first.seen.get())
    }

    fn look_for_first_token(&self, exchange: &Exchange) {
        let Some(first) = self.first_token.as_ref().filter(|first| !first.seen.get()) else { return };
        // The body of a redirect does not have the content.
        if !exchange.status.is_some_and(|status| (200..300).contains(&status)) {
            return;
        }
        let context = &self.worker.context;
        if first.scanner.borrow_mut().finds_content(&exchange.body, &*context.endpoint) {
            first.seen.set(true);
            let _ = context.events.send(SchedulerEvent::FirstToken { phase: self.phase });
        }
    }
}
