//! What a worker wants to know of an exchange while it runs: that the request is out, that the first content came, and how
//! late it read what arrived.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use aiperf_clock::{Mono, ReadStamp};
use aiperf_endpoint::Endpoint;
use aiperf_endpoint::sse::{SseEvent, SseScanner};
use aiperf_grpc::GrpcFrameScanner;
use aiperf_protocol::Wire;
use aiperf_transport::{Exchange, ExchangeObserver};
use tokio::sync::Notify;

use crate::request::streamed_body::StreamedBody;
use crate::worker::read_batcher::ReadBatcher;
use crate::worker::read_delays::LocalDelays;
use crate::worker::segment_outlet::SegmentOutlet;

#[derive(Debug)]
pub(crate) struct Watcher<'a> {
    sent: Cell<Option<Mono>>,
    sent_told: Notify,
    first_token: Option<FirstToken<'a>>,
    delays: &'a LocalDelays,
    batcher: &'a ReadBatcher,
    outlet: Option<SegmentOutlet<'a>>,
}

#[derive(Debug)]
struct FirstToken<'a> {
    endpoint: &'a dyn Endpoint,
    scanner: RefCell<Scanner>,
    seen: Cell<bool>,
    listener: &'a dyn FirstTokenListener,
    phase: usize,
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

/// Is told of the first content.
pub(crate) trait FirstTokenListener: std::fmt::Debug {
    fn first_token(&self, phase: usize);
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(
        phase: usize,
        first_token: Option<(&'a dyn Endpoint, &'a dyn FirstTokenListener)>,
        wire: Wire,
        delays: &'a LocalDelays,
        batcher: &'a ReadBatcher,
        outlet: Option<SegmentOutlet<'a>>,
    ) -> Self {
        Self {
            delays,
            batcher,
            outlet,
            sent: Cell::new(None),
            sent_told: Notify::new(),
            first_token: first_token.map(|(endpoint, listener)| FirstToken {
                endpoint,
                scanner: RefCell::new(Scanner::of(wire)),
                seen: Cell::new(false),
                listener,
                phase,
            }),
        }
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

    /// What record threads read of the body while it arrived.
    pub(crate) fn streamed(self) -> Option<Arc<StreamedBody>> {
        self.outlet.and_then(SegmentOutlet::into_body)
    }

    pub(crate) fn saw_first_token(&self) -> bool {
        self.first_token.as_ref().is_some_and(|first| first.seen.get())
    }
}

impl ExchangeObserver for Watcher<'_> {
    fn sent(&self, at: Mono) {
        self.sent.set(Some(at));
        self.sent_told.notify_waiters();
    }

    fn read(&self, stamp: ReadStamp, exchange: &mut Exchange) {
        if let Some(delay) = stamp.delay() {
            self.delays.note(delay);
        }
        let gap =
            if let [.., before, last] = exchange.marks.as_slice() { Some(last.at.since(before.at)) } else { None };
        self.batcher.note_read(gap);
        self.look_for_first_token(exchange);
        if let Some(outlet) = self.outlet.as_ref().filter(|_| !self.is_looking()) {
            outlet.offer(exchange);
        }
    }
}

impl Watcher<'_> {
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
        if first.scanner.borrow_mut().finds_content(&exchange.body, first.endpoint) {
            first.seen.set(true);
            first.listener.first_token(first.phase);
        }
    }
}
