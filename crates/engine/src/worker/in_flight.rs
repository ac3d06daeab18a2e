//! The requests in flight on a worker thread: how many there are, and how they are told to end.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::rc::Rc;

use aiperf_protocol::RunOutcome;
use tokio::sync::Notify;

/// Tells all requests that started before it was raised to end.
#[derive(Debug, Default)]
pub(crate) struct CutSignal {
    phase_outcome: Cell<Option<RunOutcome>>,
    raised: Notify,
}

impl CutSignal {
    pub(crate) fn raise(&self, phase_outcome: RunOutcome) {
        self.phase_outcome.set(Some(phase_outcome));
        self.raised.notify_waiters();
    }

    /// How the phase ended, if it has.
    pub(crate) fn phase_outcome(&self) -> Option<RunOutcome> {
        self.phase_outcome.get()
    }

    pub(crate) async fn wait(&self) -> RunOutcome {
        loop {
            let raised = self.raised.notified();
            if let Some(phase_outcome) = self.phase_outcome.get() {
                return phase_outcome;
            }
            raised.await;
        }
    }
}

/// One signal for each phase with requests in flight.
#[derive(Debug, Default)]
pub(crate) struct CutSignals(BTreeMap<usize, Rc<CutSignal>>);

impl CutSignals {
    /// The signal for a request of this phase that starts now.
    pub(crate) fn of_phase(&mut self, phase: usize) -> Rc<CutSignal> {
        Rc::clone(self.0.entry(phase).or_default())
    }

    /// Tells all requests of these phases to end.
    pub(crate) fn raise(&mut self, phases: &RangeInclusive<usize>, phase_outcome: RunOutcome) {
        self.0.retain(|phase, signal| {
            let is_cut = phases.contains(phase);
            if is_cut {
                signal.raise(phase_outcome);
            }
            !is_cut
        });
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
