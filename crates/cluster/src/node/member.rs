//! A node in a run: reports from its beginning to the end of its share.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_clock::{Mono, Nanos, WallAnchor};
use aiperf_config::{CoordinatorLossPolicy, NodeLossPolicy};

use super::clock::{ClockWatch, NodeClock};
use super::shipping::{FolderShipper, Sender, Status};
use super::{Assignment, NodeAgent, POLL, beat, clock, orders, shipping};
use crate::ClusterError;
use crate::journal::Journal;
use crate::message::{Counters, MemberEntry, NodeCard, NodeEnd, NodePhase, encode};
use crate::names::{run_bucket, run_key};

/// Time between two measurements of the clock during a run.
const MEASURE_EVERY: Nanos = Nanos(5_000_000_000);
/// Time between two looks for new records.
const SHIP_EVERY: Duration = Duration::from_millis(200);
/// Pause before a failed call is repeated.
pub(super) const RETRY: Duration = Duration::from_millis(300);

type CountersSource = Box<dyn Fn() -> Counters + Send + Sync>;
type SketchSource = Box<dyn Fn() -> BTreeMap<String, Vec<(u32, u64)>> + Send + Sync>;
type StopAction = Box<dyn Fn(StopKind) + Send + Sync>;

/// How a node ends its sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopKind {
    /// Requests under way are cut off.
    Cut,
    /// Requests under way may finish.
    Drain,
}

/// What the threads of a member share.
pub(super) struct NodeState {
    pub(super) sender: Sender,
    card: NodeCard,
    pub(super) clock: ClockWatch,
    pub(super) orphan_policy: CoordinatorLossPolicy,
    pub(super) loss_policy: NodeLossPolicy,
    pub(super) done: AtomicBool,
    pub(super) unshipped: AtomicU64,
    pub(super) coordinator_alive: AtomicBool,
    spool_limit: u64,
    /// Where the process counts what it sends.
    pub(super) journal: OnceLock<Arc<Journal>>,
    /// The phase whose start this node waits for.
    waits_for: Mutex<Option<u64>>,
    counters: Mutex<Option<CountersSource>>,
    sketch_source: Mutex<Option<SketchSource>>,
    stop_action: Mutex<Option<StopAction>>,
    stopped: Mutex<Option<(String, StopKind)>>,
}

impl std::fmt::Debug for NodeState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NodeState").field("sender", &self.sender).finish_non_exhaustive()
    }
}

impl NodeState {
    pub(super) fn status(&self) -> Status {
        let counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        Status { clock: self.clock.latest(), counters: counters.as_ref().map_or_else(Counters::default, |read| read()) }
    }

    pub(super) fn sketches(&self) -> BTreeMap<String, Vec<(u32, u64)>> {
        self.sketch_source
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .map_or_else(BTreeMap::new, |read| read())
    }

    pub(super) fn waits_for(&self) -> Option<u64> {
        *self.waits_for.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_waits_for(&self, phase: Option<u64>) {
        *self.waits_for.lock().unwrap_or_else(PoisonError::into_inner) = phase;
    }

    /// Ends the sending of this node, once.
    pub(super) fn stop(&self, reason: &str, kind: StopKind) {
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        if stopped.is_some() {
            return;
        }
        *stopped = Some((reason.to_owned(), kind));
        drop(stopped);
        log::warn!("This node stops sending: {reason}");
        if let Some(action) = &*self.stop_action.lock().unwrap_or_else(PoisonError::into_inner) {
            action(kind);
        }
    }

    pub(super) fn stop_reason(&self) -> Option<String> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|(reason, _)| reason.clone())
    }

    pub(super) fn enter(&self, phase: NodePhase) -> Result<(), ClusterError> {
        let entry = MemberEntry { card: self.card.clone(), phase };
        self.sender.bus.put(&run_bucket(&self.sender.run), &run_key::member(self.sender.index), encode(&entry))
    }
}

/// A node that takes part in a run.
#[derive(Debug)]
pub struct Member {
    pub(super) shared: Arc<NodeState>,
    threads: Vec<JoinHandle<()>>,
    shipper: Arc<Mutex<FolderShipper>>,
    patience: Duration,
}

impl Member {
    /// Takes part from now on. `folder` is where the run writes; `records` is its file of records.
    pub fn begin(
        agent: &NodeAgent,
        assignment: &Assignment,
        folder: PathBuf,
        records: PathBuf,
    ) -> Result<Self, ClusterError> {
        let sender = Sender {
            bus: Arc::clone(&agent.bus),
            run: assignment.spec.run.clone(),
            node: agent.card.id.clone(),
            index: assignment.index,
        };
        let clock = ClockWatch::new(Arc::clone(&agent.bus), &sender.run, clock_of(WallAnchor::take()));
        let shipper = Arc::new(Mutex::new(FolderShipper::new(sender.clone(), folder, records)));
        let shared = Arc::new(NodeState {
            sender,
            card: agent.card.clone(),
            clock,
            orphan_policy: assignment.spec.on_coordinator_loss,
            loss_policy: assignment.spec.on_node_loss,
            done: AtomicBool::new(false),
            unshipped: AtomicU64::new(0),
            coordinator_alive: AtomicBool::new(true),
            spool_limit: agent.settings.spool_limit,
            journal: OnceLock::new(),
            waits_for: Mutex::default(),
            counters: Mutex::default(),
            sketch_source: Mutex::default(),
            stop_action: Mutex::default(),
            stopped: Mutex::default(),
        });
        shared.enter(NodePhase::Preparing)?;
        let mut threads = Vec::new();
        let mut start = |name: &str, work: Box<dyn FnOnce(&NodeState) + Send>| -> Result<(), ClusterError> {
            let shared = Arc::clone(&shared);
            let thread = thread::Builder::new().name(name.to_owned()).spawn(move || work(&shared));
            threads.push(thread.map_err(|cause| ClusterError::bus(format!("start the thread {name}"), cause))?);
            Ok(())
        };
        start(beat::THREAD, Box::new(beat::beat))?;
        start(orders::THREAD, Box::new(orders::watch))?;
        start(clock::THREAD, Box::new(watch_clock))?;
        let own = Arc::clone(&shipper);
        start(shipping::THREAD, Box::new(move |shared: &NodeState| ship(shared, &own)))?;
        Ok(Self { shared, threads, shipper, patience: agent.settings.patience })
    }

    /// Notes there how far the stream is, for whoever reports this process when it was killed.
    pub fn keep_in(&self, journal: Arc<Journal>) {
        // A member has one journal: who comes later finds it taken.
        let _ = self.shared.journal.set(journal);
    }

    /// Where the counters of signs of life come from.
    pub fn count_by(&self, counters: impl Fn() -> Counters + Send + Sync + 'static) {
        *self.shared.counters.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(counters));
    }

    /// Where the distributions of latencies come from.
    pub fn sketch_by(&self, sketches: impl Fn() -> BTreeMap<String, Vec<(u32, u64)>> + Send + Sync + 'static) {
        *self.shared.sketch_source.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(sketches));
    }

    /// What ends the sending when the coordinator says so, or now if it has said so.
    pub fn stop_by(&self, action: impl Fn(StopKind) + Send + Sync + 'static) {
        if let Some((_, kind)) = &*self.shared.stopped.lock().unwrap_or_else(PoisonError::into_inner) {
            action(*kind);
        }
        *self.shared.stop_action.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(action));
    }

    /// Says why this node cannot take part.
    pub fn fail(mut self, reason: &str) {
        let end = NodeEnd::new(Some(reason.to_owned()), self.shared.status().counters);
        let _ = self.shipper().ship_rest(&self.shared.status(), end);
        let _ = self.shared.enter(NodePhase::Failed(reason.to_owned()));
        self.join();
    }

    /// Sends all that is left, and waits until the bus has it. `failure`: why the share is not complete.
    pub fn finish(mut self, failure: Option<String>) -> Result<(), ClusterError> {
        let failure = self.shared.stop_reason().or(failure);
        let begun = Mono::now();
        loop {
            let status = self.shared.status();
            let end = NodeEnd::new(failure.clone(), status.counters.clone());
            let shipped = self.shipper().ship_rest(&status, end);
            match shipped {
                Ok(()) => break,
                Err(error) if Mono::now().since(begun).0 > self.patience.as_nanos() as u64 => {
                    self.join();
                    return Err(error);
                }
                Err(error) => log::debug!("{error}"),
            }
            thread::sleep(RETRY);
        }
        let _ = self.shared.enter(NodePhase::Finished);
        self.join();
        Ok(())
    }

    /// Ends without a word, as a process that is killed.
    #[cfg(test)]
    pub(crate) fn vanish(mut self) {
        self.join();
    }

    fn shipper(&self) -> std::sync::MutexGuard<'_, FolderShipper> {
        self.shipper.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn join(&mut self) {
        self.shared.done.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

pub(super) fn clock_of(anchor: WallAnchor) -> NodeClock {
    Box::new(move || anchor.epoch(Mono::now()).0)
}

fn watch_clock(shared: &NodeState) {
    let mut measured = Mono::now();
    while !shared.done.load(Ordering::Relaxed) {
        if Mono::now().since(measured) >= MEASURE_EVERY {
            if shared.sender.bus.is_connected() {
                shared.clock.measure();
            }
            measured = Mono::now();
        }
        thread::sleep(POLL);
    }
}

fn ship(shared: &NodeState, shipper: &Mutex<FolderShipper>) {
    let mut warned = false;
    while !shared.done.load(Ordering::Relaxed) {
        let status = shared.status();
        let mut shipper = shipper.lock().unwrap_or_else(PoisonError::into_inner);
        let result = shipper.ship_records(&status);
        let waiting = shipper.unshipped();
        if let Some(journal) = shared.journal.get() {
            journal.note_shipped(shipper.shipped_records());
        }
        drop(shipper);
        shared.unshipped.store(waiting, Ordering::Relaxed);
        match result {
            Ok(true) => continue,
            Ok(false) => warned = false,
            Err(error) => {
                if !warned {
                    log::warn!("Records stay on disk until NATS is back: {error}");
                    warned = true;
                }
                if waiting > shared.spool_limit {
                    shared.stop(
                        "NATS is away, and the records that wait for it have reached --spool-limit-mb",
                        StopKind::Drain,
                    );
                }
            }
        }
        thread::sleep(SHIP_EVERY);
    }
}
