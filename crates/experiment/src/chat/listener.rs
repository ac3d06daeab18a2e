//! Follows an answer while it is being received.

use std::cell::{Cell, RefCell};
use std::fmt;

use aiperf_clock::{Mono, ReadStamp};
use aiperf_endpoint::{LiveChat, NewWords};
use aiperf_transport::{Exchange, ExchangeObserver};

/// What an exchange waits for, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExchangeStage {
    Sending { since: Mono },
    Waiting { since: Mono },
}

pub(super) struct ReplyListener<'a> {
    live: RefCell<LiveChat>,
    on_words: RefCell<&'a mut dyn FnMut(NewWords<'_>)>,
    stage: Cell<ExchangeStage>,
}

impl<'a> ReplyListener<'a> {
    pub(super) fn new(on_words: RefCell<&'a mut dyn FnMut(NewWords<'_>)>) -> Self {
        Self { live: RefCell::default(), on_words, stage: Cell::new(ExchangeStage::Sending { since: Mono::now() }) }
    }

    pub(super) fn stage(&self) -> ExchangeStage {
        self.stage.get()
    }
}

impl ExchangeObserver for ReplyListener<'_> {
    fn sent(&self, at: Mono) {
        self.stage.set(ExchangeStage::Waiting { since: at });
    }

    /// The time of the read has been taken by now, so printing the words does not change it.
    fn read(&self, stamp: ReadStamp, exchange: &mut Exchange) {
        self.stage.set(ExchangeStage::Waiting { since: stamp.at });
        if !exchange.is_success() {
            return;
        }
        let mut live = self.live.borrow_mut();
        let new = live.follow(&exchange.body);
        if new != NewWords::default() {
            (self.on_words.borrow_mut())(new);
        }
    }
}

impl fmt::Debug for ReplyListener<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyListener").field("stage", &self.stage).finish_non_exhaustive()
    }
}
