//! The requests in flight on a worker thread: how many there are, and how they are told to end.

use std::cell::Cell;
use std::rc::Rc;

use tokio::sync::Notify;

use crate::request::finished::CutReason;

/// Tells all requests that started before it was raised to end.
#[derive(Debug, Default)]
pub(crate) struct CutSignal {
    reason: Cell<Option<CutReason>>,
    raised: Notify,
}

impl CutSignal {
    pub(crate) fn raise(&self, reason: CutReason) {
        self.reason.set(Some(reason));
        self.raised.notify_waiters();
    }

    pub(crate) async fn wait(&self) -> CutReason {
        loop {
            let raised = self.raised.notified();
            if let Some(reason) = self.reason.get() {
                return reason;
            }
            raised.await;
        }
    }
}

/// How many requests are in flight on this thread.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    count: Cell<usize>,
    none_left: Notify,
}

#[derive(Debug)]
pub(crate) struct Ticket(Rc<InFlight>);

impl InFlight {
    pub(crate) fn enter(this: &Rc<Self>) -> Ticket {
        this.count.set(this.count.get() + 1);
        Ticket(Rc::clone(this))
    }

    pub(crate) async fn wait_until_none(&self) {
        while self.count.get() > 0 {
            self.none_left.notified().await;
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.count.set(self.0.count.get() - 1);
        if self.0.count.get() == 0 {
            self.0.none_left.notify_one();
        }
    }
}
