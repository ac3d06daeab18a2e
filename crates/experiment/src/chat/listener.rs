//! Reads along while an answer comes.

use std::cell::{Cell, RefCell};
use std::fmt;

use aiperf_clock::{Mono, ReadStamp};
use aiperf_endpoint::{LiveChat, NewWords};
use aiperf_transport::{Exchange, Watch};

/// What an exchange waits for, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Sending { since: Mono },
    Waiting { since: Mono },
}

pub(super) struct Listener<'a> {
    live: RefCell<LiveChat>,
    hear: RefCell<&'a mut dyn FnMut(NewWords<'_>)>,
    stage: Cell<Stage>,
}

impl<'a> Listener<'a> {
    pub(super) fn new(hear: RefCell<&'a mut dyn FnMut(NewWords<'_>)>) -> Self {
        Self { live: RefCell::default(), hear, stage: Cell::new(Stage::Sending { since: Mono::now() }) }
    }

    pub(super) fn stage(&self) -> Stage {
        self.stage.get()
    }
}

impl Watch for Listener<'_> {
    fn sent(&self, at: Mono) {
        self.stage.set(Stage::Waiting { since: at });
    }

    /// The time of what was read has been taken by now: whoever shows the words may take their time.
    fn read(&self, stamp: ReadStamp, exchange: &Exchange) {
        self.stage.set(Stage::Waiting { since: stamp.at });
        if !exchange.is_success() {
            return;
        }
        let mut live = self.live.borrow_mut();
        let new = live.follow(&exchange.body);
        if new != NewWords::default() {
            (self.hear.borrow_mut())(new);
        }
    }
}

impl fmt::Debug for Listener<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("stage", &self.stage).finish_non_exhaustive()
    }
}
