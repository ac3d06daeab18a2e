//! The requests in flight on a worker thread: how many there are, and how they are told to end.

use std::cell::Cell;
use std::rc::Rc;

use tokio::sync::Notify;

use crate::request::finished::CutReason;

/// Tells all requests that started before it rang to end.
#[derive(Debug, Default)]
pub(crate) struct CutSignal {
    reason: Cell<Option<CutReason>>,
    rung: Notify,
}

impl CutSignal {
    pub(crate) fn ring(&self, reason: CutReason) {
        self.reason.set(Some(reason));
        self.rung.notify_waiters();
    }

    pub(crate) async fn wait(&self) -> CutReason {
        loop {
            let rung = self.rung.notified();
            if let Some(reason) = self.reason.get() {
                return reason;
            }
            rung.await;
        }
    }
}

/// How many requests are in flight on this thread.
#[derive(Debug, Default)]
pub(crate) struct Running {
    count: Cell<usize>,
    none_left: Notify,
}

#[derive(Debug)]
pub(crate) struct Ticket(Rc<Running>);

impl Running {
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
