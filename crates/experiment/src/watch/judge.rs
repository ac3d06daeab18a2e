//! Ends a run early when someone who looks at what has finished has seen enough.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_clock::Mono;
use aiperf_config::PhaseKind;
use aiperf_engine::Control;
use aiperf_metrics::{Metric, MetricContext};
use serde_json::Value;

use crate::error::RunError;
use crate::watch::live::{LiveFeed, Sample};
use crate::watch::monitor::Monitor;

/// Between two looks. What finished is known for certain one look later.
const LOOK: Duration = Duration::from_millis(20);

/// Looks at what has finished, and says when that is enough.
pub(crate) trait Judge: Send {
    /// Metrics whose values it wants of each request.
    fn wanted(&self) -> Vec<Metric>;

    /// Called every few milliseconds of the measured phase, and a last time when all records are in. An answer ends the
    /// run as its duration would; it is a sentence that says why. After one it is called on, with what was in flight.
    fn look(&mut self, view: &View<'_>) -> Option<String>;

    /// After the last look: what the summary is to say.
    fn conclude(self: Box<Self>) -> Conviction;
}

/// What there is to see.
#[derive(Debug)]
pub(crate) struct View<'a> {
    /// What came since the last look.
    pub(crate) samples: &'a [Sample],
    /// When the measured phase began.
    pub(crate) began: Mono,
    /// Every request that ended by then has been seen, in this look or before.
    pub(crate) settled: Mono,
}

/// What a judge came to.
#[derive(Debug, Default)]
pub(crate) struct Conviction {
    /// An object for the summary, by its key.
    pub(crate) section: Option<(&'static str, Value)>,
    /// Why what was asked for was not reached: the run has failed, though it has results.
    pub(crate) unmet: Option<String>,
    /// Sentences for the console.
    pub(crate) remarks: Vec<String>,
}

/// A judge at work, on a thread of its own.
pub(crate) struct Watch {
    pub(crate) feed: Arc<LiveFeed>,
    stop: Sender<Mono>,
    thread: JoinHandle<Conviction>,
}

impl Watch {
    pub(crate) fn start(
        judge: Box<dyn Judge>,
        context: MetricContext,
        monitor: &Arc<Monitor>,
        control: Control,
    ) -> Result<Self, RunError> {
        let feed = Arc::new(LiveFeed::new(judge.wanted(), context));
        let (stop, stopped) = channel();
        let bench = Bench { feed: Arc::clone(&feed), monitor: Arc::clone(monitor), control, settling: None };
        let thread = thread::Builder::new()
            .name("judge".into())
            .spawn(move || bench.sit(judge, &stopped))
            .map_err(RunError::RecordThread)?;
        Ok(Self { feed, stop, thread })
    }

    /// When all records are in. `until`: up to when the load was as it should be, which is not the end where a run was broken
    /// off. A judge that panicked has nothing to say, and the panic has been reported.
    pub(crate) fn finish(self, until: Mono) -> Conviction {
        // A thread that is gone has nothing to be told.
        let _ = self.stop.send(until);
        self.thread.join().unwrap_or_default()
    }
}

struct Bench {
    feed: Arc<LiveFeed>,
    monitor: Arc<Monitor>,
    control: Control,
    /// A time, and how many records there must be until all are in that ended by then.
    settling: Option<(Mono, u64)>,
}

impl Bench {
    fn sit(mut self, mut judge: Box<dyn Judge>, stopped: &Receiver<Mono>) -> Conviction {
        let mut last_look = Mono::now();
        let mut settled = None;
        let mut answered = false;
        let until = loop {
            match stopped.recv_timeout(LOOK) {
                Ok(until) => break until,
                Err(RecvTimeoutError::Disconnected) => break Mono::now(),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = Mono::now();
            let Some(began) = self.began() else {
                last_look = now;
                continue;
            };
            // Who ended by the last look has been given back by now, or nearly: a worker does that at once.
            let (until, needed) = *self.settling.get_or_insert((last_look, self.monitor.progress.returned()));
            let (samples, noted) = self.feed.take();
            if noted >= needed {
                settled = Some(until);
                self.settling = None;
            }
            let view = View { samples: &samples, began, settled: settled.unwrap_or(began).max(began) };
            if let Some(why) = judge.look(&view).filter(|_| !answered) {
                answered = true;
                self.control.enough(why);
            }
            last_look = now;
        };
        if let Some(began) = self.began() {
            let (samples, _) = self.feed.take();
            judge.look(&View { samples: &samples, began, settled: until.max(began) });
        }
        judge.conclude()
    }

    /// When the measured phase began, if it has.
    fn began(&self) -> Option<Mono> {
        let progress = &self.monitor.progress;
        progress.began().filter(|_| progress.phase() == Some(PhaseKind::Profiling))
    }
}
