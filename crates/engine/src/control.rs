//! How others stop a run or change its load: a signal handler, the limit on failures, the early stop, a load controller, a test.

use std::sync::Arc;

use aiperf_config::LoadLevel;
use aiperf_protocol::StopReason;

use crate::queue::{QueueReceiver, QueueSender, unbounded};
use crate::request::credit::Returned;
use crate::request::follow_up::FollowedUp;
use crate::request::preconnect::Preconnected;
use crate::request::reserved::Withdrawn;

/// What the scheduler wakes up for.
#[derive(Debug)]
pub(crate) enum SchedulerEvent {
    Returned(Returned),
    /// A request got its first content: it is no longer in prefill.
    FirstToken {
        phase: usize,
    },
    FollowedUp(FollowedUp),
    /// A worker has opened the connections that it was asked for, or has given up.
    Preconnected(Preconnected),
    /// A worker has given back what it had in reserve.
    Withdrawn(Withdrawn),
    Stop(StopReason),
    /// The measured phase may end early, because enough is known.
    Enough {
        /// Only this phase; `None`: the measured phase that is sending.
        phase: Option<usize>,
        why: Arc<str>,
    },
    /// A phase whose load is controlled goes on with this one.
    SetLoad {
        phase: usize,
        level: LoadLevel,
    },
    /// A phase that limits how many requests wait for their first token goes on with this limit.
    SetPrefillLimit {
        phase: usize,
        limit: usize,
    },
}

/// Stops a run or changes its load from outside. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Control {
    events: QueueSender<SchedulerEvent>,
}

/// The scheduler's end of all [`Control`]s.
#[derive(Debug)]
pub struct ControlSource {
    pub(crate) sender: QueueSender<SchedulerEvent>,
    pub(crate) events: QueueReceiver<SchedulerEvent>,
}

impl ControlSource {
    pub fn new() -> Self {
        let (sender, events) = unbounded();
        Self { sender, events }
    }

    pub fn control(&self) -> Control {
        Control { events: self.sender.clone() }
    }

    /// Whether the run has been told to stop before it began. Nothing else can have come in by then.
    pub fn stop_is_asked_for(&self) -> bool {
        !self.events.is_empty()
    }

    /// Whether a run that is over has been told to stop since the last call. Other events that came in late are dropped.
    pub fn take_stop(&self) -> bool {
        std::iter::from_fn(|| self.events.take())
            .fold(false, |stop, event| stop | matches!(event, SchedulerEvent::Stop(_)))
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
        let _ = self.events.send(SchedulerEvent::Stop(reason));
    }

    /// Whether the run has been told to stop and does not know it yet: the scheduler is busy or waits for something else.
    pub fn stop_is_asked_for(&self) -> bool {
        self.events.has(|event| matches!(event, SchedulerEvent::Stop(_)))
    }

    /// Ends the measured phase as its duration would: nothing more is sent, and what is in flight may finish within the
    /// grace period. Before and after that phase nothing happens. `why` is a sentence for the log and the report.
    pub fn enough(&self, why: impl Into<Arc<str>>) {
        let _ = self.events.send(SchedulerEvent::Enough { phase: None, why: why.into() });
    }

    /// The same for one phase, by its index: nothing happens before and after it.
    pub fn end_phase(&self, phase: usize, why: impl Into<Arc<str>>) {
        let _ = self.events.send(SchedulerEvent::Enough { phase: Some(phase), why: why.into() });
    }

    /// Changes the load of a phase, by its index, at once: further users begin, surplus ones are not replaced when they end,
    /// and the time to the next arrival is stretched by the ratio of the rates. [`Progress::load`](crate::Progress::load)
    /// then says since when it holds. Nothing happens before and after that phase, or if its pace is not
    /// [`Pace::Controlled`](aiperf_config::Pace::Controlled).
    pub fn set_load(&self, phase: usize, level: LoadLevel) {
        let _ = self.events.send(SchedulerEvent::SetLoad { phase, level });
    }

    /// Changes how many requests of a phase, by its index, may wait for their first token. Nothing happens before and after that
    /// phase, or if it began without such a limit.
    pub fn set_prefill_limit(&self, phase: usize, limit: usize) {
        let _ = self.events.send(SchedulerEvent::SetPrefillLimit { phase, limit });
    }
}
