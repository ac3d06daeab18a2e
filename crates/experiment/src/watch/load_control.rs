//! Changes the load of a phase while it runs: a controller sees the requests that have finished and decides, on a thread of its own.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_clock::{Mono, WallAnchor};
use aiperf_config::{LoadLevel, Pace, PhaseConfig};
use aiperf_engine::{Control, ControlSource, LoadInForce};
use aiperf_live::CapacityProgress;
use aiperf_metrics::{Metric, MetricContext};
use aiperf_report::WrittenFile;
use serde_json::Value;

use crate::error::RunError;
use crate::watch::early_stop::StopReport;
use crate::watch::live::{LiveFeed, LiveSample, SettlingFeed};
use crate::watch::monitor::Monitor;

/// Time between two calls of a controller.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// Decides from the finished requests of a phase with [`Pace::Controlled`] which load comes next.
pub trait LoadController: fmt::Debug + Send {
    /// Metrics whose values the controller needs of each request.
    fn metrics(&self) -> Vec<Metric>;

    /// Called every few milliseconds from the beginning of the phase on, until all of its records are in. What it returns after the
    /// phase has stopped sending has no effect.
    fn decide(&mut self, view: &LoadView<'_>) -> LoadDecision;

    /// How far it is, in a few words for people who watch the run.
    fn note(&self) -> Option<String> {
        None
    }

    /// The same as a picture, if it searches for a capacity.
    fn capacity(&self) -> Option<Arc<CapacityProgress>> {
        None
    }

    /// After the last call.
    fn report(self: Box<Self>) -> LoadReport;
}

/// What a controller sees.
#[derive(Debug)]
pub struct LoadView<'a> {
    /// Requests that finished since the last call, of this phase only, in no particular order.
    pub samples: &'a [LiveSample],
    /// When the phase began.
    pub began: Mono,
    pub now: Mono,
    /// Every request that ended before this time has been seen, in this call or an earlier one.
    pub settled: Mono,
    /// The load that holds, and since when. What was set is in force once `changes` says so.
    pub load: LoadInForce,
    /// Requests that the phase has sent so far, and how many of them have come back.
    pub sent: u64,
    pub returned: u64,
    /// When the phase stopped sending, for whatever reason; `None` while it sends.
    pub sending_ended: Option<Mono>,
    /// All records are in: this is the last call.
    pub is_last: bool,
    /// From monotonic to wall-clock time.
    pub anchor: &'a WallAnchor,
}

/// What a controller wants.
#[derive(Debug, Clone, PartialEq)]
pub enum LoadDecision {
    /// The load stays as it is.
    Keep,
    /// The phase goes on with this load. Until it is in force, [`LoadView::load`] is the one before.
    Set(LoadLevel),
    /// Nothing more is sent, and what is in flight may finish within the grace period. The sentence says why.
    End(String),
}

/// What a controller adds to the results.
#[derive(Debug, Default)]
pub struct LoadReport {
    /// An object for the summary, by its key.
    pub section: Option<(&'static str, Value)>,
    /// Why the goal was not reached: the run has failed, although it has results.
    pub unmet: Option<String>,
    /// Sentences for the console.
    pub remarks: Vec<String>,
    /// Files that the controller has written.
    pub files: Vec<WrittenFile>,
}

/// A controller of one phase running on its own `load-control` thread.
#[derive(Debug)]
pub(crate) struct LoadControl {
    /// Index of the phase.
    pub(crate) phase: usize,
    pub(crate) feed: Arc<LiveFeed>,
    stop: Sender<()>,
    thread: JoinHandle<LoadReport>,
}

impl LoadControl {
    pub(crate) fn start(
        phase: usize,
        controller: Box<dyn LoadController>,
        context: MetricContext,
        anchor: WallAnchor,
        monitor: &Arc<Monitor>,
        control: &ControlSource,
    ) -> Result<Self, RunError> {
        let feed = Arc::new(LiveFeed::new(controller.metrics(), context));
        let (stop, stopped) = channel();
        let thread_loop = LoadControlLoop {
            phase,
            samples: SettlingFeed::new(Arc::clone(&feed), Arc::clone(monitor)),
            monitor: Arc::clone(monitor),
            control: control.control(),
            anchor,
            last: None,
        };
        let thread = thread::Builder::new()
            .name("load-control".into())
            .spawn(move || thread_loop.run(controller, &stopped))
            .map_err(|cause| RunError::Thread { name: "load-control", cause })?;
        Ok(Self { phase, feed, stop, thread })
    }

    /// Call when all records are in. A controller that panicked reports nothing; the panic has been printed.
    pub(crate) fn finish(self) -> (StopReport, Vec<WrittenFile>) {
        // Fails only if the thread has ended already.
        let _ = self.stop.send(());
        let LoadReport { section, unmet, remarks, files } = self.thread.join().unwrap_or_default();
        (StopReport { section, unmet, remarks }, files)
    }
}

struct LoadControlLoop {
    phase: usize,
    samples: SettlingFeed,
    monitor: Arc<Monitor>,
    control: Control,
    anchor: WallAnchor,
    /// What was known of the phase while it was the current one.
    last: Option<PhaseReading>,
}

/// What the engine says of the phase.
#[derive(Debug, Clone, Copy)]
struct PhaseReading {
    began: Mono,
    load: LoadInForce,
    sent: u64,
    returned: u64,
    sending_ended: Option<Mono>,
}

impl LoadControlLoop {
    fn run(mut self, mut controller: Box<dyn LoadController>, stopped: &Receiver<()>) -> LoadReport {
        let mut is_ended = false;
        while matches!(stopped.recv_timeout(CHECK_INTERVAL), Err(RecvTimeoutError::Timeout)) {
            let now = Mono::now();
            let reading = self.read();
            if reading.is_none() && self.last.is_none() {
                self.samples.wait(now);
                continue;
            }
            // Once the next phase has begun, what the engine counts is about that one.
            let (samples, settled) = if reading.is_some() {
                self.samples.take(now)
            } else {
                (self.samples.take_rest(), self.samples.settled())
            };
            if reading.is_none() {
                self.last =
                    self.last.map(|last| PhaseReading { sending_ended: last.sending_ended.or(Some(now)), ..last });
            } else {
                self.last = reading;
            }
            let Some(decision) = self.ask(&mut *controller, &samples, now, settled, false) else { continue };
            self.monitor.set_note(controller.note());
            self.monitor.set_capacity(controller.capacity());
            match decision {
                LoadDecision::Set(level) => self.control.set_load(self.phase, level),
                LoadDecision::End(why) if !is_ended => {
                    is_ended = true;
                    self.control.end_phase(self.phase, why);
                }
                LoadDecision::Keep | LoadDecision::End(_) => {}
            }
        }
        let now = Mono::now();
        self.last = self.read().or(self.last);
        let samples = self.samples.take_rest();
        self.ask(&mut *controller, &samples, now, Some(now), true);
        controller.report()
    }

    /// `None` if the phase has not begun.
    fn ask(
        &self,
        controller: &mut dyn LoadController,
        samples: &[LiveSample],
        now: Mono,
        settled: Option<Mono>,
        is_last: bool,
    ) -> Option<LoadDecision> {
        let PhaseReading { began, load, sent, returned, sending_ended } = self.last?;
        let settled = settled.unwrap_or(began).max(began);
        let anchor = &self.anchor;
        Some(controller.decide(&LoadView {
            samples,
            began,
            now,
            settled,
            load,
            sent,
            returned,
            sending_ended,
            is_last,
            anchor,
        }))
    }

    /// `None` unless the phase is the one that began last.
    fn read(&self) -> Option<PhaseReading> {
        let progress = &self.monitor.progress;
        let (_, began) = progress.phase_index().filter(|(index, _)| *index == self.phase)?;
        let load = progress.load().filter(|load| load.phase == self.phase)?;
        let (sent, returned, sending_ended) = (progress.sent(), progress.returned(), progress.sending_ended());
        // All of this was about one phase only if it still is the current one.
        progress.phase_index().filter(|(index, _)| *index == self.phase)?;
        Some(PhaseReading { began, load, sent, returned, sending_ended })
    }
}

/// Whether the load of the phase may be changed while it runs.
pub(crate) fn is_controlled(phase: &PhaseConfig) -> bool {
    matches!(phase.pace, Pace::Controlled(_))
}
