//! A credit that a worker holds in reserve for a quick closed loop: the worker starts it by itself as soon as one of its
//! requests ends, without waiting for the scheduler.

use aiperf_clock::Mono;

use crate::request::credit::Credit;
use crate::sent_journal::CreditNumbers;

/// It has no number and no due time until it is taken.
#[derive(Debug)]
pub(crate) struct ReservedCredit {
    pub(crate) credit: Credit,
    pub(crate) numbers: CreditNumbers,
    /// From then on nothing is started.
    pub(crate) deadline: Option<Mono>,
}

impl ReservedCredit {
    /// Whether it may start now in the place of a request of this phase.
    pub(crate) fn may_follow(&self, phase: usize, now: Mono) -> bool {
        self.credit.phase == phase && self.deadline.is_none_or(|deadline| now < deadline)
    }

    /// The credit of a request that starts now.
    pub(crate) fn take(self, now: Mono) -> Credit {
        Credit { number: self.numbers.next(), due: now, issued: now, ..self.credit }
    }
}

/// What a worker had in reserve when it was asked to give it back.
#[derive(Debug)]
pub(crate) struct Withdrawn {
    pub(crate) worker: usize,
    pub(crate) credits: Vec<ReservedCredit>,
}
