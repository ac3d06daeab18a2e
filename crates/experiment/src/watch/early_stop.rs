//! Ends a run early when a stop rule is satisfied by the requests that have finished: `--until-ci`, stable measurement windows.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_clock::Mono;
use aiperf_config::PhaseKind;
use aiperf_engine::Control;
use aiperf_live::ConsumerReport;
use aiperf_metrics::{Metric, MetricContext};
use serde_json::Value;

use crate::error::RunError;
use crate::watch::live::{LiveFeed, LiveSample, SettlingFeed};
use crate::watch::monitor::Monitor;

/// Time between two checks. Requests that ended before one check are all known by the next.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Decides from the finished requests when a run can end.
pub(crate) trait StopRule: Send {
    /// Metrics whose values the rule needs of each request.
    fn metrics(&self) -> Vec<Metric>;

    /// Called every few milliseconds of the profiling phase, and a last time when all records are in. `Some` ends the run as
    /// its duration would, with a sentence that says why; later calls then bring the requests that were in flight.
    fn check(&mut self, view: &FinishedRequests<'_>) -> Option<String>;

    /// After the last check: what to add to the summary.
    fn report(self: Box<Self>) -> StopReport;
}

/// The requests that have finished since the last check.
#[derive(Debug)]
pub(crate) struct FinishedRequests<'a> {
    /// Requests that finished since the last check.
    pub(crate) samples: &'a [LiveSample],
    /// When the profiling phase began.
    pub(crate) began: Mono,
    /// Every request that ended before this time has been seen, in this check or an earlier one.
    pub(crate) settled: Mono,
}

/// What a stop rule or a consumer of requests adds to the summary.
#[derive(Debug, Default)]
pub(crate) struct StopReport {
    /// An object for the summary, by its key.
    pub(crate) section: Option<(&'static str, Value)>,
    /// Why the target of the rule was not reached: the run has failed, although it has results.
    pub(crate) unmet: Option<String>,
    /// Sentences for the console.
    pub(crate) remarks: Vec<String>,
}

impl StopReport {
    /// What a consumer of requests adds to the summary.
    pub(crate) fn of_consumer(ConsumerReport { section, remarks }: ConsumerReport) -> Self {
        Self { section, unmet: None, remarks }
    }
}

/// A stop rule running on its own `early-stop` thread.
pub(crate) struct EarlyStop {
    pub(crate) feed: Arc<LiveFeed>,
    stop: Sender<Mono>,
    thread: JoinHandle<StopReport>,
}

impl EarlyStop {
    pub(crate) fn start(
        rule: Box<dyn StopRule>,
        context: MetricContext,
        monitor: &Arc<Monitor>,
        control: Control,
    ) -> Result<Self, RunError> {
        let feed = Arc::new(LiveFeed::new(rule.metrics(), context));
        let (stop, stopped) = channel();
        let samples = SettlingFeed::new(Arc::clone(&feed), Arc::clone(monitor));
        let thread_loop = EarlyStopLoop { samples, monitor: Arc::clone(monitor), control };
        let thread = thread::Builder::new()
            .name("early-stop".into())
            .spawn(move || thread_loop.run(rule, &stopped))
            .map_err(|cause| RunError::Thread { name: "early-stop", cause })?;
        Ok(Self { feed, stop, thread })
    }

    /// Call when all records are in. `until` is the time up to which the load was as asked: earlier than the end if the run was
    /// stopped. A rule that panicked reports nothing; the panic has been printed.
    pub(crate) fn finish(self, until: Mono) -> StopReport {
        // Fails only if the thread has ended already.
        let _ = self.stop.send(until);
        self.thread.join().unwrap_or_default()
    }
}

struct EarlyStopLoop {
    samples: SettlingFeed,
    monitor: Arc<Monitor>,
    control: Control,
}

impl EarlyStopLoop {
    fn run(mut self, mut rule: Box<dyn StopRule>, stopped: &Receiver<Mono>) -> StopReport {
        let mut is_satisfied = false;
        let until = loop {
            match stopped.recv_timeout(CHECK_INTERVAL) {
                Ok(until) => break until,
                Err(RecvTimeoutError::Disconnected) => break Mono::now(),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = Mono::now();
            let Some(began) = self.began() else {
                self.samples.wait(now);
                continue;
            };
            let (samples, settled) = self.samples.take(now);
            let view = FinishedRequests { samples: &samples, began, settled: settled.unwrap_or(began).max(began) };
            if let Some(why) = rule.check(&view).filter(|_| !is_satisfied) {
                is_satisfied = true;
                self.control.enough(why);
            }
        };
        if let Some(began) = self.began() {
            let samples = self.samples.take_rest();
            rule.check(&FinishedRequests { samples: &samples, began, settled: until.max(began) });
        }
        rule.report()
    }

    /// When the profiling phase began, if it has.
    fn began(&self) -> Option<Mono> {
        let progress = &self.monitor.progress;
        progress.began().filter(|_| progress.phase() == Some(PhaseKind::Profiling))
    }
}
