//! All that the scheduler has of the world outside its thread: a clock, a way to send, and a source of events. A run puts
//! the machine's clock, worker threads and the control queue there; the scheduler's tests a virtual clock and a
//! simulated server.

use std::ops::RangeInclusive;

use aiperf_clock::{Clock, Mono};
use aiperf_protocol::RunOutcome;

use crate::control::{ControlSource, SchedulerEvent};
use crate::progress::Progress;
use crate::queue::WaitResult;
use crate::request::credit::Credit;
use crate::request::preconnect::ConnectionsAhead;
use crate::request::reserved::ReservedCredit;

/// Takes requests and sends each when it is due.
pub(crate) trait Dispatch {
    fn workers(&self) -> usize;

    /// Hands a request to the worker of its session. False when that worker is gone.
    fn send(&self, credit: Credit) -> bool;

    /// Hands a worker credits that it starts by itself, one whenever a request ends well that is the last of its session. False
    /// when that worker is gone.
    fn reserve(&self, worker: usize, credits: Vec<ReservedCredit>) -> bool;

    /// Has a worker give back the credits that it did not start; it does so with an event. False when that worker is gone.
    fn withdraw(&self, worker: usize) -> bool;

    /// Has a worker open connections; it reports with an event. False when that worker is gone.
    fn preconnect(&self, worker: usize, ahead: Vec<ConnectionsAhead>) -> bool;

    /// Ends all requests in flight of these phases, because they ended in this way.
    fn cut(&self, phases: RangeInclusive<usize>, phase_outcome: RunOutcome);
}

/// Brings what comes back from requests, and orders to stop.
pub(crate) trait EventSource {
    /// Waits for the next event, at most until the given time.
    fn wait(&self, until: Option<Mono>) -> WaitResult<SchedulerEvent>;

    /// An event that has come in already.
    fn take(&self) -> Option<SchedulerEvent>;
}

#[derive(Clone, Copy)]
pub(crate) struct SchedulerEnvironment<'a> {
    pub(crate) clock: &'a dyn Clock,
    pub(crate) dispatch: &'a dyn Dispatch,
    pub(crate) events: &'a dyn EventSource,
    pub(crate) progress: &'a Progress,
}

impl EventSource for ControlSource {
    fn wait(&self, until: Option<Mono>) -> WaitResult<SchedulerEvent> {
        match until {
            Some(until) => self.events.receive_until(until),
            None => self.events.receive().map_or(WaitResult::Closed, WaitResult::Item),
        }
    }

    fn take(&self) -> Option<SchedulerEvent> {
        self.events.take()
    }
}
