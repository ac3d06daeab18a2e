//! What a worker wants to know of an exchange while it runs: that the request is out, that the first content came, and how
//! late it read what arrived.

use std::cell::{Cell, RefCell};

use aiperf_clock::{Mono, ReadStamp};
use aiperf_endpoint::Endpoint;
use aiperf_endpoint::sse::{SseEvent, SseScanner};
use aiperf_transport::{Exchange, Watch};
use tokio::sync::Notify;

use crate::delay::LocalDelays;
use crate::rest::Rest;

#[derive(Debug)]
pub(crate) struct Watcher<'a> {
    sent: Cell<Option<Mono>>,
    sent_told: Notify,
    first_token: Option<FirstToken<'a>>,
    delays: &'a LocalDelays,
    rest: &'a Rest,
}

#[derive(Debug)]
struct FirstToken<'a> {
    endpoint: &'a dyn Endpoint,
    scanner: RefCell<SseScanner>,
    seen: Cell<bool>,
    tell: &'a dyn Tell,
    phase: usize,
}

/// Takes the news of the first content.
pub(crate) trait Tell: std::fmt::Debug {
    fn first_token(&self, phase: usize);
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(
        phase: usize,
        first_token: Option<(&'a dyn Endpoint, &'a dyn Tell)>,
        delays: &'a LocalDelays,
        rest: &'a Rest,
    ) -> Self {
        Self {
            delays,
            rest,
            sent: Cell::new(None),
            sent_told: Notify::new(),
            first_token: first_token.map(|(endpoint, tell)| FirstToken {
                endpoint,
                scanner: RefCell::new(SseScanner::new()),
                seen: Cell::new(false),
                tell,
                phase,
            }),
        }
    }

    /// Resolves when the last byte of the request was taken by the socket.
    pub(crate) async fn sent(&self) -> Mono {
        loop {
            let told = self.sent_told.notified();
            if let Some(at) = self.sent.get() {
                return at;
            }
            told.await;
        }
    }

    pub(crate) fn saw_first_token(&self) -> bool {
        self.first_token.as_ref().is_some_and(|first| first.seen.get())
    }
}

impl Watch for Watcher<'_> {
    fn sent(&self, at: Mono) {
        self.sent.set(Some(at));
        self.sent_told.notify_waiters();
    }

    fn read(&self, stamp: ReadStamp, exchange: &Exchange) {
        if let Some(delay) = stamp.delay() {
            self.delays.note(delay);
        }
        let gap =
            if let [.., before, last] = exchange.marks.as_slice() { Some(last.at.since(before.at)) } else { None };
        self.rest.note_read(gap);
        let Some(first) = self.first_token.as_ref().filter(|first| !first.seen.get()) else { return };
        // The body of a redirect is not the one that the content will be in.
        if !exchange.is_success() {
            return;
        }
        let mut scanner = first.scanner.borrow_mut();
        while let Some(frame) = scanner.next_frame(&exchange.body) {
            let event = SseEvent::read(&exchange.body, &frame);
            if event.data.is_some_and(|data| first.endpoint.carries_content(&data)) {
                first.seen.set(true);
                first.tell.first_token(first.phase);
                return;
            }
        }
    }
}
