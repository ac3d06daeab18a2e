//! What a run and its views share.

mod model;
pub(crate) mod notes;

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aiperf_clock::{Mono, WallAnchor};
use aiperf_metrics::{HealthSample, Observation, RecordValues};

use crate::aggregate::RequestSample;
use crate::event::{EventLog, LiveEvent};
use crate::facts::{RunFacts, RunPlan};
use crate::feed::{RequestConsumer, RunGauges};
use crate::history::History;
use crate::snapshot::{CellProgress, GpuState, LogLine, RunEnd, RunState, Snapshot, StageName, StageState};
use crate::thread;
use model::Model;
use notes::{Inbox, Note, TransferSource};

/// Everything that views may know of a run. The run pushes into it, one thread aggregates, views read.
pub struct LiveRun {
    anchor: WallAnchor,
    facts: Mutex<Arc<RunFacts>>,
    pub(crate) views: AtomicUsize,
    inbox: Mutex<Inbox>,
    /// Held by the aggregation, and for the copy of a history.
    model: Mutex<Model>,
    published: Mutex<Arc<Snapshot>>,
    newer: Condvar,
    events: Mutex<EventLog>,
    more_events: Condvar,
    history: Mutex<Arc<History>>,
    consumers: Mutex<Vec<Arc<dyn RequestConsumer>>>,
    cancel: Mutex<Option<Box<dyn Fn() + Send>>>,
    activity: Mutex<Option<RunActivity>>,
    /// Set when there is something that views should see at once.
    urgent: Mutex<bool>,
    wake: Condvar,
}

/// What a run does before its first request and after its last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunActivity {
    /// As people read it: `Data set`, `Writing files`.
    pub title: &'static str,
    /// What is being done; may be empty.
    pub text: String,
    pub since: Mono,
}

/// Keeps snapshots coming for as long as it exists.
#[derive(Debug)]
pub struct View {
    run: Arc<LiveRun>,
}

impl Drop for View {
    fn drop(&mut self) {
        self.run.views.fetch_sub(1, Ordering::AcqRel);
        self.run.hurry();
    }
}

impl LiveRun {
    pub fn new(facts: RunFacts) -> Arc<Self> {
        Arc::new(Self::anchored(facts, WallAnchor::take()))
    }

    pub(crate) fn anchored(facts: RunFacts, anchor: WallAnchor) -> Self {
        Self {
            anchor,
            facts: Mutex::new(Arc::new(facts)),
            views: AtomicUsize::new(0),
            inbox: Mutex::default(),
            model: Mutex::new(Model::new(anchor)),
            published: Mutex::default(),
            newer: Condvar::new(),
            events: Mutex::default(),
            more_events: Condvar::new(),
            history: Mutex::default(),
            consumers: Mutex::default(),
            cancel: Mutex::new(None),
            activity: Mutex::new(None),
            urgent: Mutex::new(false),
            wake: Condvar::new(),
        }
    }

    /// Attaches a view. Call it before the run is prepared: what happens without a view is not kept. The first view starts the
    /// aggregation.
    pub fn attach(self: &Arc<Self>) -> io::Result<View> {
        if self.views.fetch_add(1, Ordering::AcqRel) == 0
            && let Err(error) = thread::start(self)
        {
            self.views.fetch_sub(1, Ordering::AcqRel);
            return Err(error);
        }
        Ok(View { run: Arc::clone(self) })
    }

    /// Whether a view is attached.
    pub fn is_watched(&self) -> bool {
        self.views.load(Ordering::Acquire) > 0
    }

    pub fn facts(&self) -> Arc<RunFacts> {
        Arc::clone(&lock(&self.facts))
    }

    /// What keeps the run busy while it sends no requests. Known without a view.
    pub fn activity(&self) -> Option<RunActivity> {
        lock(&self.activity).clone()
    }

    /// The last snapshot that was published; five a second while a view is attached.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&lock(&self.published))
    }

    /// Waits for a snapshot with a greater number; `None` after the time is over.
    pub fn wait_newer(&self, than: u64, timeout: Duration) -> Option<Arc<Snapshot>> {
        let waited = self.newer.wait_timeout_while(lock(&self.published), timeout, |last| last.seq <= than);
        let last = waited.unwrap_or_else(PoisonError::into_inner).0;
        (last.seq > than).then(|| Arc::clone(&last))
    }

    /// The events after this number, as far as they are kept.
    pub fn events_after(&self, seq: u64) -> Vec<Arc<LiveEvent>> {
        lock(&self.events).after(seq)
    }

    /// Waits until there is an event after this number; empty after the time is over.
    pub fn wait_events(&self, after: u64, timeout: Duration) -> Vec<Arc<LiveEvent>> {
        let waited = self.more_events.wait_timeout_while(lock(&self.events), timeout, |log| log.last() <= after);
        waited.unwrap_or_else(PoisonError::into_inner).0.after(after)
    }

    /// The current phase over time, one point a second.
    pub fn history(&self) -> Arc<History> {
        let model = lock(&self.model);
        let mut kept = lock(&self.history);
        let current = model.history();
        let same = kept.points.last().map(|point| point.at.to_bits())
            == current.points.last().map(|point| point.at.to_bits())
            && kept.phase == current.phase;
        if !same || kept.points.len() != current.points.len() {
            *kept = Arc::new(current.clone());
        }
        Arc::clone(&kept)
    }

    /// Call before the run starts. The consumer is called on record threads for each finished request.
    pub fn add_consumer(&self, consumer: Arc<dyn RequestConsumer>) {
        lock(&self.consumers).push(consumer);
    }

    /// The consumer wants no more requests.
    pub fn remove_consumer(&self, consumer: &Arc<dyn RequestConsumer>) {
        lock(&self.consumers).retain(|known| !Arc::ptr_eq(known, consumer));
    }

    /// What Ctrl-C does once. Without effect before the run can be stopped.
    pub fn cancel(&self) {
        if let Some(cancel) = &*lock(&self.cancel) {
            cancel();
        }
    }

    /// Sets what [`LiveRun::cancel`] does.
    pub fn on_cancel(&self, cancel: impl Fn() + Send + 'static) {
        *lock(&self.cancel) = Some(Box::new(cancel));
    }

    pub(crate) fn sleep(&self, length: Duration) {
        let waited = self.wake.wait_timeout_while(lock(&self.urgent), length, |urgent| !*urgent);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }

    fn hurry(&self) {
        *lock(&self.urgent) = true;
        self.wake.notify_all();
    }

    /// Takes in what came since the last call and publishes a snapshot.
    pub(crate) fn tick(&self, now: Mono) {
        let mut model = lock(&self.model);
        let (samples, notes, dropped) = lock(&self.inbox).take();
        let (snapshot, new_events) = model.advance(now, samples, notes, dropped);
        // The model stays locked, so that snapshots and events come out in their order.
        if !new_events.is_empty() {
            let mut log = lock(&self.events);
            for (at_ns, kind) in new_events {
                log.push(at_ns, kind);
            }
            self.more_events.notify_all();
        }
        *lock(&self.published) = Arc::new(snapshot);
        self.newer.notify_all();
    }

    pub(crate) fn note(&self, note: Note) {
        if self.is_watched() {
            lock(&self.inbox).note(note);
        }
    }
}

/// What the run tells. Nothing waits, and nothing is kept while no view is attached.
impl LiveRun {
    /// The consumers of this run.
    pub fn consumers(&self) -> Vec<Arc<dyn RequestConsumer>> {
        lock(&self.consumers).clone()
    }

    /// A finished request, from a record thread.
    pub fn push(&self, phase_index: usize, observation: &Observation, values: &RecordValues) {
        if self.is_watched() {
            let sample = RequestSample::new(phase_index, observation, values);
            lock(&self.inbox).push(sample);
        }
    }

    /// A line of start-up.
    pub fn stage(&self, name: StageName, state: StageState, text: impl AsRef<str>) {
        let is_working = matches!(state, StageState::Working { .. });
        self.set_activity(is_working.then(|| (name.title(), text.as_ref().to_owned())));
        self.note(Note::Stage { at: Mono::now(), name, state, text: text.as_ref().to_owned() });
    }

    /// Where downloads say how far they are: name, bytes so far, and all bytes if they are known. The line of start-up that is being
    /// worked on shows it.
    pub fn follow_downloads(&self, read: impl Fn() -> Option<(String, u64, Option<u64>)> + Send + 'static) {
        self.note(Note::Transfers(TransferSource(Box::new(read))));
    }

    /// The run has an id and knows its phases. Its counters are read from now on.
    pub fn begin(&self, plan: RunPlan, gauges: Arc<dyn RunGauges>) {
        self.set_activity(None);
        self.note(Note::Begin { plan, gauges });
    }

    pub fn health(&self, sample: &HealthSample) {
        self.note(Note::Health(*sample));
    }

    pub fn gpu(&self, gpu: GpuState) {
        self.note(Note::Gpu(gpu));
    }

    pub fn log(&self, level: &'static str, message: &str) {
        if self.is_watched() {
            let at_ns = self.epoch_now();
            self.note(Note::Log(LogLine { at_ns, level, message: message.to_owned() }));
        }
    }

    /// All responses are in: [`RunState::Processing`], then [`RunState::Exporting`].
    pub fn enter(&self, state: RunState) {
        self.set_activity(Some((state.title(), String::new())));
        self.note(Note::State { at: Mono::now(), state });
        self.hurry();
    }

    /// Several runs follow, with these names.
    pub fn plan_cells(&self, names: Vec<String>) {
        self.note(Note::Cells(names));
    }

    /// One of several runs begins: what views know of the one before it is forgotten, except its row.
    pub fn begin_cell(&self, index: usize, facts: RunFacts) {
        if !self.is_watched() {
            return;
        }
        // What is left of the run before belongs to it.
        self.tick(Mono::now());
        *lock(&self.facts) = Arc::new(facts);
        self.note(Note::CellBegins { at: Mono::now(), index });
    }

    pub fn end_cell(&self, index: usize, cell: CellProgress) {
        self.note(Note::CellDone { index, cell });
        self.hurry();
    }

    /// The whole command is over. Returns when views can read it.
    pub fn end(&self, result: RunEnd) {
        if !self.is_watched() {
            return;
        }
        self.note(Note::End(result));
        self.tick(Mono::now());
    }

    fn set_activity(&self, activity: Option<(&'static str, String)>) {
        let mut current = lock(&self.activity);
        let since = current.as_ref().filter(|known| activity.as_ref().is_some_and(|(title, _)| known.title == *title));
        let since = since.map_or_else(Mono::now, |known| known.since);
        *current = activity.map(|(title, text)| RunActivity { title, text, since });
    }

    fn epoch_now(&self) -> i64 {
        self.anchor.epoch(Mono::now()).0 as i64
    }
}

impl fmt::Debug for LiveRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveRun").field("views", &self.views).finish_non_exhaustive()
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
