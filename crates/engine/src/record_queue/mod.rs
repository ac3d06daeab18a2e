//! The queue to the record threads. It is bounded in bytes, not in items: a finished request has between 1 kB and many megabytes. If the
//! record threads fall behind, requests of a closed loop wait before they return their credit, and requests of an open loop are spilled
//! to disk, so that the schedule never waits.

mod reader;
mod spill;
mod spill_thread;
mod state;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use aiperf_clock::{Mono, Nanos};
use aiperf_config::Pace;
use aiperf_transport::BodySegment;

use self::state::{QueueItem, RecordQueueState};
use crate::request::finished::Finished;
use crate::request::streamed_body::StreamedBody;

pub use self::reader::{RecordReader, RecordWork};
pub use self::spill_thread::SpillThread;

/// What happens to a finished request for which there is no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pressure {
    /// It waits, and so does the next request of the closed loop.
    HoldBack,
    /// It is taken in any case: its schedule must not wait.
    Spill,
}

impl Pressure {
    pub(crate) const fn of(pace: &Pace) -> Self {
        match pace {
            Pace::Concurrency(_) => Self::HoldBack,
            Pace::Rate { .. }
            | Pace::FixedSchedule { .. }
            | Pace::UserCentric { .. }
            | Pace::AgenticReplay(_)
            | Pace::Controlled(_) => Self::Spill,
        }
    }
}

/// Why a finished request was not taken.
#[derive(Debug)]
pub(crate) enum RefusedRecord {
    Full(Box<Finished>),
    /// No record thread is left.
    Closed,
}

/// How the queue fared in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordQueueFigures {
    /// Bytes that may wait in memory.
    pub budget: u64,
    /// Bytes that wait now, or that record threads work on.
    pub held: u64,
    /// The most bytes that ever did.
    pub most_held: u64,
    /// Requests of a closed loop that waited for room.
    pub held_back: HeldBack,
    /// Requests of an open loop that were spilled to disk, and their bytes.
    pub spilled: u64,
    pub spilled_bytes: u64,
}

/// Requests that waited for room in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HeldBack {
    pub requests: u64,
    /// When the first of them waited.
    pub since: Mono,
    /// For how long at least one of them waited.
    pub lasted: Nanos,
    /// Up to here the waits are in `lasted`.
    until: Mono,
}

impl HeldBack {
    fn add(&mut self, since: Mono, until: Mono) {
        if self.requests == 0 {
            self.since = since;
        }
        self.requests += 1;
        self.lasted = self.lasted + until.since(since.max(self.until));
        self.until = self.until.max(until);
    }
}

/// Makes the queue. `budget`: bytes that may wait in memory.
pub fn record_queue(budget: usize) -> (RecordSender, RecordQueue) {
    let shared = Arc::new(RecordQueueShared {
        state: Mutex::new(RecordQueueState::new()),
        budget: budget.max(1),
        held: AtomicUsize::new(0),
        came: Condvar::new(),
        gathered: Condvar::new(),
        over_budget: Condvar::new(),
    });
    (RecordSender(Arc::clone(&shared)), RecordQueue(shared))
}

/// The workers' end.
#[derive(Debug)]
pub struct RecordSender(Arc<RecordQueueShared>);

/// Makes the readers of the record threads, and tells how the queue fares.
#[derive(Debug, Clone)]
pub struct RecordQueue(Arc<RecordQueueShared>);

#[derive(Debug)]
struct RecordQueueShared {
    state: Mutex<RecordQueueState>,
    budget: usize,
    /// Bytes of all that is in the queue in memory, and of what record threads work on.
    held: AtomicUsize,
    /// Wakes a reader that sleeps.
    came: Condvar,
    /// Ends a reader's wait for more items.
    gathered: Condvar,
    /// Wakes the spill thread.
    over_budget: Condvar,
}

impl RecordQueueShared {
    fn lock(&self) -> MutexGuard<'_, RecordQueueState> {
        // A panic while the lock is held can only come from a failed allocation, which leaves the queue as it was.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    fn release(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Adds an item and wakes whoever must see it.
    fn push(&self, mut state: MutexGuard<'_, RecordQueueState>, item: QueueItem, bytes: usize, urgent: bool) {
        let held = self.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        state.most_held = state.most_held.max(held);
        state.push(item, bytes, urgent);
        if held > self.budget && state.spiller_waits {
            self.over_budget.notify_one();
        }
        let wake = state.wake_for_push(urgent);
        drop(state);
        match wake {
            Some(Wake::Sleeping) => self.came.notify_one(),
            Some(Wake::Gathering) => self.gathered.notify_one(),
            None => {}
        }
    }
}

/// Which reader is woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wake {
    Sleeping,
    /// One that waits for more items.
    Gathering,
}

impl RecordSender {
    /// Hands over a finished request.
    pub(crate) fn send(&self, finished: Box<Finished>, pressure: Pressure) -> Result<(), RefusedRecord> {
        let bytes = finished.memory();
        let state = self.0.lock();
        if state.readers == 0 {
            return Err(RefusedRecord::Closed);
        }
        let held = self.0.held();
        // A request that is larger than the budget goes through alone.
        if pressure == Pressure::HoldBack && held > 0 && held + bytes > self.0.budget {
            return Err(RefusedRecord::Full(finished));
        }
        let urgent = finished.follow_up.is_some();
        let item = QueueItem::Finished { finished, may_spill: pressure == Pressure::Spill && !urgent };
        self.0.push(state, item, bytes, urgent);
        Ok(())
    }

    /// Whether record threads keep up, so that bodies may be read while they arrive. Otherwise a body stays whole, and can be spilled.
    pub(crate) fn takes_segments(&self) -> bool {
        self.0.held() < self.0.budget / 2
    }

    /// Hands over a part of a body that is still arriving.
    pub(crate) fn send_segment(&self, body: &Arc<StreamedBody>, segment: BodySegment) {
        // Counted before a record thread can see it: one that reads the stream already may take it at once and release it.
        self.0.held.fetch_add(segment.memory(), Ordering::Relaxed);
        if body.add(segment) {
            self.0.push(self.0.lock(), QueueItem::Segments(Arc::clone(body)), 0, false);
        }
    }

    /// Notes that a request of a closed loop waited for room.
    pub(crate) fn note_held_back(&self, since: Mono, until: Mono) {
        self.0.lock().held_back.add(since, until);
    }
}

impl RecordQueue {
    pub fn figures(&self) -> RecordQueueFigures {
        let state = self.0.lock();
        RecordQueueFigures {
            budget: self.0.budget as u64,
            held: self.0.held() as u64,
            most_held: state.most_held as u64,
            held_back: state.held_back,
            spilled: state.spilled_count,
            spilled_bytes: state.spilled_bytes,
        }
    }
}

impl Clone for RecordSender {
    fn clone(&self) -> Self {
        self.0.lock().senders += 1;
        Self(Arc::clone(&self.0))
    }
}

impl Drop for RecordSender {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.senders -= 1;
        if state.senders == 0 {
            drop(state);
            self.0.came.notify_all();
            self.0.gathered.notify_all();
            self.0.over_budget.notify_all();
        }
    }
}
