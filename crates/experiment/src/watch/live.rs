//! What has finished, handed to whoever watches a run while it goes on. A record thread leaves a few numbers behind a lock that
//! is held for as long as one is put in or all are taken out; workers know nothing of it.

use std::sync::{Mutex, PoisonError};

use aiperf_clock::Mono;
use aiperf_metrics::{Cancellation, Metric, MetricContext, Observation, RecordValues};

/// One finished request of the measured phase.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sample {
    pub(crate) start: Mono,
    pub(crate) end: Mono,
    pub(crate) outcome: SampleOutcome,
    /// The metrics that were asked for, in that order and in their base units (times in nanoseconds); `None` where the
    /// request has no such value.
    pub(crate) values: Vec<Option<f64>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SampleOutcome {
    Succeeded,
    Failed,
    /// The run ended first: it says nothing of the server.
    CutOff,
}

/// Where record threads leave samples for one watcher.
#[derive(Debug)]
pub(crate) struct LiveFeed {
    wanted: Vec<Metric>,
    context: MetricContext,
    inbox: Mutex<Inbox>,
}

#[derive(Debug, Default)]
struct Inbox {
    samples: Vec<Sample>,
    /// Of the whole run, those taken out included.
    noted: u64,
}

impl LiveFeed {
    pub(crate) fn new(wanted: Vec<Metric>, context: MetricContext) -> Self {
        Self { wanted, context, inbox: Mutex::default() }
    }

    /// Only for requests of the measured phase.
    pub(crate) fn note(&self, seen: &Observation, values: &RecordValues) {
        let sample = Sample {
            start: seen.start,
            end: seen.end,
            outcome: match &seen.failure {
                None => SampleOutcome::Succeeded,
                Some(failure) if failure.cancelled == Some(Cancellation::RunEnded) => SampleOutcome::CutOff,
                Some(_) => SampleOutcome::Failed,
            },
            values: self.wanted.iter().map(|metric| values.get(*metric, &self.context)).collect(),
        };
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        inbox.samples.push(sample);
        inbox.noted += 1;
    }

    /// What came since the last call, and how many came in all.
    pub(crate) fn take(&self) -> (Vec<Sample>, u64) {
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut inbox.samples), inbox.noted)
    }
}
