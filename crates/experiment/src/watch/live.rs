//! Passes finished requests from the record threads to the early-stop rules while a run goes on. The lock is held only to add
//! one sample or to take all of them; workers are not involved.

use std::sync::{Mutex, PoisonError};

use aiperf_clock::Mono;
use aiperf_metrics::{Metric, MetricContext, Observation, RecordValues};
use aiperf_protocol::RequestOutcome;

/// One finished request of the profiling phase.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LiveSample {
    pub(crate) start: Mono,
    pub(crate) end: Mono,
    pub(crate) outcome: RequestOutcome,
    /// Values of the metrics that the rule asked for, in that order and in base units (times in nanoseconds); `None` if the
    /// request has no such value.
    pub(crate) values: Vec<Option<f64>>,
}

/// Samples for one early-stop rule.
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

    /// Adds a request of the profiling phase.
    pub(crate) fn note(&self, seen: &Observation, values: &RecordValues) {
        let sample = LiveSample {
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
