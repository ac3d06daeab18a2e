//! The way in for whoever may stop a run: a signal handler, too many failures, a test.

use std::sync::Arc;

use crate::queue::{QueueReceiver, QueueSender, unbounded};
use crate::request::credit::Returned;
use crate::request::follow_up::FollowedUp;

/// What the conductor wakes up for.
#[derive(Debug)]
pub(crate) enum Event {
    Returned(Returned),
    /// A request got its first content: it is no longer in prefill.
    FirstToken {
        phase: usize,
    },
    FollowedUp(FollowedUp),
    Stop(StopReason),
    /// The measured phase may end: what is known suffices.
    Enough(Arc<str>),
}

/// Why a run is ended from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The user.
    Interrupt,
    /// Too many requests failed.
    FailedRequests,
    /// A request failed that the measured phase goes on from.
    FailedWarmup,
    /// The server could not be reached for too long.
    Unreachable,
    /// A thread of the client panicked: a request is lost and would be waited for in vain.
    Defect,
}

/// Stops a run from outside. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Control {
    events: QueueSender<Event>,
}

/// The conductor's end of all [`Control`]s.
#[derive(Debug)]
pub struct ControlSource {
    pub(crate) sender: QueueSender<Event>,
    pub(crate) events: QueueReceiver<Event>,
}

impl ControlSource {
    pub fn new() -> Self {
        let (sender, events) = unbounded();
        Self { sender, events }
    }

    pub fn control(&self) -> Control {
        Control { events: self.sender.clone() }
    }

    /// Before a run begins: whether it has been told to stop. Nothing else can have come in by then.
    pub fn stop_is_asked_for(&self) -> bool {
        !self.events.is_empty()
    }

    /// After a run: whether it has been told to stop since the last call. What else comes in late concerns nobody.
    pub fn take_stop(&self) -> bool {
        std::iter::from_fn(|| self.events.take()).fold(false, |stop, event| stop | matches!(event, Event::Stop(_)))
    }
}

impl Default for ControlSource {
    fn default() -> Self {
        Self::new()
    }
}

impl Control {
    /// Stops sending and cuts off what is in flight. Finished requests are kept.
    pub fn stop(&self, reason: StopReason) {
        // Fails only when the run is over, and then there is nothing to stop.
        let _ = self.events.send(Event::Stop(reason));
    }

    /// Ends the measured phase as its duration would: nothing more is sent, and what is in flight may finish within the
    /// grace period. Before and after that phase nothing happens. `why` is a sentence for the log and the report.
    pub fn enough(&self, why: impl Into<Arc<str>>) {
        let _ = self.events.send(Event::Enough(why.into()));
    }
}
