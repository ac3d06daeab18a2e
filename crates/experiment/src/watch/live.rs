//! Passes finished requests from the record threads to the early-stop rules and load controllers while a run goes on. The lock is
//! held only to add one sample or to take all of them; workers are not involved.

use std::sync::{Arc, Mutex, PoisonError};

use aiperf_clock::Mono;
use aiperf_metrics::{Metric, MetricContext, Observation, RecordValues};
use aiperf_protocol::RequestOutcome;

use crate::watch::monitor::Monitor;

/// One finished request.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveSample {
    /// When it was to be sent.
    pub due: Mono,
    pub start: Mono,
    pub end: Mono,
    pub outcome: RequestOutcome,
    /// Values of the metrics that were asked for, in that order and in base units (times in nanoseconds); `None` if the request
    /// has no such value.
    pub values: Vec<Option<f64>>,
}

/// Samples for one early-stop rule or load controller.
#[derive(Debug)]
pub(crate) struct LiveFeed {
    wanted: Vec<Metric>,
    context: MetricContext,
    inbox: Mutex<Inbox>,
}

#[derive(Debug, Default)]
struct Inbox {
    samples: Vec<LiveSample>,
    /// Samples of the whole run, including those taken out.
    noted: u64,
}

impl LiveFeed {
    pub(crate) fn new(wanted: Vec<Metric>, context: MetricContext) -> Self {
        Self { wanted, context, inbox: Mutex::default() }
    }

    /// Adds a request of a phase that is watched.
    pub(crate) fn note(&self, seen: &Observation, values: &RecordValues) {
        let sample = LiveSample {
            due: seen.due,
            start: seen.start,
            end: seen.end,
            outcome: seen.outcome(),
            values: self.wanted.iter().map(|metric| values.get(*metric, &self.context)).collect(),
        };
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        inbox.samples.push(sample);
        inbox.noted += 1;
    }

    /// The samples since the last call, and the number of samples of the whole run.
    pub(crate) fn take(&self) -> (Vec<LiveSample>, u64) {
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut inbox.samples), inbox.noted)
    }
}

/// Takes the samples of a feed, and knows up to when all requests have been seen.
#[derive(Debug)]
pub(crate) struct SettlingFeed {
    feed: Arc<LiveFeed>,
    monitor: Arc<Monitor>,
    /// A time, and the number of records at which every request that ended before it has been seen.
    settling: Option<(Mono, u64)>,
    settled: Option<Mono>,
    last_check: Mono,
}

impl SettlingFeed {
    pub(crate) fn new(feed: Arc<LiveFeed>, monitor: Arc<Monitor>) -> Self {
        Self { feed, monitor, settling: None, settled: None, last_check: Mono::now() }
    }

    /// To be called instead of [`SettlingFeed::take`] while there is nothing to see.
    pub(crate) fn wait(&mut self, now: Mono) {
        self.last_check = now;
    }

    /// The samples since the last call, and the time before which every request that ended has been seen, once there is one. To be
    /// called again and again while the phase of the feed is the current one.
    pub(crate) fn take(&mut self, now: Mono) -> (Vec<LiveSample>, Option<Mono>) {
        // Workers return a request at once: those that ended before the last check have been returned by now.
        let returned = self.monitor.progress.returned();
        let (until, needed) = *self.settling.get_or_insert((self.last_check, returned));
        let (samples, noted) = self.feed.take();
        if noted >= needed {
            self.settled = Some(until);
            self.settling = None;
        }
        self.last_check = now;
        (samples, self.settled)
    }

    /// The samples since the last call.
    pub(crate) fn take_rest(&self) -> Vec<LiveSample> {
        self.feed.take().0
    }

    pub(crate) fn settled(&self) -> Option<Mono> {
        self.settled
    }
}
