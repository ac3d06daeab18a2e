//! What a worker wants to know of an exchange while it runs: that the request is out, that the first content came, and how
//! late it read what arrived.

use std::cell::{Cell, RefCell};

use aiperf_clock::{Mono, ReadStamp};
use aiperf_endpoint::sse::{SseEvent, SseScanner};
use aiperf_endpoint::{Endpoint, Wire};
use aiperf_grpc::FrameScanner;
use aiperf_transport::{Exchange, Watch};
use tokio::sync::Notify;

use crate::worker::read_batcher::Rest;
use crate::worker::read_delays::LocalDelays;

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
    scanner: RefCell<Scanner>,
    seen: Cell<bool>,
    tell: &'a dyn Tell,
    phase: usize,
}

/// Finds what an answer is made of as it comes.
#[derive(Debug)]
enum Scanner {
    Events(SseScanner),
    Messages(FrameScanner),
}

impl Scanner {
    fn of(wire: Wire) -> Self {
        match wire {
            Wire::Http => Self::Events(SseScanner::new()),
            Wire::Grpc { .. } => Self::Messages(FrameScanner::new()),
        }
    }

    /// Whether content is in what came since the last look.
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

/// Takes the news of the first content.
pub(crate) trait Tell: std::fmt::Debug {
    fn first_token(&self, phase: usize);
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(
        phase: usize,
        first_token: Option<(&'a dyn Endpoint, &'a dyn Tell)>,
        wire: Wire,
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
                scanner: RefCell::new(Scanner::of(wire)),
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
        if !exchange.status.is_some_and(|status| (200..300).contains(&status)) {
            return;
        }
        if first.scanner.borrow_mut().finds_content(&exchange.body, first.endpoint) {
            first.seen.set(true);
            first.tell.first_token(first.phase);
        }
    }
}
