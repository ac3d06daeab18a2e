//! The record threads' end of the queue.

use std::collections::VecDeque;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use aiperf_clock::Nanos;

use super::state::{GATHERED, HeldItem, QueueItem, RecordQueueState};
use super::{RecordQueue, RecordQueueShared, Wake};
use crate::request::finished::Finished;
use crate::request::streamed_body::ReadPart;

/// How long a reader that was woken for one item waits for more: records are rarely urgent, and waking a thread costs as much as a record.
const GATHER: Duration = Duration::from_millis(2);

/// Takes items out of the queue for one record thread. The bytes of an item are released when the next one is asked for.
#[derive(Debug)]
pub struct RecordReader {
    shared: Arc<RecordQueueShared>,
    /// Items that were taken together, because each visit to the queue costs.
    batch: VecDeque<HeldItem>,
    /// Bytes of the item that the thread works on.
    in_work: usize,
    is_occupied: bool,
    /// Reads whose bytes waited longer than this for a worker are remembered.
    longest_wait: Nanos,
}

/// A finished request with what was read of its response.
#[derive(Debug)]
pub struct RecordWork {
    pub finished: Box<Finished>,
    pub read: ReadPart,
}

impl RecordQueue {
    /// A reader for one thread. Reads whose bytes waited longer than `longest_wait` for a worker are remembered.
    pub fn reader(&self, longest_wait: Nanos) -> RecordReader {
        self.0.lock().readers += 1;
        RecordReader {
            shared: Arc::clone(&self.0),
            batch: VecDeque::new(),
            in_work: 0,
            is_occupied: false,
            longest_wait,
        }
    }
}

impl RecordReader {
    /// The next finished request; `None` once no sender is left and everything has been taken. Reads parts of bodies that are still
    /// arriving in between.
    pub fn receive(&mut self) -> Option<RecordWork> {
        loop {
            self.shared.release(std::mem::take(&mut self.in_work));
            let Some(HeldItem { item, bytes }) = self.batch.pop_front() else {
                if !self.fill() {
                    return None;
                }
                continue;
            };
            let mut finished = match item {
                QueueItem::Segments(body) => {
                    self.in_work = body.read_waiting(self.longest_wait);
                    continue;
                }
                QueueItem::Finished { finished, .. } => finished,
                QueueItem::Spilled(spilled) => spilled.read_back(),
            };
            let (read, freed) = finished.read_rest(self.longest_wait);
            self.in_work = bytes + freed;
            return Some(RecordWork { finished, read });
        }
    }

    /// Takes the next items, and sleeps until there are some. False if nothing can come any more.
    fn fill(&mut self) -> bool {
        let shared = Arc::clone(&self.shared);
        let mut state = shared.lock();
        state.occupied -= usize::from(std::mem::take(&mut self.is_occupied));
        loop {
            let bytes = state.take_batch(&mut self.batch);
            if !self.batch.is_empty() {
                self.is_occupied = RecordQueueState::is_large(bytes);
                state.occupied += usize::from(self.is_occupied);
                let is_needed = state.has_urgent() || state.len() >= GATHERED || (self.is_occupied && state.len() > 0);
                let wake = if is_needed { state.call() } else { None };
                drop(state);
                if wake == Some(Wake::Sleeping) {
                    shared.came.notify_one();
                }
                return true;
            }
            if state.is_over() {
                return false;
            }
            state = shared.sleep_and_gather(state);
        }
    }
}

impl RecordQueueShared {
    /// Sleeps until something comes, then a moment longer for more, unless it is urgent.
    fn sleep_and_gather<'a>(&'a self, mut state: MutexGuard<'a, RecordQueueState>) -> MutexGuard<'a, RecordQueueState> {
        state.asleep += 1;
        state = self.came.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.asleep -= 1;
        state.called = state.called.saturating_sub(1);
        if state.len() == 0 || state.len() >= GATHERED || state.has_urgent() || state.senders == 0 {
            return state;
        }
        state.gathering += 1;
        state = self.gathered.wait_timeout(state, GATHER).unwrap_or_else(PoisonError::into_inner).0;
        state.gathering -= 1;
        state
    }
}

impl Drop for RecordReader {
    fn drop(&mut self) {
        self.shared.release(self.in_work);
        let mut state = self.shared.lock();
        state.readers -= 1;
        state.occupied -= usize::from(self.is_occupied);
        // Without record threads nothing would come of what is left, and sessions may wait for it.
        let left = if state.readers == 0 { state.take_all() } else { Vec::new() };
        drop(state);
        drop(left);
    }
}
