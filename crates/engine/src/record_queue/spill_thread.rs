//! The thread that writes finished requests of an open loop to disk while record threads lag.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::spill::SpillFile;
use super::state::{HeldItem, QueueItem, RecordQueueState};
use super::{RecordQueue, RecordQueueShared};

/// Sleeps until more waits than the budget allows. Ends when the workers have ended.
#[derive(Debug)]
pub struct SpillThread {
    thread: JoinHandle<()>,
}

impl SpillThread {
    /// The file is made in `folder` when it is needed. `on_failure` is called once, with the reason, if spilling is not possible. Nothing
    /// is lost by that, but the queue then grows beyond its budget.
    pub fn start(
        queue: &RecordQueue,
        folder: &Path,
        on_failure: impl FnOnce(&io::Error) + Send + 'static,
    ) -> io::Result<Self> {
        let (shared, folder) = (Arc::clone(&queue.0), PathBuf::from(folder));
        let thread = thread::Builder::new().name("spill".into()).spawn(move || {
            let spilled = shared.spill(|| SpillFile::create(&folder));
            if let Err(cause) = spilled {
                on_failure(&cause);
            }
        })?;
        Ok(Self { thread })
    }

    /// Waits for the thread, which ends after the last worker.
    pub fn join(self) {
        // A panic was reported when it happened.
        let _ = self.thread.join();
    }
}

impl RecordQueueShared {
    /// Spills until the last sender is gone, or until it fails.
    pub(super) fn spill(&self, create: impl FnOnce() -> io::Result<SpillFile>) -> io::Result<()> {
        let Some(first) = self.next_to_spill() else { return Ok(()) };
        let file = match create() {
            Ok(file) => Arc::new(file),
            Err(cause) => {
                self.put_back(first);
                return Err(cause);
            }
        };
        let mut scratch = Vec::new();
        let mut next = Some(first);
        while let Some(HeldItem { item, bytes }) = next {
            let spilled = match item {
                QueueItem::Finished { finished, may_spill: true } => file.spill(finished, &mut scratch),
                other => {
                    self.put_back(HeldItem { item: other, bytes });
                    next = self.next_to_spill();
                    continue;
                }
            };
            match spilled {
                Ok(spilled) => {
                    self.release(bytes);
                    let mut state = self.lock();
                    state.being_spilled -= 1;
                    state.push_spilled(spilled);
                    self.tell_reader(state);
                }
                Err((finished, cause)) => {
                    self.put_back(HeldItem { item: QueueItem::Finished { finished, may_spill: false }, bytes });
                    return Err(cause);
                }
            }
            next = self.next_to_spill();
        }
        Ok(())
    }

    /// Waits until more is held than the budget allows.
    fn next_to_spill(&self) -> Option<HeldItem> {
        let mut state = self.lock();
        loop {
            if state.senders == 0 {
                return None;
            }
            let item = if self.held() > self.budget { state.take_to_spill() } else { None };
            if item.is_some() {
                return item;
            }
            state.spiller_waits = true;
            state = self.over_budget.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.spiller_waits = false;
        }
    }

    fn put_back(&self, held: HeldItem) {
        let mut state = self.lock();
        state.being_spilled -= 1;
        state.push(held.item, held.bytes, false);
        self.tell_reader(state);
    }

    /// Readers may have ended their search while an item was with this thread.
    fn tell_reader(&self, mut state: MutexGuard<'_, RecordQueueState>) {
        if state.senders == 0 {
            drop(state);
            self.came.notify_all();
        } else if state.call().is_some() {
            drop(state);
            self.came.notify_one();
        }
    }
}
