//! The credits that a worker may start without asking the scheduler.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use aiperf_clock::Mono;

use crate::request::credit::Credit;
use crate::request::reserved::ReservedCredit;

#[derive(Debug, Default)]
pub(super) struct CreditReserve {
    credits: RefCell<VecDeque<ReservedCredit>>,
    /// With this many left, more are needed.
    low: Cell<usize>,
}

impl CreditReserve {
    pub(super) fn add(&self, more: Vec<ReservedCredit>) {
        let mut credits = self.credits.borrow_mut();
        credits.extend(more);
        self.low.set(credits.len() / 2);
    }

    /// The credit of a request that starts now in the place of one that ended. That of an earlier phase makes no room for it.
    pub(super) fn take(&self, phase: usize, now: Mono) -> Option<Credit> {
        let mut credits = self.credits.borrow_mut();
        let may_follow = credits.front().is_some_and(|first| first.may_follow(phase, now));
        if may_follow { credits.pop_front().map(|first| first.take(now)) } else { None }
    }

    /// Whether the scheduler must hear at once that a credit was taken.
    pub(super) fn is_low(&self) -> bool {
        self.credits.borrow().len() <= self.low.get()
    }

    pub(super) fn give_back(&self) -> Vec<ReservedCredit> {
        self.credits.take().into()
    }
}
